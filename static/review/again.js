/**
 * The deck of what went wrong: failed cards and lost places, which come back after some days. This module is pure.
 *
 * @typedef {import("../ui/stored_kinds.js").AgainEntry} Entry
 * @typedef {Pick<Entry, "card" | "puzzle" | "position" | "goal">} Item
 */

/** Days until an entry comes back: after it has failed, and after it was right once and twice. Then it leaves the deck. */
export const DAYS = [1, 3, 7];
/** Largest number of entries; the oldest leave first. */
export const MAX_ENTRIES = 200;

/** Return whether two items are the same. @param {Item} one @param {Item} other */
const isSame = (one, other) =>
  one.card === other.card &&
  (one.card !== "" ||
    ["puzzle", "position", "goal"].every(
      (name) => one[/** @type {keyof Item} */ (name)] === other[/** @type {keyof Item} */ (name)],
    ));

/** Return the deck after an item has failed: it comes back on the next day. @param {readonly Entry[]} deck @param {Item} item
 * @param {string} today @returns {Entry[]} */
export function failed(deck, { card, puzzle, position, goal }, today) {
  const entry = { card, puzzle, position, goal, due: daysAfter(today, DAYS[0]), passed: 0 };
  return [...deck.filter((other) => !isSame(other, entry)), entry].slice(-MAX_ENTRIES);
}

/** Return the deck after an item was right: it comes back later, or leaves the deck. Before its day nothing changes.
 * @param {readonly Entry[]} deck @param {Item} item @param {string} today @returns {Entry[]} */
export function passed(deck, item, today) {
  return deck.flatMap((entry) => {
    if (!isSame(entry, item) || entry.due > today) return [entry];
    const times = entry.passed + 1;
    return times < DAYS.length ? [{ ...entry, passed: times, due: daysAfter(today, DAYS[times]) }] : [];
  });
}

/** Return the entries to be played, the longest due first. @param {readonly Entry[]} deck @param {string} today @returns {Entry[]} */
export const due = (deck, today) =>
  deck.filter((entry) => entry.due <= today).sort((a, b) => (a.due < b.due ? -1 : a.due > b.due ? 1 : 0));

/** Return the day some days after another. @param {string} day @param {number} days */
export function daysAfter(day, days) {
  const [year, month, date] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10);
}
