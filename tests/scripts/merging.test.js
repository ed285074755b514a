/** Merging of stored values: nothing that is better, earlier or more is lost, and neither order nor repetition matters. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { seeded } from "../../static/stream/deal.js";
import { isWellFormed, KIND_NAMES, merged, OWN_KINDS } from "../../static/ui/stored_kinds.js";
import { whatCame } from "../../static/ui/imported.js";
import { streakOf } from "../../static/days/streak.js";

const random = seeded("merging");
const upTo = (/** @type {number} */ most) => Math.floor(random() * (most + 1));
/** @template T @param {T[]} values @returns {T} */
const oneOf = (...values) => values[upTo(values.length - 1)];
const truth = () => random() < 0.5;
const day = () => `2026-11-${oneOf("26", "27", "28")}`;
const help = () => ({ hints: upTo(1), checks: upTo(1), solution: truth(), verdict: truth(), told: truth() });
const result = () => ({
  moves: upTo(3),
  best: oneOf(null, 1),
  ...(truth() && { help: help() }),
  tries: upTo(2),
});
/** @param {() => unknown} value @param {string[]} names @returns {Record<string, unknown>} */
const record = (value, names = ["a|b", "c|d", "e|f"]) =>
  Object.fromEntries(names.filter(truth).map((name) => [name, value()]));
const ended = () => oneOf(null, { line: oneOf("0-6", "1-11"), tries: upTo(2), help: help() });
const attempts = () => ({
  help: help(),
  tries: upTo(3),
  ended: ended(),
  day: day(),
  ...(truth() && { begun: day() }),
});
const entry = () => ({
  card: oneOf("", "hoppers/17"),
  puzzle: "hoppers",
  position: oneOf("oo.", "o.o"),
  goal: "any",
  due: day(),
  passed: upTo(2),
});
/** @param {any[]} list */
const withoutTwins = (list) => [...new Map(list.map((each) => [each.card || each.position, each])).values()];
const numbers = () => [1, 2, 3, 4].filter(truth);

/** A random value of each kind. @type {Record<string, () => any>} */
const VALUES = {
  settings: () => record(() => oneOf("light", "dark"), ["theme"]),
  results: () => record(result),
  cards: () =>
    record(
      () => ({ ...result(), date: day(), line: oneOf("0-6", "1-11") }),
      ["daily/2026-11-27", "daily/2026-11-28/mini", "hoppers/17"],
    ),
  attempts: () => record(attempts),
  friends: () => record(() => `#s-3-${1 + upTo(2)}-bbb`, ["hoppers/17", "daily/2026-11-28"]),
  drawings: () => record(() => upTo(3), ["own-s-d", "own-t-a-b"]),
  tally: () => record(() => upTo(3), ["solved", "optimal"]),
  stream: () => ({
    rating: 500 + upTo(2),
    played: upTo(2),
    won: upTo(2),
    best: upTo(9),
    ...(truth() && { deviation: upTo(9) }),
  }),
  dealt: () => ({ line: { at: upTo(2) }, help: help(), tries: upTo(2) }),
  classics: () =>
    record(() => ({
      outcome: { moves: oneOf(null, 3), count: null, nodes: numbers(), seconds: upTo(2) },
      engine: oneOf("1", "2"),
      when: upTo(2),
    })),
  record: () => ({
    start: "oo.",
    goal: "any",
    played: numbers().map((from) => ({ position: "oo.", from, to: 5 })),
    hinted: [],
  }),
  again: () => withoutTwins(Array.from({ length: upTo(3) }, entry)),
  kinds: () => record(() => ({ of: oneOf(4, 5), kinds: numbers() })),
  sets: () =>
    record(
      () => ({
        address: "/set?puzzle=x",
        problems: ["x oo. any", "x o.o any"],
        results: [oneOf("n", "o1", "l2", "l3"), oneOf("d9", "d8", "h7", "s7")],
        day: day(),
        row: upTo(2),
      }),
      ["k7q2x", "00000"],
    ),
  lessons: () => record(() => ({ guesses: upTo(3), right: upTo(3) }), ["1", "2"]),
  game: () => ({ url: `/puzzles/x?position=${oneOf("a", "b")}`, moves: upTo(2) }),
  visited: truth,
  learnt: truth,
  asked: truth,
  backup: () => oneOf(7, 30),
  method: () => oneOf("best", "deepening"),
  large: truth,
  known: () => record(() => ({ least: upTo(2), most: oneOf(null, 3) })),
  here: () => oneOf("/a", "/b"),
  making: () => oneOf("puzzle=a", "puzzle=b"),
  tab: () => oneOf("a", "b"),
  told: truth,
  imported: () => ({ cards: upTo(2), results: 0, others: 0, streak: upTo(2) }),
};

const helpIn = (/** @type {any} */ { help }) =>
  help ? Object.values(help).reduce((sum, part) => sum + Number(part), 0) : Infinity;
const isAsGood = (/** @type {any} */ one, /** @type {any} */ other) =>
  one.moves < other.moves || (one.moves === other.moves && helpIn(one) <= helpIn(other));
/** @param {(one: any, other: any) => boolean} test @returns {(all: any, part: any) => boolean} */
const everywhere = (test) => (all, part) =>
  Object.keys(part).every((name) => Object.hasOwn(all, name) && test(all[name], part[name]));

