/**
 * Functions on position texts, which have one character per hole: comparison of two positions, and moves in notation.
 * The parameter `empty` returns whether a character stands for an empty hole.
 *
 * @typedef {{ from: number, to: number, path?: number[] }} Travel `path`: all holes of a chain of jumps
 * @typedef {{ moved: Travel[], removed: number[], added: number[], turned: number[] }} Plan
 */
import { pageData } from "../ui/dom.js";

/** Return the characters of the holes, without the active peg. @param {string} position */
export const cellsOf = (position) => position.split(":")[0];

/** Return the pieces moved, removed, added and turned between two positions.
 * @param {string} before @param {string} after @param {(cell: string) => boolean} empty
 * @param {readonly Travel[]} travels pieces known to have moved, in order
 * @returns {Plan} */
export function differences(before, after, empty, travels) {
  const changed = [...after].flatMap((cell, hole) => (cell === before[hole] ? [] : [hole]));
  const moved = travels.filter(({ from, to }) => before[from] === after[to] && !empty(after[to]));
  const ends = new Set(moved.flatMap(({ from, to }) => [from, to]));
  const others = changed.filter((hole) => !ends.has(hole));
  return {
    moved,
    removed: others.filter((hole) => empty(after[hole])),
    added: others.filter((hole) => empty(before[hole])),
    turned: others.filter((hole) => !empty(before[hole]) && !empty(after[hole])),
  };
}

/** @type {{ puzzle: { glyphs: Record<string, string> } }} */
const { puzzle } = pageData();

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
