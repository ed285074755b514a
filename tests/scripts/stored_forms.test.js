/** The forms of stored values. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { isWellFormed, rightParts } from "../../static/ui/stored_forms.js";

const RUN = { outcome: { moves: null, count: 3, nodes: [1, 2], seconds: 0.5 }, engine: "1", when: 5 };

/** Values of a right form, by key. @type {[string, unknown][]} */
const RIGHT = [
  ["settings", { theme: "dark", numbers: null, keys: { hint: "x" } }],
  ["settings", { later: [1] }],
  ["results/row", { "oo.oo|..o..": { moves: 2, best: 2 }, "a|b": { moves: 3, best: null } }],
  ["results/row", {}],
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
  [
    "results/row",
    { a: null, b: { moves: "7" }, c: { moves: 7, best: 7 }, d: { moves: -1 }, e: { moves: 1.5 } },
    { c: { moves: 7, best: 7 } },
  ],
  ["game/row", { url: "javascript:alert()", moves: 1 }, null],
  ["game/row", { url: "https://x/puzzles/row?", moves: 1 }, null],
  ["game/row", { url: "/puzzles/row?x", moves: "1" }, null],
  ["known/row/goal", { a: { least: 1 }, b: 5 }, {}],
  ["classics", { a: RUN, b: { ...RUN, when: 1e300 }, c: { ...RUN, outcome: {} } }, { a: RUN }],
  ["method/row", 7, null],
  ["unknown", 1, null],
  ["constructor", {}, null],
];
for (const [key, value, parts] of WRONG) {
  test(`wrong: ${key} ${JSON.stringify(value)}`, () => {
    assert.deepEqual(rightParts(key, value), parts);
    assert.ok(!isWellFormed(key, value));
  });
}
