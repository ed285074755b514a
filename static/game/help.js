/**
 * The help that a player has had in one game, counted from its start. The star is for a game without any. A game that has
 * ended keeps the help that it was played with: what is shown after its end counts for later tries only.
 *
 * @typedef {object} Help
 * @property {number} hints pieces shown by Hint; its second stage belongs to the same hint
 * @property {number} checks how often the player asked for a hidden verdict
 * @property {boolean} solution whether a way was shown: a solution, a search, all steps of a position, or the moves of a link
 * @property {boolean} verdict whether the verdict stood beside a position before the end
 * @property {boolean} [told] whether the page said that or where a game was lost, when asked or by a hint that was refused;
 *   missing in results of earlier versions
 * @property {boolean} [reviewed] whether the review of a game was opened; missing in results of earlier versions
 *
 * @typedef {object} Ended the last end of a game
 * @property {string} line its steps, as in addresses
 * @property {number} tries
 * @property {Readonly<Help>} help until then
 * @property {string[]} [earlier] the last lines of the tries before it that had ended, the oldest first; missing in
 *   those of earlier versions
 *
 * @typedef {object} Attempts
 * @property {Help} help
 * @property {number} tries how often a first move was played from the start
 * @property {Ended | null} ended null before the first end
 *
 * @typedef {import("./line.js").Line} Line
 * @typedef {Readonly<Attempts> & { line: Line }} Played a game on the board, and the attempts so far
 *
 * @typedef {Pick<import("./session.js").State, "line" | "solution" | "edit" | "assistance" | "revealedPosition" | "analysis">} Shown
 *   what decides whether a verdict is shown
 */
import { isDecided, isWon, lineText, positionAt } from "./line.js";

/** @type {Readonly<Help>} */
export const NO_HELP = Object.freeze({
  hints: 0,
  checks: 0,
  solution: false,
  verdict: false,
  told: false,
  reviewed: false,
});

/** @type {Readonly<Attempts>} */
export const NOT_TRIED = Object.freeze({ help: NO_HELP, tries: 0, ended: null });

/** Return whether a player has had any help. @param {Readonly<Help>} help */
export const hasHelp = ({ hints, checks, solution, verdict, told = false, reviewed = false }) =>
  hints + checks > 0 || solution || verdict || told || reviewed;

/** Return whether help still costs the star: not after the first, and not when the game on the board has won it.
 * @param {Pick<import("./session.js").State, "help" | "medal">} state */
export const isStarAtStake = ({ help, medal }) => !hasHelp(help) && medal !== "optimal";

/** Return whether a player has had help beyond that of earlier games. @param {Readonly<Help>} help
 * @param {Readonly<Help>} earlier */
export const hasMoreHelp = (help, earlier) => withHelp(earlier, help) !== earlier;

/** Return the help of both together; `help` itself if the other adds none. @param {Readonly<Help>} help
 * @param {Readonly<Help>} other @returns {Readonly<Help>} */
export function withHelp(help, other) {
  const both = {
    hints: Math.max(help.hints, other.hints),
    checks: Math.max(help.checks, other.checks),
    solution: help.solution || other.solution,
    verdict: help.verdict || other.verdict,
    told: help.told || other.told,
    reviewed: help.reviewed || other.reviewed,
  };
  const isSame = Object.entries(both).every(
    ([kind, value]) => (help[/** @type {keyof Help} */ (kind)] ?? false) === (value ?? false),
  );
  return isSame ? help : both;
}

/** Return whether the verdict of the position on the board is hidden: the player has not asked for it, and the game has
 * not ended.
 * @param {Shown} state */
export function isVerdictHidden({ line, solution, edit, assistance, revealedPosition, analysis }) {
  const now = positionAt(edit ?? solution?.line ?? line);
  const hasEnded = now.verdict === "solved" || isStuck({ line, solution, edit, analysis });
  return assistance === "off" && !hasEnded && revealedPosition !== now.position;
}

/** Return whether the player has come to a position without a legal step that is not solved.
 * @param {Pick<Shown, "line" | "solution" | "edit" | "analysis">} state */
