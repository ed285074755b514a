/**
 * A line of play: where it began, its steps, and how many of them are on the board. Lines are immutable, so they can be
 * stored and compared. This module knows no rules and no page.
 *
 * @typedef {"solved" | "live" | "dead" | "unknown" | "checking"} Verdict "checking": the server has not answered yet
 *
 * @typedef {object} Bounds
 * @property {number} least no solution has fewer moves
 * @property {number | null} moves moves of the shortest known solution
 *
 * @typedef {Readonly<Record<string, Bounds>>} KnownBounds bounds by position
 *
 * @typedef {{ moves: number | null, least: number | null }} AtlasBounds bounds from the atlas
 *
 * @typedef {object} PositionVerdict
 * @property {string} position
 * @property {Verdict} verdict
 * @property {number | null} moves_left fewest moves to the goal; null if not proved
 * @property {AtlasBounds | null} [atlas]
 *
 * @typedef {object} StepProperties
 * @property {number} from
 * @property {number} to
 * @property {number} cost 1 if the step starts a move, 0 if it continues one
 * @property {boolean} [pushed] whether the step belongs to the same push as the step before
 *
 * @typedef {PositionVerdict & StepProperties} Step a jump, slide or flip, and the position it leads to
 *
 * @typedef {Readonly<LineProperties>} Line
 * @typedef {object} LineProperties
 * @property {PositionVerdict} start
 * @property {readonly Step[]} steps including steps that were undone and can be redone
 * @property {number} at number of steps on the board
 *
 * @typedef {object} Move
 * @property {number[]} holes holes that the piece visits
 * @property {number} first index of its first step
 * @property {number} end index after its last step
 */

/** @param {PositionVerdict} start @returns {Line} */
export const begin = (start) => ({ start, steps: [], at: 0 });

/** The position after the first `at` steps. @param {Line} line @param {number} [at] @returns {PositionVerdict} */
export const positionAt = (line, at = line.at) => (at ? line.steps[at - 1] : line.start);

/**
 * The line with one more step. Repeating the step that was undone keeps what could be redone.
 * @param {Line} line @param {Step} step @returns {Line}
 */
export function played(line, step) {
  const next = line.steps[line.at];
  const same = next?.from === step.from && next.to === step.to && next.pushed === step.pushed;
  return { ...line, steps: same ? line.steps : [...line.steps.slice(0, line.at), step], at: line.at + 1 };
}

/** @param {Line} line @param {number} at @returns {Line} */
export const movedTo = (line, at) => ({ ...line, at: Math.max(0, Math.min(at, line.steps.length)) });

/** How many steps of a line lead to a position; -1 where none do. @param {Line} line @param {string} position */
export const stepsTo = (line, position) => [line.start, ...line.steps].findIndex((judged) => judged.position === position);

/** Whether a piece is in hand: it may go on within the same move. @param {PositionVerdict} judged */
export const isMoveOpen = (judged) => judged.position.includes(":");

/** Whether it was played to its end: a stray press is not to spoil that. @param {Line} line */
export const isWon = (line) => line.at > 0 && positionAt(line).verdict === "solved";

/** Where Undo leads: one step back while a move is open, else to before the move, or the run of them that one push made;
 * `other` swaps the two.
 * @param {Line} line @param {boolean} [other] @returns {number} */
export function undoTarget(line, other = false) {
  const single = isMoveOpen(positionAt(line)) !== other;
  return single ? line.at - 1 : moveStart(line, line.at - 1);
}

/** Where Redo leads: one step on inside a move, else to the end of the move or push; `other` swaps the two.
 * @param {Line} line @param {boolean} [other] @returns {number} */
export function redoTarget(line, other = false) {
  const single = (line.steps[line.at]?.cost === 0) !== other;
  return single ? line.at + 1 : moveEnd(line, line.at);
}

/** @param {Line} line @param {number} at */
function moveStart(line, at) {
  while (at > 0 && continuesMove(line.steps[at])) at -= 1;
  return at;
}

/** @param {Line} line @param {number} at */
function moveEnd(line, at) {
  do at += 1;
  while (line.steps[at] && continuesMove(line.steps[at]));
  return at;
}

/** Whether a step is of one act with the step before. @param {Step} step */
const continuesMove = ({ cost, pushed = false }) => cost === 0 || pushed;

/** Moves started in the first `at` steps. @param {Line} line @param {number} [at] */
export const movesMade = (line, at = line.at) => line.steps.slice(0, at).reduce((sum, step) => sum + step.cost, 0);

/** The steps as moves. @param {Line} line @returns {Move[]} */
export function moves(line) {
  /** @type {Move[]} */
  const found = [];
  line.steps.forEach((step, index) => {
    const last = found.at(-1);
    if (last && step.cost === 0) {
      last.holes.push(step.to);
      last.end = index + 1;
    } else found.push({ holes: [step.from, step.to], first: index, end: index + 1 });
  });
  return found;
}

/** How many steps lead to the last position that is not dead, or -1. @param {Line} line */
export function lastSolvable(line) {
  for (let at = line.at; at >= 0; at -= 1) if (positionAt(line, at).verdict !== "dead") return at;
  return -1;
}

/** Whether more moves than the fewest are needed in all since some step before. @param {Line} line @param {number} at */
export function needsMoreThanFewest(line, at) {
  const { moves_left: left } = positionAt(line, at);
  return left !== null && line.start.moves_left !== null && movesMade(line, at) + left > line.start.moves_left;
}

/** How many steps lead to the last position from which no more moves than the fewest were needed in all; -1 where
 * that is not known. @param {Line} line */
