/** The rows of a search, and figures as text. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import * as texts from "../../static/ui/i18n.js";
import { proofSentences } from "../../static/search/proof_text.js";
import { pitchOf } from "../../static/search/tones.js";
import {
  branching,
  cutShare,
  duration,
  memoryText,
  powerOfTen,
  ratioText,
  rowOf,
  Rows,
} from "../../static/search/rows.js";

/** @param {number} limit @param {number} nodes @param {Partial<import("../../static/search/rows.js").Row>} [more]
 * @returns {import("../../static/search/rows.js").Row} */
const row = (limit, nodes, more) => ({
  limit,
  nodes,
  seconds: 1,
  cut: 0,
  whole: true,
  state: "exhausted",
  ...more,
});

for (const [seconds, text] of /** @type {const} */ ([
  [0, "<1 ms"],
  [0.0004, "<1 ms"],
  [0.001, "1 ms"],
  [0.9994, "999 ms"],
  [0.9996, "1 s"],
  [1.26, "1.3 s"],
  [9.96, "10 s"],
  [75.4, "75 s"],
  [4321, "4,321 s"],
])) {
  test(`${seconds} seconds are shown as ${text}`, () => assert.equal(duration(seconds), text));
}

test("ratios have one digit after the point below ten", () => {
  assert.deepEqual([3.44, 9.96, 119.6, 12345].map(ratioText), ["×3.4", "×10", "×120", "×12,345"]);
});

test("powers of ten are written with small digits", () => {
  assert.deepEqual([0, 1, 2, 10, 47].map(powerOfTen), ["1", "10", "10²", "10¹⁰", "10⁴⁷"]);
});

test("the share of pruned nodes is at most all of them, and empty if it is not known", () => {
  assert.deepEqual(
    [row(2, 73, { cut: 56 }), row(2, 73, { cut: 90 }), row(2, 73, { cut: null }), row(2, 0)].map(cutShare),
    ["77 %", "100 %", "", ""],
  );
});

test("memory has two digits, and is empty if it is not counted", () => {
  assert.deepEqual(
    [22_560, 180_256, 1_234_567, 987_654_321].map((memory) => memoryText({ memory })),
    ["23 kB", "180 kB", "1.2 MB", "990 MB"],
  );
  assert.equal(memoryText({}), "");
});

test("a uniform tree with the branching factor has the nodes of the row", () => {
  for (const [limit, nodes] of [
    [1, 8],
    [2, 73],
    [7, 118217],
    [3, 3],
    [2, 1],
  ]) {
    const factor = branching(row(limit, nodes)) ?? NaN;
    const sum = [...Array(limit).keys()].reduce((sum, depth) => sum + factor ** (depth + 1), 0);
    assert.ok(Math.abs(sum - nodes) < 1e-6 * nodes, `${limit}: ${sum} of ${nodes}`);
  }
  assert.deepEqual([branching(row(0, 5)), branching(row(3, 0))], [null, null]);
});

test("finished rows never change, and unfinished ones can be dropped", () => {
  const rows = new Rows();
  assert.ok(rows.set(row(1, 5, { state: "searching" })));
  assert.ok(rows.set(row(1, 17)));
  assert.ok(!rows.set(row(1, 99)));
  rows.set(row(2, 30, { state: "searching" }));
  rows.set(row(3, 2, { state: "stopped" }));
  assert.deepEqual([rows.nodes, rows.seconds, rows.finished.map(({ limit }) => limit)], [49, 3, [1, 3]]);
  assert.deepEqual(
    rows.dropUnfinished().map(({ limit }) => limit),
    [2, 3],
  );
  assert.deepEqual(rows.all, [row(1, 17)]);
});

test("growth needs the nodes of the limit before", () => {
  const rows = new Rows();
  for (const [limit, nodes] of [
    [1, 17],
    [2, 73],
    [4, 441],
    [5, 0],
    [6, 3],
  ])
    rows.set(row(limit, nodes));
  assert.deepEqual(
    rows.all.map((one) => rows.growth(one)),
    [null, 73 / 17, null, null, null],
  );
});

test("events become rows", () => {
  const base = { limit: 3, nodes: 9, seconds: 0.5 };
  const make = (/** @type {any} */ event) => rowOf({ ...base, ...event });
  assert.deepEqual(make({ type: "progress" }), { ...base, cut: null, whole: false, state: "searching" });
  assert.deepEqual(make({ type: "exhausted", cut: 4 }), { ...base, cut: 4, whole: true, state: "exhausted" });
  assert.deepEqual(make({ type: "solved", count: null, known: "kept" }), {
    ...base,
    cut: null,
    whole: false,
    state: "solved",
    known: "kept",
  });
  assert.equal(make({ type: "solved", count: 2 }).whole, true);
});

test("a proof is a sentence for each limit, and one for those ruled out at once", () => {
  const rows = [1, 2, 3].map((limit) => row(limit, 1));
  assert.deepEqual(
    proofSentences(
      [...rows, row(4, 46_081, { cut: 40_551 }), row(5, 900, { state: "solved", cut: null })],
      texts,
    ),
    [
      "Limits 1 to 3: ruled out at once, at the start.",
      "Limit 4: 46,081 nodes, and none of them solves it. 88\u00a0% of them were pruned.",
      "Limit 5: solved after 900 nodes. As every smaller limit is ruled out, no solution is shorter.",
    ],
  );
  assert.deepEqual(proofSentences([row(1, 1, { cut: 1 })], texts), [
    "Limit 1: 1 node, and it does not solve it.",
  ]);
  assert.deepEqual(proofSentences([row(2, 7, { state: "stopped", cut: null })], texts), [
    "Limit 2: stopped after 7 nodes; nothing is proved about it.",
  ]);
  assert.deepEqual(proofSentences([row(3, 9, { memory: 100 })], texts), [
    "Level 3: 9 positions, and none of them is solved.",
  ]);
});

test("a tone rises by an octave for a thousand times the nodes", () => {
  assert.equal(pitchOf(0), pitchOf(1));
  assert.ok(Math.abs(pitchOf(5_000_000) / pitchOf(5_000) - 2) < 1e-9);
});