export function isStuck({ line, solution, edit, analysis }) {
  if (solution || edit || !line.at || isWon(line)) return false;
  return analysis?.position === positionAt(line).position && !analysis.steps.length;
}

/** Return whether the page may say where a game was lost: in Study, and when the player has asked.
 * @param {{ assistance: Shown["assistance"], help: Readonly<Help> }} state */
export const tellsLoss = ({ assistance, help }) => assistance !== "off" || help.told === true;

/** Return how the game on the board has ended, or null. @param {Shown} state @returns {"solved" | "lost" | null} */
export function endingOf(state) {
  if (state.solution || state.edit) return null;
  return isWon(state.line) ? "solved" : isStuck(state) ? "lost" : null;
}

/** Return the last end of a game after a change of the state. A try that is undone and redone ends as it did before; a
 * solution that was taken over ends no try.
 * @param {Shown & Played & { savedLine: Line | null }} state `help`: before the change @returns {Ended | null} */
export function withEnd(state) {
  const { ended, tries, help } = state;
  const isSame = !endingOf(state) || state.savedLine !== null || isAt(ended, state);
  return isSame ? ended : { line: lineText(state.line), tries, help, earlier: earlierOf(ended, tries) };
}

/** Most earlier tries that are kept with the end of a game. */
const MOST_EARLIER = 5;

/** Return the last lines of the tries before one that ends. @param {Ended | null} ended the end before
 * @param {number} tries @returns {string[]} */
function earlierOf(ended, tries) {
  const { earlier = [], line = "" } = ended ?? {};
  return !ended || ended.tries === tries ? earlier : [...earlier, line].slice(-MOST_EARLIER);
}

/** Return whether the game on the board is at the end of a game. @param {Ended | null} ended
 * @param {Pick<Played, "line" | "tries">} state */
export const isAt = (ended, { line, tries }) => ended?.tries === tries && ended.line === lineText(line);

/** Return the help with which the game on the board was played. @param {Played} state */
export const helpPlayedWith = ({ ended, line, tries, help }) =>
  ended && isAt(ended, { line, tries }) ? ended.help : help;

/** Return the help with which a line that has ended was played here, or null if that is not known: only the last game of a
 * problem keeps its own. @param {import("../ui/stored_kinds.js").StoredAttempts | null} stored @param {Line} line */
export const helpOfGame = (stored, line) =>
  stored?.ended?.line === lineText(line) ? stored.ended.help : null;

/** Return the help after a change of the state: a solution on the board counts, and so does a verdict beside a position
 * after the first step and before the end. A game that begins again with a hidden verdict has shown none.
 * @param {Readonly<Help>} help @param {Shown} state @returns {Readonly<Help>} */
export function withShown(help, state) {
  const solution = help.solution || (state.solution !== null && state.solution.origin !== "own");
  const verdict = state.line.at
    ? help.verdict || showsVerdict(state)
    : help.verdict && state.assistance !== "off";
  const isSame = solution === help.solution && verdict === help.verdict;
  return isSame ? help : { ...help, solution, verdict };
}

/** @param {Shown} state */
function showsVerdict(state) {
  if (state.solution || state.edit || isWon(state.line) || isStuck(state)) return false;
  return state.assistance !== "off" && isDecided(positionAt(state.line)); // if "off", it is a check
}

/** Return the attempts with which a page begins: those stored for the problem, unless they are of another day and the
 * game begins anew. A card never forgets its help. Moves that came with the link, and were not played here, count as a
 * solution shown.
 * @param {import("../ui/stored_kinds.js").StoredAttempts | null} stored @param {string} today
 * @param {"new" | "own" | "foreign"} origin of the moves on the board; "new": there are none
 * @param {boolean} isCard @returns {Attempts} */
export function attemptsAtOpening(stored, today, origin, isCard) {
  const isOld = !stored || (stored.day !== today && origin === "new");
  const tries = isOld ? 0 : stored.tries;
  const help = stored && (isCard || !isOld) ? { ...NO_HELP, ...stored.help } : NO_HELP;
  const ended = isOld || origin === "foreign" ? null : (stored.ended ?? null);
  return { help: origin === "foreign" ? { ...help, solution: true } : help, tries, ended };
}
