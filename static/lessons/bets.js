/**
 * Guesses of numbers, and how near they come.
 *
 * @typedef {"exact" | "near" | "low" | "high"} Judgement
 */

/** A guess of a large number is right if it is at most this many times too large or too small. */
export const TOLERANCE = 1.5;
const MOST = 1e15;

/** Return the whole number that a reader has typed, with any separators and in any width; null if there is none.
 * @param {string} text @returns {number | null} */
export function readGuess(text) {
  const plain = text.normalize("NFKC").replace(/[\s,_'’]/g, "");
  const guess = /^\d+$/.test(plain) ? Number(plain) : NaN;
  return guess <= MOST ? guess : null;
}

/** Return how near a guess comes. @param {number} guess @param {number} truth
 * @param {number} [tolerance] largest permitted ratio, 1 for exact numbers @returns {Judgement} */
export function judge(guess, truth, tolerance = TOLERANCE) {
  if (guess === truth) return "exact";
  if (guess > 0 && Math.max(guess / truth, truth / guess) <= tolerance) return "near";
  return guess < truth ? "low" : "high";
}

/** @param {Judgement} judgement */
export const isRight = (judgement) => judgement === "exact" || judgement === "near";

/** Return the nodes of a limit that was not searched, if the nodes go on growing as at the last two limits.
 * @param {number[]} nodes of the limits searched, from 1 on @param {number} limit beyond them */
export function extrapolated(nodes, limit) {
  const [before, last] = nodes.slice(-2);
  return last * (last / before) ** (limit - nodes.length);
}
