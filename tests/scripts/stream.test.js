/** The stream: rating, dealing and the timed runs. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { dealer, seeded } from "../../static/stream/deal.js";
import * as timed from "../../static/stream/timed.js";
import { after, change, isUncertain, NEW_STANDING, outcomeOf, wanted } from "../../static/stream/rating.js";
import { drawingOf, rulesOf } from "../../static/tables/drawing.js";
import { buildTable } from "../../static/tables/table.js";

/** @typedef {import("../../static/tables/drawing.js").Drawing} Drawing */

const table = await buildTable(rulesOf(/** @type {Drawing} */ (drawingOf("own-d-2a-1c-e-1c-2a"))), "any");
const NUMBERS = [...Array(9).keys()];
/** Rules of the 8-puzzle and of ten discs. */
const TILES = {
  puzzle: "tiles",
  alphabet: "012345678",
  goals: ["123456780"],
  symmetries: [NUMBERS],
  rules: {
    kind: "slides",
    neighbours: NUMBERS.map((cell) =>
      NUMBERS.filter(
        (other) => Math.abs((cell % 3) - (other % 3)) + Math.abs(((cell / 3) | 0) - ((other / 3) | 0)) === 1,
      ),
    ),
  },
};
const DISCS = {
  puzzle: "discs",
  alphabet: "_wb",
  goals: ["any"],
  symmetries: [[...NUMBERS, 9]],
  rules: { kind: "flips", least: 2 },
};

test("an even game gives what it takes: 120 points at first, ten in the end; help gives and takes none", () => {
  const rated = (/** @type {import("../../static/stream/rating.js").Outcome} */ outcome) =>
    change(NEW_STANDING, 5, outcome);
  assert.deepEqual([rated("won"), rated("lost"), rated("helped"), rated("longer")], [120, -120, 0, -120]);
  let standing = NEW_STANDING;
  for (let game = 0; game < 20; game += 1) {
    assert.equal(isUncertain(standing), game < 11, `game ${game}`);
    standing = after({ ...standing, rating: 500 }, 5, game % 2 ? "lost" : "won");
  }
  assert.deepEqual([standing.played, standing.won, standing.deviation], [20, 10, 10]);
  assert.deepEqual(
    [change({ ...standing, rating: 500 }, 5, "won"), change({ ...standing, rating: 500 }, 5, "lost")],
    [10, -10],
  );
});

test("a player is found within about fifteen games", () => {
  for (const strength of [100, 300, 500, 800, 1100]) {
    const random = seeded(`strength ${strength}`);
    const misses = Array.from({ length: 200 }, () => {
      let standing = NEW_STANDING;
      for (let game = 0; game < 15; game += 1) {
        const { least, most } = wanted(standing.rating);
        const difficulty = least + random() * (most - least);
        const isWon = random() < 1 / (1 + 10 ** ((100 * difficulty - strength) / 400));
        standing = after(standing, difficulty, isWon ? "won" : "lost");
      }
      return Math.abs(standing.rating - strength);
    }).sort((one, other) => one - other);
    assert.ok(misses[100] <= 110, `half of the players of ${strength} are missed by ${misses[100]} points`);
    assert.ok(misses[180] <= 250, `a tenth of the players of ${strength} by more than ${misses[180]}`);
  }
});

test("a stored rating of an earlier version stays, and moves again", () => {
  const stored = { rating: 557, played: 7, won: 7, best: 12 };
  const now = after(stored, 5.57, "lost");
  assert.deepEqual(now, { rating: 497, played: 8, won: 7, best: 12, deviation: 50 });
});

test("a harder game gives more and takes less, and the rating has ends", () => {
  assert.ok(change(NEW_STANDING, 9, "won") > 120);
  assert.ok(change(NEW_STANDING, 9, "lost") > -120);
  assert.equal(after({ ...NEW_STANDING, rating: 100 }, 0.5, "lost").rating, 100);
  assert.equal(after({ ...NEW_STANDING, rating: 3000 }, 40, "won").rating, 3000);
});

test("a medal gives the outcome", () => {
  assert.deepEqual(
    [outcomeOf("optimal"), outcomeOf("assisted"), outcomeOf("solved")],
    ["won", "helped", "longer"],
  );
});

test("positions are dealt at the rating, the same for the same seed", async () => {
  const texts = async (/** @type {string} */ seed) => {
    const deal = dealer(table, seeded(seed));
    const dealt = [];
    for (const rating of [300, 500, 900, 1200]) dealt.push(await deal.byDifficulty(wanted(rating)));
    return dealt;
  };
  const deal = dealer(table, seeded("1"));
  assert.deepEqual(await texts("1"), await texts("1"));
  assert.notDeepEqual(await texts("1"), await texts("2"));
  (await texts("3")).forEach((text, index) => {
    const { least, most } = wanted([300, 500, 900, 1200][index]);
    assert.ok(deal.difficulty(text) >= least && deal.difficulty(text) <= most, text);
  });
});

