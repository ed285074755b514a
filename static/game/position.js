/**
 * The puzzle of the page, and functions on position texts, which have one character per hole: comparison of two positions,
 * and moves in notation. Only for pages that send `#data`; without a puzzle in it, `puzzle` and `goal` must not be used.
 *
 * @typedef {object} Puzzle
 * @property {string} id
 * @property {boolean} multiStepMoves whether a move may consist of several steps, and any number of holes may be empty;
 *   otherwise exactly one is
 * @property {boolean} arrowKeys whether swipes and arrow keys move pieces
 * @property {string} alphabet characters of a position, the empty one first
 * @property {string} unique characters that every position has exactly once
 * @property {string} objective rules in one line
 * @property {[number, number][]} points middles of the holes, in drawing units
 * @property {Record<string, string>} glyphs glyph names by position character; the character of an empty hole has no glyph
 * @property {string} start the puzzle's own start
 * @property {string} goal the puzzle's own goal
 *
 * @typedef {{ from: number, to: number, path?: number[] }} Travel `path`: all holes of a chain of jumps
 * @typedef {{ moved: Travel[], removed: number[], added: number[], turned: number[] }} Plan
 */
import { pageData } from "../ui/dom.js";

/** @typedef {object} Place what the page plays
 * @property {Puzzle} puzzle
 * @property {string} goal
 * @property {string} address of the page, without a query
 * @property {string | null} [card] id of the card, such as `hoppers/17`; null unless the page plays a card
 */
/** @type {Place} */
const { puzzle, goal, address, card = null } = pageData();
export { puzzle, goal, address, card };

/** Key of the game in the storage: the card, or else the puzzle. */
export const gameKey = card ?? puzzle?.id;

/** Return whether a character stands for an empty hole. @param {string} cell */
export const isEmpty = (cell) => !(cell in puzzle.glyphs);

/** Return the characters of the holes, without the active peg. @param {string} position */
export const cellsOf = (position) => position.split(":")[0];

/** Return the holes in rows, from top to bottom and left to right. @returns {number[][]} */
export function holeRows() {
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  puzzle.points.forEach(([, y], hole) => rows.set(Math.round(y), [...(rows.get(Math.round(y)) ?? []), hole]));
  return [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** Return the pieces moved, removed, added and turned between two positions.
 * @param {string} before @param {string} after @param {readonly Travel[]} travels pieces known to have moved, in order
 * @returns {Plan} */
export function differences(before, after, travels) {
  const changed = [...after].flatMap((cell, hole) => (cell === before[hole] ? [] : [hole]));
  const moved = travels.filter(({ from, to }) => before[from] === after[to] && !isEmpty(after[to]));
  const ends = new Set(moved.flatMap(({ from, to }) => [from, to]));
  const others = changed.filter((hole) => !ends.has(hole));
  return {
    moved,
    removed: others.filter((hole) => isEmpty(after[hole])),
    added: others.filter((hole) => isEmpty(before[hole])),
    turned: others.filter((hole) => !isEmpty(before[hole]) && !isEmpty(after[hole])),
  };
}

/** Return moves in notation: the holes that a piece visits, or the number of a numbered tile.
 * @param {string} position before the first move @param {readonly number[][]} moves @returns {string[]} */
export function inNotation(position, moves) {
  const cells = [...cellsOf(position)];
  return moves.map((holes) => {
    const [from, to] = [holes[0], holes[holes.length - 1]];
    const [kind, number] = (puzzle.glyphs[cells[from]] ?? "").split("-");
    [cells[from], cells[to]] = [cells[to], cells[from]]; // exact for slides; in other puzzles no piece has a number
    return kind === "tile" ? number : holes.join("–");
  });
}
