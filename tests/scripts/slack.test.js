/** Slack: the sum of the numbers under the pegs, what jumps use up of it, and what is left. */
import "./page.js";
import assert from "node:assert/strict";
import { test } from "node:test";

import { viewOf } from "../../static/game/board_view.js";
import { puzzle } from "../../static/game/position.js";
import { Session } from "../../static/game/session.js";
import { accountOf, paymentsOf, sumOf } from "../../static/game/slack.js";

/** @type {import("../../static/game/slack.js").Slack} */
const SLACK = { law: "sum", position: "oo.oo", weights: { 0: -1, 1: 1, 2: 1 }, sum: 0, goal_sum: 1 };
/** @param {number} from @param {number} to @param {string} position @returns {import("../../static/game/line.js").Step} */
const step = (from, to, position) => ({ from, to, position, cost: 1, verdict: "dead", moves_left: null });
/** @type {import("../../static/game/api.js").Analysis} */
const HERE = {
  position: "oo.oo",
  verdict: "dead",
  moves_left: null,
  steps: [step(0, 2, "..ooo:2"), step(4, 2, "ooo..:2")],
};

test("the sum adds the numbers under pegs", () => {
  assert.equal(sumOf({ 0: -1, 3: 5 }, "o.oo", "."), 4);
  assert.equal(sumOf([1, 2, 3], "o.r", "."), 4);
});

test("a jump costs what the sum loses by it", () => {
  assert.deepEqual(paymentsOf(SLACK, HERE, "."), [
    { from: 0, to: 2, price: -1 },
    { from: 4, to: 2, price: -1 },
  ]);
});

test("what is left is the sum less that of the goal", () => {
  assert.deepEqual(accountOf(SLACK, "oo.oo", "."), { sum: "0", goal: 1, n: -1 });
  assert.deepEqual(accountOf(SLACK, "o....:0", "."), { sum: "−1", goal: 1, n: -2 });
});

test("the board shows numbers and prices until a note has numbers of its own", () => {
  const session = new Session({ start: { ...HERE, verdict: "dead" }, steps: [], at: 0 });
  session.update({ analysis: HERE, slack: SLACK });
  const view = () => viewOf(puzzle, session.state, session.shown);
  assert.deepEqual(view().groups, [
    [-1, 0],
    [1, 1],
    [1, 2],
  ]);
  assert.equal(view().payments?.length, 2);
  session.update({ note: { key: "note.read", values: {}, groups: [[2, 4]] } });
  assert.deepEqual([view().groups, view().payments], [[[2, 4]], []]);
  session.update({ note: null, slack: null });
  assert.deepEqual([view().groups, view().payments], [[], []]);
});
