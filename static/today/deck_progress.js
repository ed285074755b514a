/**
 * The player's progress in a deck of cards.
 *
 * @typedef {import("./day_results.js").CardResults} CardResults
 */
import { markOf } from "./day_results.js";

/** Return how many of the cards 1 to `cards` of a deck are solved, and how many with the star.
 * @param {CardResults} results @param {string} deck @param {number} cards */
export function progressOf(results, deck, cards) {
  const marks = Array.from({ length: cards }, (_, index) => markOf(results, `${deck}/${index + 1}`));
  return {
    solved: marks.filter((mark) => mark !== "new").length,
    stars: marks.filter((mark) => mark === "optimal").length,
  };
}

/** Return the number of the first unsolved card after `number`, going on at the first card after the last one; null if all
 * other cards are solved. @param {CardResults} results @param {string} deck @param {number} cards @param {number} [number] */
export function nextUnsolved(results, deck, cards, number = 0) {
  for (let step = 1; step <= cards; step++) {
    /** @type {number} */
    const next = ((number - 1 + step + cards) % cards) + 1;
    if (next !== number && markOf(results, `${deck}/${next}`) === "new") return next;
  }
  return null;
}