/** Whether a result of a set is as good as another. @param {string} one @param {string} other */
const isAsFar = (one, other) => RESULTS.indexOf(one) >= RESULTS.indexOf(other);
const RESULTS = ["n", "o1", "l2", "l3", "d9", "d8", "h7", "s7"];

/** Whether a merged value is nowhere worse than one of its parts. @type {Record<string, (all: any, part: any) => boolean>} */
const KEEPS = {
  results: everywhere(isAsGood),
  cards: everywhere((all, part) => isAsGood(all, part) && all.date <= part.date),
  attempts: everywhere(
    (all, part) =>
      helpIn(all) >= helpIn(part) &&
      all.tries >= part.tries &&
      all.day >= part.day &&
      (part.begun === undefined || all.begun <= part.begun) &&
      (part.ended === null || all.ended !== null),
  ),
  tally: everywhere((all, part) => all >= part),
  stream: (all, part) => all.played >= part.played && all.best >= part.best,
  classics: everywhere((all, part) => all.when >= part.when),
  record: (all, part) => all.played.length >= part.played.length,
  again: (all, part) =>
    part.every((/** @type {any} */ one) =>
      all.some((/** @type {any} */ other) =>
        one.card
          ? other.card === one.card && other.due <= one.due
          : other.position === one.position && !other.card && other.due <= one.due,
      ),
    ),
  kinds: everywhere((all, part) => all.kinds.length >= part.kinds.length || all.of !== part.of),
  lessons: everywhere((all, part) => all.right >= part.right),
  sets: everywhere(
    (all, part) =>
      all.day >= part.day &&
      all.results.every((/** @type {string} */ result, /** @type {number} */ at) =>
        isAsFar(result, part.results[at]),
      ),
  ),
  game: (all, part) => all.moves >= part.moves,
  visited: (all, part) => all || !part,
  learnt: (all, part) => all || !part,
  backup: (all, part) => all >= part,
  friends: (all, part) => Object.keys(part).every((card) => all[card] >= part[card]),
  drawings: (all, part) => Object.keys(part).every((id) => all[id] >= part[id]),
};

const keyOf = (/** @type {string} */ kind) => (kind === "game" ? "game/x" : kind);

test("every stored kind is tried", () => {
  assert.deepEqual(Object.keys(VALUES).sort(), [...KIND_NAMES].sort());
  assert.deepEqual([...Object.keys(KEEPS), ...OWN_KINDS].sort(), [...KIND_NAMES].sort());
});

for (const kind of KIND_NAMES) {
  const key = keyOf(kind);
  test(`${kind}: twice is once, and what is missing on one side is taken from the other`, () => {
    for (let tries = 0; tries < 100; tries += 1) {
      const value = VALUES[kind]();
      assert.ok(isWellFormed(key, value), JSON.stringify(value));
      const again = merged(key, value, value);
      assert.deepEqual(merged(key, again, value), again);
      assert.deepEqual(merged(key, null, value), value);
      assert.deepEqual(merged(key, value, null), value);
      assert.ok(isWellFormed(key, merged(key, value, VALUES[kind]())));
    }
  });
}

for (const kind of Object.keys(KEEPS)) {
  const key = keyOf(kind);
  test(`${kind}: the order does not matter, and nothing gets worse`, () => {
    for (let tries = 0; tries < 300; tries += 1) {
      const [one, two, three] = [VALUES[kind](), VALUES[kind](), VALUES[kind]()];
      const both = merged(key, one, two);
      assert.deepEqual(both, merged(key, two, one));
      assert.deepEqual(merged(key, both, one), both, "what is known already changes nothing");
      assert.deepEqual(merged(key, both, three), merged(key, one, merged(key, two, three)));
      for (const part of [one, two]) assert.ok(KEEPS[kind](both, part), JSON.stringify([both, part]));
    }
  });
}

for (const kind of OWN_KINDS) {
  test(`${kind}: what belongs to the device stays`, () => {
    const [one, two] = [VALUES[kind](), VALUES[kind]()];
    const both = merged(keyOf(kind), one, two);
    if (kind === "settings") assert.deepEqual(both, { ...two, ...one });
    else assert.deepEqual(both, one);
  });
}

test("two devices make one streak, and the import says what came", () => {
  const help = { hints: 0, checks: 0, solution: false, verdict: false };
  const solved = (/** @type {string[]} */ ...days) =>
    Object.fromEntries(
      days.map((date) => [`daily/${date}/mini`, { moves: 3, best: 3, help, tries: 1, date, line: "" }]),
    );
  const phone = solved("2026-11-21", "2026-11-22", "2026-11-23", "2026-11-24", "2026-11-25", "2026-11-27");
  const laptop = solved("2026-11-26");
  const all = merged("cards", phone, laptop);
  assert.equal(streakOf(all, "2026-11-27").days, 7);
  const asData = (/** @type {any} */ cards) => ({ "puzzles/cards": JSON.stringify(cards) });
  assert.deepEqual(whatCame(asData(phone), { ...asData(all), "puzzles/learnt": "true" }), {
    cards: 1,
    results: 0,
    others: 1,
  });
  assert.deepEqual(merged("cards", phone, {}), phone, "an empty file takes nothing away");
});
