/** The cards of the days: dates of the player, the week, the streak, figures. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { runInNewContext } from "node:vm";

import { cardId, dayOf, daysInTime, dayThatCounts } from "../../static/days/day_card.js";
import { markOf } from "../../static/today/day_results.js";
import { nextUnsolved, progressOf } from "../../static/today/deck_progress.js";
import {
  dateOf,
  dayNumber,
  daysAfter,
  isDate,
  localDay,
  mondayOf,
  untilTomorrow,
  weekNumber,
} from "../../static/days/dates.js";
import { statisticsOf } from "../../static/today/statistics.js";
import { streakOf } from "../../static/days/streak.js";
import { weekOf } from "../../static/today/week.js";

/** @typedef {import("../../static/today/day_results.js").CardResults} CardResults */

const { NO_HELP } = await import("../../static/game/help.js");
const ZONE = process.env.TZ;
after(() => (process.env.TZ = ZONE));

/** Return results of the cards of days. @param {readonly string[]} dates @param {string} [solvedOn] day of all of them
 * @returns {CardResults} */
const solvedOn = (dates, solvedOn) =>
  Object.fromEntries(
    dates.map((date) => [cardId(date), { moves: 5, best: 5, help: NO_HELP, date: solvedOn ?? date }]),
  );

test("the date is that of the player's clock, also where clocks change and at the edges of the earth", () => {
  for (const [zone, time, date] of [
    ["Asia/Tokyo", "2026-11-26T15:00:00Z", "2026-11-27"],
    ["Asia/Tokyo", "2026-11-26T14:59:59Z", "2026-11-26"],
    ["Pacific/Kiritimati", "2026-11-26T10:00:00Z", "2026-11-27"],
    ["Pacific/Pago_Pago", "2026-11-27T10:59:59Z", "2026-11-26"],
    ["America/New_York", "2026-11-01T05:59:59Z", "2026-11-01"], // 01:59:59 for the first time, 25 hours
    ["Europe/Berlin", "2026-03-28T23:00:00Z", "2026-03-29"], // 23 hours
    ["Europe/Berlin", "2026-03-29T21:59:59Z", "2026-03-29"],
    ["Africa/Cairo", "2026-04-23T22:00:00Z", "2026-04-24"], // midnight does not exist: 00:00 is 01:00
    ["Asia/Kathmandu", "2026-12-31T18:15:00Z", "2027-01-01"],
  ]) {
    process.env.TZ = zone;
    assert.equal(localDay(new Date(time)), date, `${zone} ${time}`);
  }
});

test("the next day is as far away as the clock says", () => {
  for (const [zone, time, hours] of /** @type {[string, string, number][]} */ ([
    ["Europe/Berlin", "2026-03-28T23:00:00Z", 23],
    ["Europe/Berlin", "2026-10-24T22:00:00Z", 25],
    ["Africa/Cairo", "2026-04-23T21:00:00Z", 1],
    ["UTC", "2026-11-27T00:00:00Z", 24],
  ])) {
    process.env.TZ = zone;
    assert.equal(untilTomorrow(new Date(time)), hours * 3_600_000, `${zone} ${time}`);
  }
});

test("the script before the first paint and the modules find the same date", () => {
  const script = readFileSync(new URL("../../static/days/local_day.js", import.meta.url), "utf8");
  for (const zone of ["Pacific/Kiritimati", "Pacific/Pago_Pago", "Europe/Berlin"]) {
    process.env.TZ = zone;
    for (let hour = 0; hour < 24 * 400; hour += 7) {
      const now = new Date(Date.UTC(2026, 0, 1, hour));
      const dataset = /** @type {Record<string, string>} */ ({});
      const place = {
        document: { documentElement: { dataset } },
        Date: class extends Date {
          constructor() {
            super(now);
          }
        },
      };
      runInNewContext(script, place);
      assert.equal(dataset.today, localDay(now));
    }
  }
});

test("the page of the player's own day is opened where it is there, or may have been kept", () => {
  const script = readFileSync(new URL("../../static/days/local_day.js", import.meta.url), "utf8");
  /** Return where a page of a day leads to. @param {string} day @param {boolean} onLine @param {string} [pathname] */
  function opened(day, onLine, pathname = "/") {
    /** @type {string[]} */
    const found = [];
    const dataset = { day, days: `${day} 2026-11-29` };
    const location = {
      pathname,
      search: "",
      hash: "#x",
      replace: (/** @type {string} */ to) => found.push(to),
    };
    const now = class extends Date {
      constructor() {
        super(2026, 10, 30, 9);
      }
    };
    runInNewContext(script, {
      document: { documentElement: { dataset } },
      location,
      navigator: { onLine },
      Date: now,
    });
    return found;
  }
  assert.deepEqual(opened("2026-11-30", true), []);
  assert.deepEqual(opened("2026-11-28", true), [], "no place on earth has the day of this clock");
  assert.deepEqual(opened("2026-11-28", false), ["/daily/2026-11-30#x"]);
  assert.deepEqual(
    opened("2026-11-28", false, "/daily/2026-11-30"),
    [],
    "an older page is shown in its place",
  );
});

