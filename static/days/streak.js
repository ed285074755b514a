/**
 * The streak: days on which a card of the day was solved, without an end between them. One missed day of a week, Monday to
 * Sunday, is bridged: it neither counts nor ends the streak. A second one ends it. Today ends nothing before it is over.
 *
 * @typedef {object} Streak
 * @property {number} days days that count, up to now
 * @property {number} longest most days that a streak has had
 * @property {string[]} bridged missed days of the present streak
 * @property {boolean} hasToday whether today counts already
 * @property {boolean} canMiss whether a further missed day of this week would be bridged
 */
import { daysInTime } from "./day_card.js";
import { dateOf, dayNumber, weekNumber } from "./dates.js";

/** Return the streak up to a day. @param {import("./day_card.js").DatedResults} results @param {string} today
 * @returns {Streak} */
export function streakOf(results, today) {
  const days = new Set([...daysInTime(results)].map(dayNumber));
  const now = dayNumber(today);
  const first = Math.min(now, ...days);
  let [count, longest, bridged] = [0, 0, /** @type {number[]} */ ([])];
  for (let day = first; day <= now; day++) {
    if (days.has(day)) longest = Math.max(longest, ++count);
    else if (day < now && count && !hasBridge(bridged, day)) bridged.push(day);
    else if (day < now) [count, bridged] = [0, []];
  }
  return {
    days: count,
    longest,
    bridged: bridged.map(dateOf),
    hasToday: days.has(now),
    canMiss: count > 0 && !hasBridge(bridged, now),
  };
}

/** Return whether a day in the week of `day` was bridged. @param {readonly number[]} bridged @param {number} day */
const hasBridge = (bridged, day) => bridged.some((other) => weekNumber(other) === weekNumber(day));
