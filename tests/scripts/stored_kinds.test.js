/** The forms of stored values. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { isWellFormed, rightParts } from "../../static/ui/stored_kinds.js";

const HELP = { hints: 1, checks: 0, solution: false, verdict: true };
const TOLD = { ...HELP, told: true };
const END = { line: "0-6", tries: 1, help: HELP };
const RUN = { outcome: { moves: null, count: 3, nodes: [1, 2], seconds: 0.5 }, engine: "1", when: 5 };

/** Values of a right form, by key. @type {[string, unknown][]} */
const RIGHT = [
  ["settings", { theme: "dark", numbers: null, keys: { hint: "x" } }],
  ["settings", { later: [1] }],
  ["results/row", { "oo.oo|..o..": { moves: 2, best: 2 }, "a|b": { moves: 3, best: null } }],
  ["results/row", {}],
  ["results/row", { "a|b": { moves: 7, best: 7, help: HELP, tries: 2 } }],
  ["cards", { "hoppers/17": { moves: 7, best: 7, help: HELP, tries: 2, date: "2026-01-31", line: "0-6" } }],
  ["attempts/row", { "a|b": { help: HELP, tries: 0, day: "2026-01-31" } }],
  ["attempts/row", { "a|b": { help: TOLD, tries: 0, ended: null, day: "2026-01-31" } }],
  ["attempts/row", { "a|b": { help: TOLD, tries: 1, ended: END, day: "2026-01-31" } }],
  ["results/row", { "a|b": { moves: 7, best: 7, help: TOLD, tries: 2 } }],
  ["tally/row", { optimal: 3 }],
  ["friends", { "daily/2026-01-31/mini": "#s-3-1-bbb" }],
  ["attempts/row", { "a|b": { help: { ...TOLD, reviewed: true }, tries: 0, day: "2026-01-31" } }],
  ["game/hoppers/17", { url: "/decks/hoppers/17?position=x", moves: 0 }],
  ["game/daily/2026-01-31", { url: "/daily/2026-01-31?position=x", moves: 0 }],
  ["game/row", { url: "/puzzles/row?position=x", moves: 0 }],
  ["known/row/goal", { a: { least: 1, most: null } }],
  ["classics", { a: RUN }],
  ["method/row", "deepening"],
  ["visited", true],
  ["anything", null],
];
for (const [key, value] of RIGHT) {
  test(`right: ${key} ${JSON.stringify(value)}`, () => assert.ok(isWellFormed(key, value)));
}

/** Values of a wrong form, and what is read of them. @type {[string, unknown, unknown][]} */
const WRONG = [
  ["settings", { theme: "dark", assistance: 5, keys: [1] }, { theme: "dark" }],
  ["settings", { keys: { hint: 5 }, numbers: 0 }, {}],
  ["settings", [], null],
  ["settings", 5, null],
  ["settings", { theme: "pink", sounds: 1 }, {}],
  [
    "results/row",
    { a: null, b: { moves: "7" }, c: { moves: 7, best: 7 }, d: { moves: -1 }, e: { moves: 1.5 } },
    { c: { moves: 7, best: 7 } },
  ],
  ["results/row", [], null],
  ["friends", { a: "#s-3-1-bbb", b: "#s-3-1-<b>", c: 3 }, { a: "#s-3-1-bbb" }],
  ["results/row", { a: {} }, {}],
  ["game/row", "x", null],
  ["game/row", {}, null],
  ["game/row", { url: "/puzzles/other?x", moves: 1 }, null],
  ["game/row", { url: "javascript:alert()", moves: 1 }, null],
  ["game/row", { url: "https://x/puzzles/row?", moves: 1 }, null],
  ["game/row", { url: "/puzzles/row?x", moves: "1" }, null],
  ["game/hoppers/17", { url: "//decks/hoppers/17?x", moves: 1 }, null],
  ["results/row", { a: { moves: 7, best: 7, help: { ...HELP, hints: -1 } } }, {}],
  ["cards", { a: { moves: 7, best: 7 }, b: null }, {}],
  ["attempts/row", { a: { help: {}, tries: 1, day: "x" } }, {}],
  ["attempts/row", { a: { help: { ...HELP, told: 1 }, tries: 1, day: "x" } }, {}],
  ["attempts/row", { a: { help: HELP, tries: 1, ended: { ...END, line: 5 }, day: "x" } }, {}],
  ["known/row/goal", { a: { least: 1 }, b: 5 }, {}],
  ["classics", { a: RUN, b: { ...RUN, when: 1e300 }, c: { ...RUN, outcome: {} } }, { a: RUN }],
  ["classics", 7, null],
  ["method/row", 7, null],
  ["method/row", {}, null],
  ["unknown", 1, null],
  ["unknown", {}, null],
  ["constructor", {}, null],
];
for (const [key, value, parts] of WRONG) {
  test(`wrong: ${key} ${JSON.stringify(value)}`, () => {
    assert.deepEqual(rightParts(key, value), parts);
    assert.ok(!isWellFormed(key, value));
  });
}
