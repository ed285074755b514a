/**
 * A line of play: its start, its steps, and the number of steps on the board. Lines are immutable, so they can be stored
 * and compared. This module needs neither the rules of the puzzle nor the page.
 *
 * @typedef {"solved" | "live" | "dead" | "unknown" | "checking"} Verdict "checking": the server has not answered yet
 *
 * @typedef {object} Bounds
 * @property {number} least no solution has fewer moves
 * @property {number | null} most moves of the shortest known solution; null if none is known
 *
 * @typedef {Readonly<Record<string, Bounds>>} KnownBounds bounds by position
 *
 * @typedef {object} PositionVerdict
 * @property {string} position
 * @property {Verdict} verdict
 * @property {number | null} moves_left fewest moves to the goal; null if not proved
 * @property {Bounds | null} [bounds] bounds that the server knows if the moves left are not proved
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
 *
 * @typedef {object} Loss
 * @property {boolean} isProved whether the position before it can be solved; otherwise it may have been lost earlier
 * @property {number} move number of the move that lost the game, from 1
 * @property {number} moves whole moves to go back to the last position that is no dead end
 * @property {number} jumps jumps to go back then
 */

/** Return a line without steps. @param {PositionVerdict} start @returns {Line} */
export const begin = (start) => ({ start, steps: [], at: 0 });

/** Return the position after the first `at` steps. @param {Line} line @param {number} [at] @returns {PositionVerdict} */
export const positionAt = (line, at = line.at) => (at ? line.steps[at - 1] : line.start);

/** Return the line with one more step on the board. Undone steps are dropped unless `step` repeats the first of them.
 * @param {Line} line @param {Step} step @returns {Line} */
export function played(line, step) {
  const next = line.steps[line.at];
  const same = next?.from === step.from && next.to === step.to && next.pushed === step.pushed;
  return { ...line, steps: same ? line.steps : [...line.steps.slice(0, line.at), step], at: line.at + 1 };
}

/** Return the line with `at` steps on the board, clamped to its steps. @param {Line} line @param {number} at @returns {Line} */
export const movedTo = (line, at) => ({ ...line, at: Math.max(0, Math.min(at, line.steps.length)) });

/** Return the number of steps that lead to a position, or -1 if it is not on the line.
 * @param {Line} line @param {string} position */
export const stepsTo = (line, position) =>
  [line.start, ...line.steps].findIndex((known) => known.position === position);

/** Return whether the active peg may continue its move. @param {PositionVerdict} known */
export const isMoveOpen = (known) => known.position.includes(":");

/** Return whether the steps on the board have solved the puzzle; false at the start. @param {Line} line */
export const isWon = (line) => line.at > 0 && positionAt(line).verdict === "solved";

/** Return the number of steps on the board after Undo. Inside a move Undo takes back one step, otherwise the whole last move
 * or push; `other` swaps the two cases.
 * @param {Line} line @param {boolean} [other] @returns {number} */
export function undoTarget(line, other = false) {
  let at = line.at - 1;
  if (isMoveOpen(positionAt(line)) !== other) return at;
  while (at > 0 && continuesMove(line.steps[at])) at -= 1;
  return at;
}

/** Return the number of steps on the board after Redo. Inside a move Redo plays one step, otherwise the whole next move or
 * push; `other` swaps the two cases.
 * @param {Line} line @param {boolean} [other] @returns {number} */
export function redoTarget(line, other = false) {
  let at = line.at + 1;
  if ((line.steps[line.at]?.cost === 0) !== other) return at;
  while (line.steps[at] && continuesMove(line.steps[at])) at += 1;
  return at;
}

/** Return whether a step belongs to the same move or push as the step before. @param {Step} step */
const continuesMove = ({ cost, pushed = false }) => cost === 0 || pushed;

/** Return the steps of the last move or push on the board. @param {Line} line @returns {readonly Step[]} */
export function lastMove({ steps, at }) {
  let first = at - 1;
  while (first > 0 && continuesMove(steps[first])) first -= 1;
  return steps.slice(Math.max(0, first), at);
}

/** Return the number of moves started in the first `at` steps. @param {Line} line @param {number} [at] */
export const movesMade = (line, at = line.at) =>
  line.steps.slice(0, at).reduce((sum, step) => sum + step.cost, 0);

/** Return all steps of a line grouped into moves, undone steps included. @param {Line} line @returns {Move[]} */
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

