/**
 * The player's results of the cards of the days.
 *
 * @typedef {import("../game/medal.js").Mark} Mark
 * @typedef {import("../game/medal.js").Played & { date: string }} CardResult `date`: the player's own day of the first solution
 * @typedef {Readonly<Record<string, CardResult>>} CardResults by card id
 */
import { medalOf } from "../game/medal.js";
import { isDate } from "../ui/days.js";

const DAY_CARD = /^daily\/(\d{4}-\d\d-\d\d)(\/mini)?$/;

/** Return the id of a card of a day. @param {string} date @param {boolean} [isMini] */
export const cardId = (date, isMini = false) => `daily/${date}${isMini ? "/mini" : ""}`;

/** Return the day of a card, or null if it is no card of a day.
 * @param {string} id @returns {{ date: string, isMini: boolean } | null} */
export function dayOf(id) {
  const [, date, mini] = DAY_CARD.exec(id) ?? [];
  return isDate(date) ? { date, isMini: mini !== undefined } : null;
}

/** Return the mark of a card: its medal, or "new". @param {CardResults} results @param {string} id @returns {Mark} */
export const markOf = (results, id) => (Object.hasOwn(results, id) ? medalOf(results[id]) : "new");

/** Return the days on which the player has solved a card of that day. A card solved later, from the archive, does not count.
 * @param {CardResults} results @returns {Set<string>} */
export function daysInTime(results) {
  const days = Object.entries(results).flatMap(([id, { date }]) => (dayOf(id)?.date === date ? [date] : []));
  return new Set(days);
}
