/**
 * Figures about the cards of the days.
 *
 * @typedef {object} Statistics
 * @property {number} played cards that were begun, solved or not
 * @property {number} solved
 * @property {number} stars cards solved in the fewest moves without help
 * @property {number[]} over how many of the solved cards took 0, 1, 2, and 3 or more moves above the fewest
 */
import { medalOf } from "../game/medal.js";
import { dayOf } from "../days/day_card.js";

const MOST_OVER = 3;

/** Return the figures. @param {import("./day_results.js").CardResults} results
 * @param {Iterable<string>} begun ids of cards that were begun; those with a result need not be among them
 * @returns {Statistics} */
export function statisticsOf(results, begun) {
  const isOfDay = (/** @type {string} */ id) => dayOf(id) !== null;
  const solved = Object.entries(results).filter(([id]) => isOfDay(id));
  const over = new Array(MOST_OVER + 1).fill(0);
  for (const [, { moves, best }] of solved)
    if (typeof best === "number") over[Math.min(MOST_OVER, Math.max(0, moves - best))]++;
  return {
    played: new Set([...solved.map(([id]) => id), ...[...begun].filter(isOfDay)]).size,
    solved: solved.length,
    stars: solved.filter(([, result]) => medalOf(result) === "optimal").length,
    over,
  };
}
