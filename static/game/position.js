/**
 * The puzzle of the page, and what depends on it. Only for pages that send `#data`; without a puzzle in it, `puzzle` and `goal` must not be used.
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
 * @property {[from: number, over: number, to: number][]} jumps all jumps of the empty board; none for other pieces than pegs
 */
import { pageData } from "../ui/dom.js";
import { cellsOf } from "./cells.js";

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

/** Return the middle of a hole. @param {number} hole */
export const pointOf = (hole) => ({ x: puzzle.points[hole][0], y: puzzle.points[hole][1] });

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
