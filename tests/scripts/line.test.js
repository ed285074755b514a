/** Lines of play: undo, redo, moves, bounds and verdicts. */
import assert from "node:assert/strict";
import { test } from "node:test";

import * as lines from "../../static/game/line.js";

/** @typedef {import("../../static/game/line.js").Line} Line */

/** @param {string} position @param {Partial<lines.PositionVerdict>} [more] @returns {lines.PositionVerdict} */
const at = (position, more) => ({ position, verdict: "unknown", moves_left: null, ...more });
/** @param {number} from @param {number} to @param {number} cost @param {string} position @param {Partial<lines.Step>} [more] @returns {lines.Step} */
const step = (from, to, cost, position, more) => ({ ...at(position), from, to, cost, ...more });
/** @param {lines.Step[]} steps @returns {Line} */
const after = (...steps) => steps.reduce(lines.played, lines.begin(at("start")));

/** Three moves, the second of three jumps; the active peg is behind the colon. */
const CHAIN = after(
  step(9, 3, 1, "a"),
  step(2, 0, 1, "b:0"),
  step(0, 6, 0, "c:6"),
  step(6, 8, 0, "d"),
  step(1, 5, 1, "e"),
);

test("moves are grouped, counted and written as text", () => {
  assert.deepEqual(
    lines.moves(CHAIN).map(({ holes, first, end }) => [holes, first, end]),
    [
      [[9, 3], 0, 1],
      [[2, 0, 6, 8], 1, 4],
      [[1, 5], 4, 5],
    ],
  );
  assert.deepEqual([lines.movesMade(CHAIN), lines.movesMade(CHAIN, 3), lines.movesMade(CHAIN, 0)], [3, 2, 0]);
  assert.equal(lines.lineText(CHAIN), "9-3.2-0-6-8.1-5");
  assert.equal(lines.lineText(lines.movedTo(CHAIN, 3)), "9-3.2-0-6");
});

test("undo takes back a step inside a move, else the whole move; the other way round if asked", () => {
  const undone = (/** @type {number} */ place, other = false) =>
    lines.undoTarget(lines.movedTo(CHAIN, place), other);
  assert.deepEqual(
    [5, 4, 3, 2, 1].map((place) => undone(place)),
    [4, 1, 2, 1, 0],
  );
  assert.deepEqual(
    [4, 3].map((place) => undone(place, true)),
    [3, 1],
  );
});

test("redo plays the whole next move, or a step inside a move", () => {
  const redone = (/** @type {number} */ place, other = false) =>
    lines.redoTarget(lines.movedTo(CHAIN, place), other);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((place) => redone(place)),
    [1, 4, 3, 4, 5],
  );
  assert.deepEqual(
    [1, 2].map((place) => redone(place, true)),
    [2, 4],
  );
});

test("a push is one move to undo and redo", () => {
  const pushed = after(
    step(1, 0, 1, "a"),
    step(2, 1, 1, "b", { pushed: true }),
    step(3, 2, 1, "c", { pushed: true }),
  );
  assert.equal(lines.undoTarget(pushed), 0);
  assert.equal(lines.redoTarget(lines.movedTo(pushed, 0)), 3);
});

test("another step drops the undone ones, and the same step keeps them", () => {
  const back = lines.movedTo(CHAIN, 1);
  assert.deepEqual(lines.played(back, CHAIN.steps[1]), { ...CHAIN, at: 2 });
  assert.deepEqual(
    lines.played(back, step(7, 4, 1, "f")).steps.map(({ position }) => position),
    ["a", "f"],
  );
});

test("places on a line are clamped, and found by their positions", () => {
  assert.deepEqual(
    [-3, 99].map((place) => lines.movedTo(CHAIN, place).at),
    [0, 5],
  );
  assert.deepEqual(
    ["start", "c:6", "z"].map((position) => lines.stepsTo(CHAIN, position)),
    [0, 3, -1],
  );
});

