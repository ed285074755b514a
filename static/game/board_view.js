/**
 * What a board shows of a game in progress, as a plain record: the board itself knows neither the game nor its rules. This
 * module does not use the page.
 *
 * @typedef {import("./line.js").Line} Line
 * @typedef {import("./line.js").Step} Step
 * @typedef {import("./position.js").Puzzle} Puzzle
 * @typedef {import("./session.js").State} State
 *
 * @typedef {object} Target a legal destination of the selected piece
 * @property {number} to
 * @property {number} cost 0 if the step continues a move
 * @property {number} jumps 1, or the jumps of the chain that ends there
 *
 * @typedef {object} LastMove
 * @property {number[]} holes to be tinted: those in which the move began and ended, or whose pieces it turned
 * @property {number[]} run holes that a run has visited; none for other moves
 * @property {number | null} solved hole of the piece that solved the puzzle
 *
 * @typedef {object} BoardView all but `cells` may be missing
 * @property {string} cells
 * @property {import("./cells.js").Travel[]} [travel] pieces to animate
 * @property {number | null} [selected]
 * @property {Target[]} [targets] of the selected piece
 * @property {number[]} [movable] holes of the pieces that can move
 * @property {boolean} [marksMovable] whether to mark them
 * @property {Map<number, number>} [costs] what a step of other pieces costs while a move may go on, for their labels
 * @property {number[]} [losing] holes to be marked as losing
 * @property {import("./session.js").Hint | null} [hint]
 * @property {LastMove} [last]
 * @property {boolean} [celebrates] whether the last move has just solved the puzzle
 * @property {number[][]} [groups] holes that a note speaks of, each group after its number
 * @property {import("./chains.js").Chain[]} [chains] chains between which the player has to choose
 * @property {number[][]} [arrows] moves to be drawn as arrows, each as the holes visited
 * @property {number[]} [chosen] holes that the reader has chosen
 * @property {number[]} [weights] numbers written into all holes
 * @property {import("./slack.js").Payment[]} [payments] what each legal jump uses up of the slack
 * @property {[from: number, to: number][]} [faults] steps that refute the choice or the numbers
 */
import { cellsOf, differences } from "./cells.js";
import { isMoveOpen, isWon, lastMove, positionAt } from "./line.js";
import { marksOf } from "./reason.js";
import { chainsOf } from "./chains.js";
import { paymentsOf } from "./slack.js";

/** Return what the board shows. @param {Puzzle} puzzle @param {State} state @param {Line} line the line on the board
 * @returns {BoardView} */
export function viewOf(puzzle, state, line) {
  const { selected, analysis, solution, hint, note, chains, slack } = state;
  const now = positionAt(line);
  const isPlayed = !solution && analysis !== null;
  const movable = isPlayed && !isWon(state.line) ? [...new Set(analysis.steps.map(({ from }) => from))] : [];
  return {
    cells: cellsOf(now.position),
    travel: state.travel,
    selected,
    targets: isPlayed && selected !== null ? targetsOf(puzzle, analysis, selected) : [],
    movable,
    marksMovable: state.movable,
    costs: costsOf(state, now),
    losing: losingHoles(state, now.verdict),
    hint,
    last: hint ? NO_LAST : lastOf(puzzle, line), // under a hint the board has no other signs
    celebrates: !solution && isWon(line),
    groups: note?.groups ?? (slack ? marksOf(slack) : []),
    payments: slack && isPlayed && !note?.groups ? paymentsOf(slack, analysis, puzzle.alphabet[0]) : [],
    chains: chains ?? [],
  };
}

/** Return the chains of a peg by the holes where they end, see `chainsOf`; none for pieces that do not jump.
 * @param {Puzzle} puzzle @param {{ position: string, steps: readonly Step[] }} analysis @param {number | null} from */
export const chainsFrom = (puzzle, { position, steps }, from) =>
  from !== null && steps.some((step) => step.from === from)
    ? chainsOf(puzzle, cellsOf(position), from)
    : /** @type {ReturnType<typeof chainsOf>} */ (new Map());

/** @param {Puzzle} puzzle @param {import("./api.js").Analysis} analysis @param {number} selected @returns {Target[]} */
function targetsOf(puzzle, analysis, selected) {
  const own = analysis.steps.filter(({ from }) => from === selected);
  const chains = [...chainsFrom(puzzle, analysis, selected)];
  return [
    ...own.map(({ to, cost }) => ({ to, cost, jumps: 1 })),
    ...chains.map(([to, [{ captured }]]) => ({ to, cost: own[0].cost, jumps: captured.length })),
  ];
}

/** Return what the next step of each piece costs that is not selected, while the last move may go on: then one piece
 * goes on for nothing, and any other begins a new move.
 * @param {State} state @param {import("./line.js").PositionVerdict} now @returns {Map<number, number>} cost by hole */
function costsOf({ analysis, selected, solution }, now) {
  const isChoice = !solution && isMoveOpen(now) && analysis?.position === now.position;
  return new Map(
    (isChoice ? analysis.steps : [])
      .filter(({ from }) => from !== selected)
      .map(({ from, cost }) => [from, cost]),
  );
}

/** Return the holes to mark as losing: the targets of the selected piece that make the position unsolvable; without a
 * selected piece, the holes of all pieces that have only such targets. Return [] if marks are off.
 * @param {State} state @param {import("./line.js").Verdict} verdict of the position on the board @returns {number[]} */
function losingHoles({ assistance, analysis, selected, solution }, verdict) {
  if (assistance !== "marks" || verdict !== "live" || !analysis || solution) return [];
  const isLosing = (/** @type {Step} */ step) => step.verdict === "dead";
  if (selected !== null)
    return analysis.steps.filter((step) => step.from === selected && isLosing(step)).map((step) => step.to);
  const origins = [...new Set(analysis.steps.map((step) => step.from))];
  return origins.filter((hole) => analysis.steps.filter((step) => step.from === hole).every(isLosing));
}

/** @type {Readonly<LastMove>} */
const NO_LAST = { holes: [], run: [], solved: null };

/** @param {Puzzle} puzzle @param {Line} line @returns {LastMove} */
function lastOf({ glyphs }, line) {
  const steps = lastMove(line);
  if (!steps.length) return NO_LAST;
  if (isWon(line)) return { holes: [], run: [], solved: steps[steps.length - 1].to };
  const [before, now] = [line.at - steps.length, line.at].map((at) => cellsOf(positionAt(line, at).position));
  const { turned } = differences(glyphs, before, now, steps);
  const path = [steps[0].from, ...steps.map(({ to }) => to)];
  const isRun = steps.length > 1 ? steps[1].cost === 0 : isMoveOpen(positionAt(line));
  const isPush = steps.length > 1 && !isRun;
  const ends = isPush ? steps.flatMap(({ from, to }) => [from, to]) : [path[0], path[path.length - 1]];
  return { holes: [...new Set([...ends, ...turned])], run: isRun ? path : [], solved: null };
}

/** Return the next hole whose piece can move; after the last one the first. @param {readonly number[] | undefined} movable
 * @param {number} at hole, or -1 */
export function nextMovable(movable, at) {
  const holes = [...(movable ?? [])].sort((a, b) => a - b);
  return holes.find((hole) => hole > at) ?? holes[0];
}
