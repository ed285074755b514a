/**
 * What changes between two positions, cell by cell. Works for any puzzle whose positions are texts with one
 * character per hole; `empty` tells which characters draw nothing.
 *
 * @typedef {{ from: number, to: number }} Travel
 * @typedef {{ moved: Travel[], removed: number[], added: number[], turned: number[] }} Plan
 */

/** The characters of the holes, without the piece in hand. @param {string} position */
export const cellsOf = (position) => position.split(":")[0];

/**
 * @param {string} before @param {string} after @param {(cell: string) => boolean} empty
 * @param {Travel | null} travel the piece known to have moved, if one did
 * @returns {Plan}
 */
export function plan(before, after, empty, travel) {
  const changed = [...after].flatMap((cell, hole) => (cell === before[hole] ? [] : [hole]));
  const went = travel !== null && before[travel.from] === after[travel.to] && !empty(after[travel.to]);
  const rest = went ? changed.filter((hole) => hole !== travel.from && hole !== travel.to) : changed;
  return {
    moved: went ? [travel] : [],
    removed: rest.filter((hole) => empty(after[hole])),
    added: rest.filter((hole) => empty(before[hole])),
    turned: rest.filter((hole) => !empty(before[hole]) && !empty(after[hole])),
  };
}
