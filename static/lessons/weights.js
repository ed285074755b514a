/**
 * Weights of holes as a proof: if no jump can raise the sum under the pegs, and the goal has more than the position, then the
 * goal cannot be reached.
 *
 * @typedef {[from: number, over: number, to: number]} Jump
 */

/** Return the jumps that raise the sum. @param {number[]} weights @param {Jump[]} jumps */
export const gains = (weights, jumps) =>
  jumps.filter(([from, over, to]) => weights[to] > weights[from] + weights[over]);

/** Weights in the order in which a press goes through them. */
const CYCLE = [0, 1, 2, 3, -1];

/** Return the weight after a press. @param {number} weight */
export const nextWeight = (weight) => CYCLE[(CYCLE.indexOf(weight) + 1) % CYCLE.length];
