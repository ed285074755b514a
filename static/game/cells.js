/**
 * The characters of a position text, one for each hole, and the places of the holes. This module knows neither the page
 * nor the puzzle that it plays.
 *
 * @typedef {import("./position.js").Puzzle} Puzzle
 * @typedef {{ from: number, to: number, path?: number[] }} Travel `path`: all holes of a chain of jumps
 * @typedef {{ moved: Travel[], removed: number[], added: number[], turned: number[] }} Plan
 */

/** Return the characters of the holes, without the active peg. @param {string} position */
export const cellsOf = (position) => position.split(":")[0];

/** Return the holes in rows, from top to bottom and left to right. @param {Puzzle["points"]} points @returns {number[][]} */
export function rowsOf(points) {
  /** @type {Map<number, number[]>} */
  const rows = new Map();
  points.forEach(([, y], hole) => rows.set(Math.round(y), [...(rows.get(Math.round(y)) ?? []), hole]));
  return [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row);
}

/** Return the pieces moved, removed, added and turned between two positions. @param {Puzzle["glyphs"]} glyphs
 * @param {string} before @param {string} after @param {readonly Travel[]} travels pieces known to have moved, in order
 * @returns {Plan} */
export function differences(glyphs, before, after, travels) {
  const isEmpty = (/** @type {string} */ cell) => !(cell in glyphs);
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
