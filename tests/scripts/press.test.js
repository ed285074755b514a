/** The meaning of presses, drops and directions on a square of nine holes. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import { begin } from "../../static/game/line.js";
import { Session } from "../../static/game/session.js";
import { drop, press, pushTowards, stepInDirection } from "../../static/game/press.js";

/** @param {number} from @param {number} to @returns {import("../../static/game/line.js").Step} */
const step = (from, to) => ({ from, to, cost: 1, position: "", verdict: "unknown", moves_left: null });
/** @type {[number, number][]} */
const POINTS = [0, 1, 2].flatMap((y) =>
  [0, 1, 2].map((x) => /** @type {[number, number]} */ ([x * 100, y * 100])),
);
const STEPS = [step(0, 2), step(8, 2), step(8, 6)];
const PEG = { empty: false, atOnce: false, taken: false };
const EMPTY = { ...PEG, empty: true };

test("a press on a piece selects it, and puts it down again if a press has selected it", () => {
  assert.deepEqual(press(STEPS, null, 0, PEG), { kind: "select", hole: 0 });
  assert.deepEqual(press(STEPS, 0, 8, PEG), { kind: "select", hole: 8 });
  assert.deepEqual(press(STEPS, 0, 0, { ...PEG, taken: true }), { kind: "cancel" });
});

test("a press on a goal of the selected piece plays the step", () => {
  assert.deepEqual(press(STEPS, 8, 2, EMPTY), { kind: "play", step: STEPS[1] });
});

test("a piece moves at once only if it has a single step", () => {
  assert.deepEqual(press(STEPS, null, 0, { ...PEG, atOnce: true }), { kind: "play", step: STEPS[0] });
  assert.deepEqual(press(STEPS, null, 8, { ...PEG, atOnce: true }), { kind: "select", hole: 8 });
});

test("a press that means nothing is refused with its reason", () => {
  assert.deepEqual(press(STEPS, null, 4, PEG), { kind: "refuse", why: "note.stuck", values: { hole: 4 } });
  assert.deepEqual(press(STEPS, null, 4, EMPTY), { kind: "refuse", why: "note.empty", values: { hole: 4 } });
  assert.deepEqual(press(STEPS, 0, 6, EMPTY), {
    kind: "refuse",
    why: "note.illegal",
    values: { from: 0, to: 6 },
  });
});

test("a drop plays, cancels or is refused", () => {
  assert.deepEqual(drop(STEPS, 8, 6), { kind: "play", step: STEPS[2] });
  for (const to of [null, 8]) assert.deepEqual(drop(STEPS, 8, to), { kind: "cancel" });
  assert.deepEqual(drop(STEPS, 8, 4), { kind: "refuse", why: "note.illegal", values: { from: 8, to: 4 } });
  assert.deepEqual(drop(STEPS, 4, 8), { kind: "refuse", why: "note.stuck", values: { hole: 4 } });
});

test("a direction means a step only if it is the only one", () => {
  assert.equal(stepInDirection(STEPS, [1, 0], POINTS), STEPS[0]);
  assert.equal(stepInDirection(STEPS, [0.9, 0.3], POINTS), STEPS[0]);
  assert.equal(stepInDirection(STEPS, [0, 1], POINTS), null);
  assert.equal(stepInDirection([...STEPS, step(3, 5)], [1, 0], POINTS), null);
});

test("a push moves every piece from the gap to the pressed hole, the nearest first", () => {
  const steps = [step(1, 0), step(3, 0)]; // the gap is hole 0
  assert.deepEqual(pushTowards(steps, 2, POINTS), [
    [1, 0],
    [2, 1],
  ]);
  assert.deepEqual(pushTowards(steps, 6, POINTS), [
    [3, 0],
    [6, 3],
  ]);
  assert.equal(pushTowards(steps, 1, POINTS), null, "one piece is no row");
  assert.equal(pushTowards(steps, 8, POINTS), null, "the diagonal begins with no step");
});

test("a press on a piece without a step leaves the selected piece and its targets in sight", async () => {
  const session = new Session(begin({ position: "oo.oo", verdict: "live", moves_left: 2 }));
  const steps = [{ ...step(0, 2), position: "..ooo" }];
  session.update({ analysis: { position: "oo.oo", verdict: "live", moves_left: 2, steps } });
  await session.press(0);
  await session.press(1);
  assert.equal(session.state.selected, 0);
  assert.equal(session.state.note?.key, "note.stuck");
});
