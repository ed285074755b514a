/**
 * Reasons why a position is dead, as the server gives them.
 *
 * @typedef {object} Reason
 * @property {string | null} reason code; null unless the position is dead
 * @property {string | null} sentence
 * @property {Proof[]} proofs
 * @property {string | null} [certificate] address of the proof for programs, if there is one
 *
 * @typedef {object} Proof
 * @property {"parity" | "sum"} law what no step changes, or raises
 * @property {string} position
 * @property {Record<string, number>} weights number of each hole, without 0
 */

/** Return the groups of holes to mark for a reason, each after its number; 0 for holes that are counted. Of several proofs
 * the first is shown.
 * @param {Reason} reason @returns {number[][]} */
export function groupsOf({ reason, proofs }) {
  if (!proofs.length) return [];
  if (reason === "class") return [[0, ...Object.keys(proofs[0].weights).map(Number)]];
  return marksOf(proofs[0]);
}

/** Return the numbers of holes as groups to mark. @param {{ weights: Record<string, number> }} proof @returns {number[][]} */
export const marksOf = ({ weights }) =>
  Object.entries(weights).map(([hole, number]) => [number, Number(hole)]);