test("all positions of a kind are equally likely", async () => {
  const deal = dealer(table, seeded("uniform"));
  /** @type {Map<string, number>} */
  const counts = new Map();
  const all = Array.from({ length: table.family.size }, (_, number) => table.family.state(number)).filter(
    (state) =>
      table.movesLeft({ state, active: -1 }) &&
      [...table.family.format(state)].filter((c) => c === "o").length === 3,
  );
  for (let deals = 0; deals < 40 * all.length; deals += 1) {
    const text = await deal.byPieces(3);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  assert.equal(counts.size, all.length);
  const chi = [...counts.values()].reduce((sum, count) => sum + (count - 40) ** 2 / 40, 0);
  assert.ok(chi < all.length + 5 * Math.sqrt(2 * all.length), `${chi} with ${all.length} positions`);
});

test("sliding tiles are dealt at the rating, and no slice blocks the page", async () => {
  let turns = 0;
  const clock = setInterval(() => (turns += 1));
  const tiles = await buildTable(TILES, TILES.goals[0]);
  const deal = dealer(tiles, seeded("tiles"));
  const { least, most } = wanted(500);
  const difficulty = deal.difficulty(await deal.byDifficulty({ least, most }));
  clearInterval(clock);
  assert.ok(turns > 0);
  assert.ok(difficulty >= least && difficulty <= most);
  /** @type {string[]} */
  const dealt = [];
  for (let deals = 0; deals < 25; deals += 1) dealt.push(await deal.byDifficulty({ least, most }));
  dealt.forEach((text, at) =>
    assert.ok(!dealt.slice(Math.max(0, at - 20), at).includes(text), `${text} again`),
  );
});

test("a rare difficulty is searched for: the nearest is dealt, after a bounded number of looks", async () => {
  const discs = await buildTable(DISCS, "any");
  const deal = dealer(discs, seeded("rare"));
  let looks = 0;
  const look = discs.movesLeft.bind(discs);
  discs.movesLeft = (position) => (looks++, look(position));
  for (const rating of [100, 300, 500, 1500, 1900]) {
    looks = 0;
    const { least, most } = wanted(rating);
    const bits = deal.difficulty(await deal.byDifficulty({ least, most }));
    assert.ok(bits > least - 1.5 && bits < most + 1.5, `${bits} bits at ${rating}`);
    assert.ok(looks < 60_000, `${looks} looks into the table at ${rating}`); // of 46,080 states with 9 steps each
  }
});

test("a rating beyond all positions gets the hardest ones", async () => {
  const deal = dealer(table, seeded("hard"));
  assert.ok(deal.difficulty(await deal.byDifficulty(wanted(3000))) > 12);
});

test("a timed run: a mistake costs five seconds, and pegs become more", () => {
  let run = timed.begin(1000, 3);
  assert.deepEqual([timed.secondsLeft(run, 1000), timed.pegsOf(run)], [180, 3]);
  run = timed.mistaken(run);
  assert.deepEqual([timed.secondsLeft(run, 1000), run.mistakes], [175, 1]);
  for (let count = 0; count < 20; count += 1) run = timed.solved(run);
  assert.deepEqual([timed.pegsOf(run), run.solved, timed.secondsLeft(run, 900_000)], [6, 20, 0]);
});

test("without a clock a run never ends, and the time is told three times", () => {
  assert.equal(timed.secondsLeft(timed.mistaken(timed.begin(0, 0)), 1e9), Infinity);
  const told = Array.from({ length: 301 }, (_, at) => 300 - at).filter((now) => timed.isTold(now + 1, now));
  assert.deepEqual(told, [60, 30, 10]);
  assert.ok(timed.isTold(62, 57)); // a mistake skips seconds
});

test("each length has its own best score", () => {
  const score = (/** @type {number} */ minutes, /** @type {number} */ solved) => ({
    ...timed.begin(0, minutes),
    solved,
  });
  let standing = NEW_STANDING;
  for (const [minutes, solved] of [
    [3, 4],
    [10, 9],
    [10, 7],
  ])
    standing = timed.after(standing, score(minutes, solved));
  assert.deepEqual(
    [3, 5, 10].map((minutes) => timed.bestOf(standing, minutes)),
    [4, 0, 9],
  );
});