/** Return the number of steps before the last played position that is not a dead end, or -1. @param {Line} line */
export function lastNotDead(line) {
  for (let at = line.at; at >= 0; at -= 1) if (positionAt(line, at).verdict !== "dead") return at;
  return -1;
}

/** Return where the game on the board was lost, or null if it was from the start. A step inside a move may have lost it: then
 * the way back is some whole moves, and jumps of the move before them.
 * @param {Line} line @returns {Loss | null} */
export function lossOf(line) {
  const at = lastNotDead(line);
  if (at < 0) return null;
  let end = at; // of the move to which the last position that is not dead belongs
  while (end < line.at && line.steps[end].cost === 0) end += 1;
  return {
    isProved: ["live", "solved"].includes(positionAt(line, at).verdict),
    move: movesMade(line, at + 1),
    moves: movesMade(line) - movesMade(line, end),
    jumps: end - at,
  };
}

/** Return whether the first `at` steps rule out the fewest moves from the start; false if either number is not proved.
 * @param {Line} line @param {number} at */
export function needsMoreThanFewest(line, at) {
  const { moves_left: movesLeft } = positionAt(line, at);
  return (
    movesLeft !== null &&
    line.start.moves_left !== null &&
    movesMade(line, at) + movesLeft > line.start.moves_left
  );
}

/** Return the number of steps before the last position from which the fewest moves from the start were still possible; -1
 * if not known.
 * @param {Line} line */
export function lastWithFewest(line) {
  for (let at = line.at; at >= 0; at -= 1) {
    const { moves_left: movesLeft } = positionAt(line, at);
    if (movesLeft !== null && movesMade(line, at) + movesLeft === line.start.moves_left) return at;
  }
  return -1;
}

/** Return the known bounds, tightened by `bound` for one position, or `known` itself if this changes nothing.
 * @param {KnownBounds} known @param {string} position @param {Partial<Bounds>} bound @returns {KnownBounds} */
export function withBounds(known, position, bound) {
  const before = known[position] ?? NO_BOUNDS;
  const bounds = narrowed(before, bound);
  return bounds.least === before.least && bounds.most === before.most
    ? known
    : { ...known, [position]: bounds };
}

/** @type {Bounds} */
const NO_BOUNDS = { least: 0, most: null };

/** Return the higher `least` and lower `most` of two bounds. @param {Bounds} bounds @param {Partial<Bounds>} other @returns {Bounds} */
function narrowed(bounds, { least = 0, most = null }) {
  const fewest = Math.min(bounds.most ?? Infinity, most ?? Infinity);
  return { least: Math.max(bounds.least, least), most: fewest < Infinity ? fewest : null };
}

/** Combine the bounds of all positions on a line into bounds for the position on the board. Each started move lowers the
 * number of moves left by at most one.
 * @param {Line} line @param {KnownBounds} known @returns {Bounds} */
export function boundsOf(line, known) {
  let [least, fewest] = [0, Infinity];
  for (let at = 0; at <= line.steps.length; at += 1) {
    const { position, moves_left: movesLeft, bounds: sent } = positionAt(line, at);
    const bounds =
      movesLeft === null
        ? narrowed(known[position] ?? NO_BOUNDS, sent ?? {})
        : { least: movesLeft, most: movesLeft };
    const passed = movesMade(line) - movesMade(line, at);
    if (at <= line.at) least = Math.max(least, bounds.least - passed);
    if (at >= line.at) fewest = Math.min(fewest, (bounds.most ?? Infinity) - passed);
  }
  return { least, most: fewest < Infinity ? fewest : null };
}

/** Return the known bounds, tightened for every position on a line that solves the puzzle; unchanged for other lines.
 * @param {KnownBounds} known @param {Line} line @returns {KnownBounds} */
export function withSolutionBounds(known, line) {
  const end = { ...line, at: line.steps.length };
  if (positionAt(end).verdict !== "solved") return known;
  const places = [...line.steps.keys(), line.steps.length];
  return places.reduce(
    (all, at) =>
      withBounds(all, positionAt(line, at).position, { most: movesMade(end) - movesMade(end, at) }),
    known,
  );
}

/** Return moves as text: `9-3.2-0-6`. @param {readonly number[][]} moves holes that each move visits */
export const movesText = (moves) => moves.map((holes) => holes.join("-")).join(".");

/** Return the moves of a text such as `9-3.2-0-6`. @param {string} text @returns {number[][]} */
export const movesOf = (text) =>
  text
    .split(".")
    .filter(Boolean)
    .map((move) => move.split("-").map(Number));

