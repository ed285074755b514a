/**
 * Proofs by functions: weights of the holes whose sum over the pegs no jump raises, or changes modulo 2.
 *
 * @typedef {import("./problem.js").Problem} Problem
 * @typedef {{ weights: number[], modulo?: 2 }} WeightFunction
 */
import { boardsAround, require, requireFields, whole } from "./problem.js";

const LARGEST_WEIGHT = 999;
const MOST_JUMPS = 3;

/** Return a function after trying its law on all jumps. @param {any} given @param {Problem} problem
 * @param {string} [optional] fields @returns {WeightFunction} */
export function readFunction(given, { jumps, holes }, optional = "") {
  requireFields(given, "weights", optional);
  const weights = whole(given.weights);
  const fits = weights.length === holes && weights.every((weight) => Math.abs(weight) <= LARGEST_WEIGHT);
  require(fits, `A function needs a weight for each hole, of at most ${LARGEST_WEIGHT}.`);
  const { modulo } = given;
  require(modulo === undefined || modulo === null || modulo === 2, `Sums are not taken modulo ${modulo}.`);
  for (const [from, over, to] of jumps) {
    const change = weights[to] - weights[from] - weights[over];
    require(modulo ? change % 2 === 0 : change <= 0, `The jump ${from} to ${to} changes a sum by ${change}.`);
  }
  return { weights, modulo };
}

/** Check that a function excludes each end from each board, `first` jumps ahead and `last` jumps back. Return the number of
 * pairs. @param {Problem} problem @param {any} proof */
export function checkFunctions(problem, proof) {
  require(Array.isArray(proof.functions), "Functions are a list.");
  const functions = proof.functions.map((/** @type {any} */ one) => readFunction(one, problem, "modulo"));
  const [first, last] = whole([proof.first, proof.last]);
  const isNear = [first, last].every((jumps) => jumps >= 0 && jumps <= MOST_JUMPS);
  require(isNear, `At most ${MOST_JUMPS} jumps are made ahead, and taken back.`);
  require(first + last < problem.start.replaceAll(".", "").length, "A solution does not have as many jumps.");
  const ends = problem.ends.map((hole) => ".".repeat(hole) + "o" + ".".repeat(problem.holes - hole - 1));
  const early = sumsOf(functions, around(problem, [problem.start], first, false));
  const late = sumsOf(functions, around(problem, ends, last, true));
  for (const one of early)
    for (const other of late)
      require(functions.some((/** @type {WeightFunction} */ { modulo }, /** @type {number} */ n) =>
        modulo ? (one[n] - other[n]) % 2 !== 0 : one[n] < other[n],
      ), "No function excludes one of the pairs of boards.");
  return early.length * late.length;
}

/** Return all boards some jumps away. @param {Problem} problem @param {string[]} boards @param {number} jumps
 * @param {boolean} back */
function around(problem, boards, jumps, back) {
  let found = new Set(boards);
  for (let n = 0; n < jumps; n += 1)
    found = new Set([...found].flatMap((board) => boardsAround(problem, board, back)));
  return [...found];
}

/** Return the sums of each board by all functions. @param {WeightFunction[]} functions @param {string[]} boards */
const sumsOf = (functions, boards) =>
  boards.map((board) =>
    functions.map(({ weights }) =>
      weights.reduce((sum, weight, hole) => sum + (board[hole] === "o" ? weight : 0), 0),
    ),
  );