test("the active peg may continue, and a note says so", () => {
  const [open, closed] = [lines.movedTo(CHAIN, 3), CHAIN];
  assert.deepEqual([lines.activeHole(open), lines.activeHole(closed)], [6, null]);
  assert.deepEqual([lines.chainNote(open)?.key, lines.chainNote(closed)], ["note.chain", null]);
});

test("only a solved position after a step is won", () => {
  assert.ok(!lines.isWon(lines.begin(at("start", { verdict: "solved" }))));
  assert.ok(lines.isWon(after(step(0, 1, 1, "a", { verdict: "solved" }))));
});

test("the last places before a dead end and off the shortest line are known", () => {
  const line = {
    ...after(
      step(0, 1, 1, "a", { verdict: "live", moves_left: 2 }),
      step(1, 2, 1, "b", { verdict: "live", moves_left: 3 }),
      step(2, 3, 1, "c", { verdict: "dead" }),
    ),
    start: at("start", { verdict: /** @type {const} */ ("live"), moves_left: 3 }),
  };
  assert.deepEqual([lines.lastNotDead(line), lines.lastWithFewest(line)], [2, 1]);
  assert.deepEqual(
    [0, 1, 2, 3].map((place) => lines.needsMoreThanFewest(line, place)),
    [false, false, true, false],
  );
});

test("bounds of a line hold for the position on its board", () => {
  const line = lines.movedTo(CHAIN, 1);
  const known = { start: { least: 6, most: null }, d: { least: 0, most: 4 } };
  // five moves at least after the first; four more after `d` make five from `a`
  assert.deepEqual(lines.boundsOf(line, known), { least: 5, most: 5 });
  assert.deepEqual(lines.boundsOf(line, {}), { least: 0, most: null });
});

test("bounds only tighten, and the same record is returned if nothing changes", () => {
  const known = lines.withBounds({}, "a", { least: 3, most: 9 });
  assert.equal(lines.withBounds(known, "a", { least: 2, most: 10 }), known);
  assert.deepEqual(lines.withBounds(known, "a", { least: 4, most: 8 }), { a: { least: 4, most: 8 } });
});

test("a line that solves the puzzle bounds every position on it", () => {
  const solved = after(step(0, 2, 1, "a:2"), step(2, 4, 0, "b"), step(1, 3, 1, "c", { verdict: "solved" }));
  const most = Object.entries(lines.withSolutionBounds({}, solved)).map(([position, bounds]) => [
    position,
    bounds.most,
  ]);
  assert.deepEqual(most, [
    ["start", 2],
    ["a:2", 1],
    ["b", 1],
    ["c", 0],
  ]);
  assert.deepEqual(lines.withSolutionBounds({}, CHAIN), {});
});

test("a newer verdict replaces one that is not decided", () => {
  const verdict = at("a", { verdict: "live", moves_left: 4 });
  const line = lines.withVerdict(CHAIN, verdict);
  assert.deepEqual([line.steps[0].verdict, line.steps[0].moves_left, line.steps[0].from], ["live", 4, 9]);
  assert.equal(lines.withVerdict(line, at("a")), line, "a proved number stays");
  assert.equal(lines.withVerdict(CHAIN, at("z", { verdict: "dead" })), CHAIN);
});

test("equal bounds are a proved number of moves", () => {
  const line = lines.begin(at("start"));
  const best = (/** @type {lines.Bounds} */ bounds) => lines.withBestVerdict(line, { start: bounds }).start;
  assert.deepEqual(
    best({ least: 3, most: 3 }),
    at("start", { verdict: "live", moves_left: 3, bounds: null }),
  );
  assert.deepEqual(
    best({ least: 2, most: 3 }),
    at("start", { verdict: "live", bounds: { least: 2, most: 3 } }),
  );
  assert.equal(best({ least: 2, most: null }), line.start);
});