export function lastWithFewest(line) {
  for (let at = line.at; at >= 0; at -= 1) {
    const { moves_left: left } = positionAt(line, at);
    if (left !== null && movesMade(line, at) + left === line.start.moves_left) return at;
  }
  return -1;
}

/** What is known with one thing more. @param {KnownBounds} known @param {string} position @param {Partial<Bounds>} told @returns {KnownBounds} */
export function withBounds(known, position, { least = 0, moves = null }) {
  const before = known[position] ?? { least: 0, moves: null };
  const fewest = Math.min(before.moves ?? Infinity, moves ?? Infinity);
  const bounds = { least: Math.max(before.least, least), moves: fewest < Infinity ? fewest : null };
  return bounds.least === before.least && bounds.moves === before.moves ? known : { ...known, [position]: bounds };
}

/** What follows for the position on the board from all that is known along the line: a move that is started lowers
 * what is left by one at most. @param {Line} line @param {KnownBounds} known @returns {Bounds} */
export function boundsOf(line, known) {
  let [least, fewest] = [0, Infinity];
  for (let at = 0; at <= line.steps.length; at += 1) {
    const { position, moves_left: left } = positionAt(line, at);
    const told = left === null ? known[position] : { least: left, moves: left };
    const passed = movesMade(line) - movesMade(line, at);
    if (told && at <= line.at) least = Math.max(least, told.least - passed);
    if (told && at >= line.at) fewest = Math.min(fewest, (told.moves ?? Infinity) - passed);
  }
  return { least, moves: fewest < Infinity ? fewest : null };
}

/** What a whole line to the goal says of every position on it. @param {KnownBounds} known @param {Line} line @returns {KnownBounds} */
export function withSolutionBounds(known, line) {
  const end = { ...line, at: line.steps.length };
  if (positionAt(end).verdict !== "solved") return known;
  const places = [...line.steps.keys(), line.steps.length];
  return places.reduce((all, at) => withBounds(all, positionAt(line, at).position, { moves: movesMade(end) - movesMade(end, at) }), known);
}

/** Readable text of the steps played: `9-3.2-0-6`. @param {Line} line */
export const lineText = (line) =>
  moves(withoutUndone(line)).map((move) => move.holes.join("-")).join(".");

/** @param {Line} line @returns {Line} */
const withoutUndone = (line) => ({ ...line, steps: line.steps.slice(0, line.at) });

/** The hole of the piece that may go on. @param {Line} line @returns {number | null} */
export function activeHole(line) {
  const hole = positionAt(line).position.split(":")[1];
  return hole === undefined ? null : Number(hole);
}

/** That the move goes on, where it may. @param {Line} line @returns {import("./session.js").Note | null} */
export const chainNote = (line) => (isMoveOpen(positionAt(line)) && line.at > 0 ? { key: "note.chain", values: {} } : null);

/** A hint in words, for ears too; of one that is not proved to be shortest that is said as well. @param {import("./session.js").Hint} hint
 * @param {"from" | "to"} stage @returns {import("./session.js").Note} */
export const hintNote = ({ from, move, proved }, stage) =>
  ({ key: `note.hint.${stage}`, values: { from, move: move.join("–"), also: proved ? "" : "note.hint.found" } });

/** Why there is no hint, as a key of the catalogue. @param {Line} line @param {Verdict} verdict */
export const noHintKey = (line, verdict) => `note.hint.${verdict === "dead" && lastSolvable(line) < 0 ? "never" : verdict}`;

/** What moved between two places of a line: one piece, or the run that was pushed; nothing where the lines differ.
 * @param {Line} was @param {Line} now @param {number} at @returns {import("./position.js").Travel[]} */
export function travelBetween(was, now, at) {
  if (was.steps.slice(0, was.at).some((step, index) => index < at && step !== now.steps[index])) return [];
  const [low, high] = [Math.min(was.at, at), Math.max(was.at, at)];
  const back = was.at > at;
  const steps = (back ? was : now).steps.slice(low, high);
  const rest = steps.slice(1);
  if (rest.length && rest.every(({ pushed }) => pushed)) return back ? steps.map(({ from, to }) => ({ from: to, to: from })).reverse() : steps;
  const joined = rest.every((step, index) => step.from === steps[index].to);
  if (!steps.length || !joined) return [];
  const path = [steps[0].from, ...steps.map((step) => step.to)];
  if (back) path.reverse();
  return [{ from: path[0], to: path[path.length - 1], path }];
}

/** The line with a newer verdict on one of its positions; the same line if there is none.
 * @param {Line} line @param {PositionVerdict} judged @returns {Line} */
export function withVerdict(line, { position, verdict, moves_left }) {
  const isOld = (/** @type {PositionVerdict} */ known) => known.position === position && known.verdict !== verdict;
  if (!isOld(line.start) && !line.steps.some(isOld)) return line;
  const renewed = (/** @type {any} */ known) => (isOld(known) ? { ...known, verdict, moves_left } : known);
  return { ...line, start: renewed(line.start), steps: line.steps.map(renewed) };
}

/** The line with the position on the board called live where what is known of it leaves nothing open.
 * @param {Line} line @param {KnownBounds} known @returns {Line} */
export function withProvedVerdict(line, known) {
  const now = positionAt(line);
  const { least, moves } = boundsOf(line, known);
  const isProved = now.verdict === "unknown" && moves !== null && least >= moves;
  return isProved ? withVerdict(line, { ...now, verdict: "live", moves_left: moves }) : line;
}
