/** A fortnight of a player, with missed days, cards solved about midnight, a link from the east, and a second device. */
import assert from "node:assert/strict";
import { after, test } from "node:test";

import { cardId, dayThatCounts } from "../../static/days/day_card.js";
import { daysAfter, localDay } from "../../static/days/dates.js";
import { streakOf } from "../../static/days/streak.js";
import { NO_HELP } from "../../static/game/help.js";
import { weekOf } from "../../static/today/week.js";
import { merged } from "../../static/ui/stored_kinds.js";

/** @typedef {Record<string, { moves: number, best: number, help: typeof NO_HELP, tries: number, date: string, line: string }>} Cards */

const ZONE = process.env.TZ;
after(() => (process.env.TZ = ZONE));

const MONDAY = "2027-03-22"; // clocks change on the Sunday in London
const day = (/** @type {number} */ number) => daysAfter(MONDAY, number - 1);

/** Return the time at which the player's clock shows a day and minutes after its midnight.
 * @param {string} date @param {number} minutes */
function at(date, minutes) {
  const [year, month, number] = date.split("-").map(Number);
  return new Date(year, month - 1, number, 0, minutes);
}

/** Minutes of the first and of the last move of a mini card: early, about noon, and over midnight. */
const TIMES = [[1, 3], [720, 725], [1438, 1442]]; // prettier-ignore

/** Solve the mini card of a day. @param {Cards} cards @param {string} date of the card
 * @param {Date} begun @param {Date} ended @returns {Cards} */
function solve(cards, date, begun, ended) {
  const counted = dayThatCounts(cardId(date, true), localDay(begun), ended);
  const result = { moves: 3, best: 3, help: NO_HELP, tries: 1, date: counted, line: "0-6" };
  return merged("cards", cards, { [cardId(date, true)]: result });
}

/** Solve the card of a day on it. @param {Cards} cards @param {number} number of the day, from 1 */
function solveInTime(cards, number) {
  const [first, last] = TIMES[number % TIMES.length];
  return solve(cards, day(number), at(day(number), first), at(day(number), last));
}

/** Streak at noon of each day, its card solved if it is not missed. */
const STREAKS = [1, 2, 3, 4, 4, 5, 6, 7, 8, 9, 10, 10, 10, 1];
const MISSED = [5, 12, 13];

for (const zone of ["Pacific/Kiritimati", "Europe/London", "America/Los_Angeles"]) {
  test(`${zone}: a missed day of each week is forgiven, a second one is not`, () => {
    process.env.TZ = zone;
    /** @type {[phone: Cards, laptop: Cards]} */
    const devices = [{}, {}];
    /** @type {Cards} */
    let all = {};
    STREAKS.forEach((streak, index) => {
      const number = index + 1;
      if (!MISSED.includes(number)) {
        devices[number % 2] = solveInTime(devices[number % 2], number);
        all = solveInTime(all, number);
      }
      assert.equal(streakOf(all, day(number)).days, streak, `day ${number}`);
    });
    const both = merged("cards", ...devices);
    assert.deepEqual(both, merged("cards", devices[1], devices[0]));
    assert.deepEqual(Object.keys(both).sort(), Object.keys(all).sort());
    assert.equal(streakOf(both, day(14)).days, 1);
    assert.equal(streakOf(both, day(14)).longest, 10);
    const week = weekOf(all, day(7), streakOf(all, day(7)).bridged);
    assert.deepEqual(
      week.map(({ mini }) => mini === "new"),
      [1, 2, 3, 4, 5, 6, 7].map((number) => MISSED.includes(number)),
    );
    assert.deepEqual(
      week.map(({ isBridged }) => isBridged),
      week.map(({ mini }) => mini === "new"),
    );
    assert.ok(week.every(({ isLate }) => !isLate));
  });

  test(`${zone}: a missed card that is solved later stays missed, one from the east is not late`, () => {
    process.env.TZ = zone;
    const missed = [1, 2, 3, 4, 6].reduce(solveInTime, /** @type {Cards} */ ({}));
    const later = solve(missed, day(5), at(day(6), 600), at(day(6), 610));
    assert.equal(streakOf(later, day(6)).days, 5, "days 1 to 4 and 6");
    assert.ok(weekOf(later, day(6))[4].isLate);
    const early = solve(missed, day(7), at(day(6), 1200), at(day(6), 1205));
    assert.equal(streakOf(early, day(7)).days, 6);
    assert.ok(!weekOf(early, day(7))[6].isLate);
  });
}
