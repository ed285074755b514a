/**
 * The player's results of the cards of the days.
 *
 * @typedef {import("../game/medal.js").Mark} Mark
 * @typedef {import("../game/medal.js").Played & { date: string }} CardResult `date`: the day for which it counts
 * @typedef {Readonly<Record<string, CardResult>>} CardResults by card id
 */
import { medalOf } from "../game/medal.js";

/** Return the mark of a card: its medal, or "new". @param {CardResults} results @param {string} id @returns {Mark} */
export const markOf = (results, id) => (Object.hasOwn(results, id) ? medalOf(results[id]) : "new");
