/**
 * The player's own days, as texts such as 2026-01-31. They begin at midnight of the device's clock, never of UTC. Arithmetic
 * on dates uses days without hours, so that days of 23 or 25 hours count as one.
 */

const DAY = 86_400_000; // milliseconds

/** Return the date of the device. @param {Date} [now] */
export const localDay = (now = new Date()) =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");

/** Return the number of a day, from 1970-01-01 on. @param {string} date */
export const dayNumber = (date) => Date.parse(`${date}T00:00:00Z`) / DAY;

/** Return the date of the day with a number. @param {number} number */
export const dateOf = (number) => new Date(number * DAY).toISOString().slice(0, 10);

/** Return whether a text is a date that exists; what is stored may be anything. @param {string} [text] */
export const isDate = (text = "") =>
  /^\d{4}-\d\d-\d\d$/.test(text) && Number.isInteger(dayNumber(text)) && dateOf(dayNumber(text)) === text;

/** Return the date some days later. @param {string} date @param {number} days */
export const daysAfter = (date, days) => dateOf(dayNumber(date) + days);

/** Return the number of the week of a day with a number; weeks begin on Monday. @param {number} day */
export const weekNumber = (day) => Math.floor((day + 3) / 7); // 1970-01-01 was a Thursday

/** Return the date of the Monday of a week. @param {string} date */
export const mondayOf = (date) => dateOf(7 * weekNumber(dayNumber(date)) - 3);

/** Return the milliseconds until the device's clock shows the next date. @param {Date} now */
export function untilTomorrow(now) {
  // where clocks change at midnight, the constructor yields the first time that exists
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1).getTime() - now.getTime();
}