test("days of 23 and 25 hours count as one", () => {
  process.env.TZ = "Europe/Berlin";
  for (let number = dayNumber("2026-01-01"); number < dayNumber("2028-01-01"); number++) {
    const date = dateOf(number);
    assert.equal(dayNumber(date), number);
    assert.equal(daysAfter(date, 1), dateOf(number + 1));
    const weekday = (new Date(`${date}T12:00:00Z`).getUTCDay() + 6) % 7;
    assert.equal(mondayOf(date), dateOf(number - weekday));
    assert.equal(weekNumber(number), weekNumber(number - weekday));
  }
  for (const text of ["", "2026-02-30", "2026-13-01", "2026-1-1", "9999-99-99", "yesterday"])
    assert.equal(isDate(text), false, text);
});

test("a card of a day is known by its id, and anything else is none", () => {
  assert.deepEqual(dayOf("daily/2026-11-27"), { date: "2026-11-27", isMini: false });
  assert.deepEqual(dayOf("daily/2026-11-27/mini"), { date: "2026-11-27", isMini: true });
  for (const id of ["hoppers/17", "daily/2026-02-30", "daily/2026-11-27/", "xdaily/2026-11-27"])
    assert.equal(dayOf(id), null, id);
});

test("a card solved later is solved, but not in time", () => {
  const results = { ...solvedOn(["2026-11-20"], "2026-11-27"), ...solvedOn(["2026-11-26"]) };
  assert.deepEqual([...daysInTime(results)], ["2026-11-26"]);
  assert.equal(markOf(results, "daily/2026-11-20"), "optimal");
  const [, , , , friday] = weekOf(results, "2026-11-22");
  assert.deepEqual([friday.date, friday.mark, friday.isLate], ["2026-11-20", "optimal", true]);
});

test("a card counts for its day if it was begun on it, or solved before it was over, with an hour's grace", () => {
  for (const [
    zone,
    time,
    id,
    begun,
    date,
  ] of /** @type {[string, string, string, string | undefined, string][]} */ ([
    ["Europe/London", "2026-11-28T00:02:00Z", "daily/2026-11-27/mini", "2026-11-27", "2026-11-27"], // begun at 23:58
    ["Europe/London", "2026-11-30T12:00:00Z", "daily/2026-11-27", "2026-11-27", "2026-11-27"],
    ["Europe/London", "2026-11-28T00:59:59Z", "daily/2026-11-27", "2026-11-28", "2026-11-27"], // begun after midnight
    ["Europe/London", "2026-11-28T01:00:00Z", "daily/2026-11-27", "2026-11-28", "2026-11-28"],
    ["Europe/London", "2026-11-28T12:00:00Z", "daily/2026-11-27", undefined, "2026-11-28"],
    ["America/Los_Angeles", "2026-11-28T06:00:00Z", "daily/2026-11-28/mini", "2026-11-27", "2026-11-28"], // a link from Tokyo
    ["Asia/Tokyo", "2026-11-27T15:30:00Z", "daily/2026-11-27", "2026-11-28", "2026-11-27"], // 00:30
    ["Asia/Tokyo", "2026-11-27T16:30:00Z", "daily/2026-11-27", "2026-11-28", "2026-11-28"], // 01:30
    ["Europe/London", "2026-11-28T00:30:00Z", "hoppers/17", "2026-11-28", "2026-11-28"], // of no day
  ])) {
    process.env.TZ = zone;
    assert.equal(dayThatCounts(id, begun, new Date(time)), date, `${zone} ${time} ${id}`);
  }
});

test("a card from the east counts for its own day, also where an earlier version stored the day before", () => {
  const results = solvedOn(["2026-11-28"], "2026-11-27");
  assert.deepEqual([...daysInTime(results)], ["2026-11-28"]);
  assert.deepEqual(streakOf({ ...results, ...solvedOn(["2026-11-27"]) }, "2026-11-28").days, 2);
  assert.equal(streakOf(results, "2026-11-27").days, 0, "tomorrow does not count yet");
  assert.equal(weekOf(results, "2026-11-28")[5].isLate, false);
});

test("the week begins on Monday and ends on Sunday", () => {
  const week = weekOf(solvedOn(["2026-11-25"]), "2026-11-27", ["2026-11-24"]);
  assert.deepEqual(
    week.map(({ date, when, mark, isBridged }) => [date.slice(-2), when, mark, isBridged]),
    [
      ["23", "past", "new", false],
      ["24", "past", "new", true],
      ["25", "past", "optimal", false],
      ["26", "past", "new", false],
      ["27", "today", "new", false],
      ["28", "future", "new", false],
      ["29", "future", "new", false],
    ],
  );
});

