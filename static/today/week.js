/**
 * The week of a day, Monday first, with the player's results.
 *
 * @typedef {import("./day_results.js").Mark} Mark
 * @typedef {object} WeekDay
 * @property {string} date
 * @property {"past" | "today" | "future"} when
 * @property {Mark} mark of the card of the day
 * @property {Mark} mini mark of the mini card
 * @property {boolean} isLate whether the cards solved were solved after their day only
 * @property {boolean} isBridged whether the day was missed without ending the streak
 */
import { cardId, daysInTime } from "../days/day_card.js";
import { markOf } from "./day_results.js";
import { daysAfter, mondayOf } from "../days/dates.js";

/** Return the days of the week of `today`.
 * @param {import("./day_results.js").CardResults} results @param {string} today
 * @param {readonly string[]} [bridged] missed days that did not end the streak @returns {WeekDay[]} */
export function weekOf(results, today, bridged = []) {
  const monday = mondayOf(today);
  return [0, 1, 2, 3, 4, 5, 6].map((days) => weekDay(results, daysAfter(monday, days), today, bridged));
}

/** @param {import("./day_results.js").CardResults} results @param {string} date @param {string} today
 * @param {readonly string[]} bridged @returns {WeekDay} */
function weekDay(results, date, today, bridged) {
  const [mark, mini] = [markOf(results, cardId(date)), markOf(results, cardId(date, true))];
  const isSolved = mark !== "new" || mini !== "new";
  return {
    date,
    when: date === today ? "today" : date < today ? "past" : "future",
    mark,
    mini,
    isLate: isSolved && !daysInTime(results).has(date),
    isBridged: bridged.includes(date),
  };
}
