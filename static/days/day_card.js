/**
 * The cards of a day: their ids, and the day for which a solution counts. A card counts for its day if its first move was made
 * until then, or if it was solved before that day was over where the player is. This module is pure.
 *
 * @typedef {Readonly<Record<string, { date: string }>>} DatedResults results by card id; `date`: the day for which each counts
 */
import { isDate, localDay } from "./dates.js";

const DAY_CARD = /^daily\/(\d{4}-\d\d-\d\d)(\/mini)?$/;
/** Milliseconds after midnight that still belong to the day before, for a game that is under way. */
const GRACE = 3_600_000;

/** Return the id of a card of a day. @param {string} date @param {boolean} [isMini] */
export const cardId = (date, isMini = false) => `daily/${date}${isMini ? "/mini" : ""}`;

/** Return the day of a card, or null if it is not a card of a day.
 * @param {string} id @returns {{ date: string, isMini: boolean } | null} */
export function dayOf(id) {
  const [, date, mini] = DAY_CARD.exec(id) ?? [];
  return isDate(date) ? { date, isMini: mini !== undefined } : null;
}

/** Return the day for which a card counts that is solved now: its own, or the later one of the device. A card of a day that
 * has not begun here yet, as from a friend in the east, counts for its own.
 * @param {string} id @param {string | undefined} begun day of its first move @param {Date} now */
export function dayThatCounts(id, begun, now) {
  const own = dayOf(id)?.date ?? "";
  const solved = localDay(new Date(now.getTime() - GRACE));
  const first = begun && begun < solved ? begun : solved;
  return first <= own ? own : localDay(now);
}

/** Return the days of which the player has solved a card in time. A card solved later, from the archive, does not count.
 * @param {DatedResults} results @returns {Set<string>} */
export function daysInTime(results) {
  return new Set(
    Object.entries(results).flatMap(([id, { date }]) => {
      const own = dayOf(id)?.date;
      return own && date <= own ? [own] : []; // earlier versions stored an earlier day for a card from the east
    }),
  );
}