/** Return the moves on the board as text, without undone steps. @param {Line} line */
export const lineText = (line) =>
  movesText(moves({ ...line, steps: line.steps.slice(0, line.at) }).map(({ holes }) => holes));

/** Return the hole of the active peg if it may continue, otherwise null. @param {Line} line @returns {number | null} */
export function activeHole(line) {
  const hole = positionAt(line).position.split(":")[1];
  return hole === undefined ? null : Number(hole);
}

/** Return the note that the move may continue, or null. @param {Line} line @returns {import("./session.js").Note | null} */
export const chainNote = (line) =>
  isMoveOpen(positionAt(line)) && line.at > 0 ? { key: "note.chain", values: {} } : null;

/** Return the note about a hint, with an added sentence if the move is not proved to begin a shortest solution.
 * @param {import("./session.js").Hint} hint
 * @param {"from" | "to"} stage @returns {import("./session.js").Note} */
export const hintNote = ({ from, move, proved }, stage) => ({
  key: `note.hint.${stage}`,
  values: { from, move: move.join("–"), also: proved ? "" : "note.hint.found" },
});

/** Return the catalogue key for the reason why there is no hint. @param {Line} line @param {Verdict} verdict */
export const noHintKey = (line, verdict) =>
  `note.hint.${verdict === "dead" && lastNotDead(line) < 0 ? "never" : verdict}`;

/** Return the pieces that travel when the board changes from `was` to `now` with `at` steps: one piece, or the pieces of one
 * push. Return [] if the lines differ or the steps are of several pieces without a push.
 * @param {Line} was @param {Line} now @param {number} at @returns {import("./cells.js").Travel[]} */
export function travelBetween(was, now, at) {
  if (was.steps.slice(0, was.at).some((step, index) => index < at && step !== now.steps[index])) return [];
  const [low, high] = [Math.min(was.at, at), Math.max(was.at, at)];
  const back = was.at > at;
  const steps = (back ? was : now).steps.slice(low, high);
  const rest = steps.slice(1);
  if (rest.length && rest.every(({ pushed }) => pushed))
    return back ? steps.map(({ from, to }) => ({ from: to, to: from })).reverse() : steps;
  const joined = rest.every((step, index) => step.from === steps[index].to);
  if (!steps.length || !joined) return [];
  const path = [steps[0].from, ...steps.map((step) => step.to)];
  if (back) path.reverse();
  return [{ from: path[0], to: path[path.length - 1], path }];
}

/** Return whether a verdict is final: the moves left are proved, the puzzle is solved, or the goal is out of reach.
 * @param {{ verdict?: string, moves_left?: number | null }} known */
export const isDecided = ({ verdict, moves_left: movesLeft = null }) =>
  movesLeft !== null || verdict === "solved" || verdict === "dead";

/** Return the line with a newer verdict for one position, or `line` itself if no verdict changes.
 * @param {Line} line @param {PositionVerdict} verdict @returns {Line} */
export function withVerdict(line, { position, verdict, moves_left, bounds = null }) {
  const newer = JSON.stringify([verdict, moves_left, bounds]);
  const isOld = (/** @type {PositionVerdict} */ known) =>
    known.position === position &&
    !isDecided(known) &&
    JSON.stringify([known.verdict, known.moves_left, known.bounds ?? null]) !== newer;
  if (!isOld(line.start) && !line.steps.some(isOld)) return line;
  const renewed = (/** @type {any} */ known) =>
    isOld(known) ? { ...known, verdict, moves_left, bounds } : known;
  return { ...line, start: renewed(line.start), steps: line.steps.map(renewed) };
}

/** Return the line with the strongest verdict for the position on the board that the known bounds give: if a solution is
 * known, live with bounds, or with the moves left if both bounds are equal. Otherwise return `line`.
 * @param {Line} line @param {KnownBounds} known @returns {Line} */
export function withBestVerdict(line, known) {
  const now = positionAt(line);
  if (isDecided(now) || !["live", "unknown"].includes(now.verdict)) return line;
  const bounds = boundsOf(line, known);
  if (bounds.most === null) return line;
  const isTight = bounds.least >= bounds.most;
  return withVerdict(line, {
    ...now,
    verdict: "live",
    moves_left: isTight ? bounds.most : null,
    bounds: isTight ? null : bounds,
  });
}