test("one missed day of a week is bridged, and a second one ends the streak", () => {
  const played = [
    "2026-11-16",
    "2026-11-17",
    "2026-11-19",
    "2026-11-20",
    "2026-11-21",
    "2026-11-22",
    "2026-11-24",
  ];
  const streak = (/** @type {string} */ today) => streakOf(solvedOn(played), today);
  assert.deepEqual(streak("2026-11-24"), {
    days: 7,
    longest: 7,
    bridged: ["2026-11-18", "2026-11-23"],
    hasToday: true,
    canMiss: false,
  });
  assert.equal(streak("2026-11-25").days, 7, "today is not over");
  assert.deepEqual([streak("2026-11-26").days, streak("2026-11-26").longest], [0, 7]);
  assert.deepEqual(streakOf({}, "2026-11-26"), {
    days: 0,
    longest: 0,
    bridged: [],
    hasToday: false,
    canMiss: false,
  });
});

test("the mini card keeps a streak, too, and a day counts once", () => {
  const results = {
    ...solvedOn(["2026-11-26", "2026-11-27"]),
    "daily/2026-11-27/mini": { moves: 9, best: 3, date: "2026-11-27" },
  };
  assert.equal(streakOf(results, "2026-11-27").days, 2);
  assert.equal(streakOf({ "daily/2026-11-27/mini": results["daily/2026-11-27/mini"] }, "2026-11-27").days, 1);
});

/** Return days and longest streak by the rule as it is told: from its first day on, no week has two missed days.
 * @param {readonly boolean[]} played by day, from a Monday on; the last one is today */
function naiveStreak(played) {
  let [days, longest] = [0, 0];
  /** @type {number[]} */
  let missed = [];
  played.forEach((isPlayed, day) => {
    if (isPlayed) days++;
    else if (days && day < played.length - 1) {
      const week = Math.floor(day / 7);
      if (missed.includes(week)) [days, missed] = [0, []];
      else missed.push(week);
    }
    longest = Math.max(longest, days);
  });
  return [days, longest];
}

test("streaks of all fortnights agree with the rule", () => {
  const monday = dayNumber("2026-11-16");
  for (let pattern = 0; pattern < 2 ** 14; pattern++) {
    const played = Array.from({ length: 14 }, (_, day) => Boolean((pattern >> day) & 1));
    const dates = played.flatMap((isPlayed, day) => (isPlayed ? [dateOf(monday + day)] : []));
    const { days, longest } = streakOf(solvedOn(dates), dateOf(monday + 13));
    assert.deepEqual([days, longest], naiveStreak(played), JSON.stringify(dates));
  }
});

test("what is stored wrongly disturbs no figure", () => {
  const odd = {
    "daily/2026-99-99": { moves: 1, best: 1, date: "2026-99-99" },
    "daily/9999-12-31": { moves: 1, best: null, date: "9999-12-31" },
  };
  assert.equal(streakOf({ ...odd, ...solvedOn(["2026-11-27"]) }, "2026-11-27").days, 1);
  assert.equal(statisticsOf(odd, ["x", "daily/2026-02-30"]).played, 1);
});

test("figures count cards of days only", () => {
  const help = { ...NO_HELP, hints: 1 };
  const results = {
    ...solvedOn(["2026-11-25"]),
    "daily/2026-11-26": { moves: 7, best: 5, help: NO_HELP, date: "2026-11-26" },
    "daily/2026-11-27/mini": { moves: 3, best: 3, help, date: "2026-11-27" },
    "hoppers/1": { moves: 9, best: 2, help: NO_HELP, date: "2026-11-27" },
  };
  assert.deepEqual(statisticsOf(results, ["daily/2026-11-27", "daily/2026-11-26", "hoppers/2"]), {
    played: 4,
    solved: 3,
    stars: 1,
    over: [2, 0, 1, 0],
  });
});

test("the next card of a deck is the first unsolved one after it", () => {
  const result = { moves: 3, best: 3, help: NO_HELP, date: "2026-11-27" };
  const results = { "d/1": result, "d/3": { ...result, moves: 4 } };
  assert.deepEqual(progressOf(results, "d", 4), { solved: 2, stars: 1 });
  assert.deepEqual(
    [nextUnsolved(results, "d", 4), nextUnsolved(results, "d", 4, 2), nextUnsolved(results, "d", 4, 4)],
    [2, 4, 2],
  );
  assert.equal(nextUnsolved({ ...results, "d/2": result }, "d", 4, 4), null);
  assert.equal(nextUnsolved({ ...results, "d/2": result, "d/4": result }, "d", 4), null);
});
