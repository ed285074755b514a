/**
 * Slack: no jump raises the sum of the numbers under the pegs, and the goal needs a sum of its own. What is left between
 * the two is all that jumps may use up. This module does not use the page.
 *
 * @typedef {import("./reason.js").Proof & { sum: number, goal_sum: number }} Slack numbers that fit the goal, as the server gives
 *   them for the start of a line
 *
 * @typedef {object} Payment what a legal jump uses up
 * @property {number} from
 * @property {number} to
 * @property {number} price
 */
import { cellsOf } from "./cells.js";

/** Return the sum of the numbers under the pegs. @param {{ readonly [hole: number]: number }} numbers of holes; 0 may be missing
 * @param {string} cells @param {string} empty */
export const sumOf = (numbers, cells, empty) =>
  [...cells].reduce((sum, cell, hole) => sum + (cell === empty ? 0 : (numbers[hole] ?? 0)), 0);

/** Return what each legal jump uses up. @param {Slack} slack @param {{ position: string, steps: readonly import("./line.js").Step[] }} analysis
 * @param {string} empty @returns {Payment[]} */
export function paymentsOf({ weights }, { position, steps }, empty) {
  const now = sumOf(weights, cellsOf(position), empty);
  return steps.map(({ from, to, position: after }) => ({
    from,
    to,
    price: now - sumOf(weights, cellsOf(after), empty),
  }));
}

/** Return the sum of a position as the values of a sentence, with what is left of the slack; negative if the goal is out of reach.
 * @param {Slack} slack @param {string} position @param {string} empty */
export function accountOf({ weights, goal_sum: goal }, position, empty) {
  const sum = sumOf(weights, cellsOf(position), empty);
  return { sum: String(sum).replace("-", "−"), goal, n: sum - goal };
}
