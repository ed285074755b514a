/** The review of a game: its record, what its steps cost, and how much random play would have found. */
import assert from "node:assert/strict";
import { test } from "node:test";

import * as lines from "../../static/game/line.js";
import * as attempts from "../../static/review/attempt.js";
import * as grades from "../../static/review/grades.js";
import * as records from "../../static/review/record.js";

/** @typedef {import("../../static/game/line.js").Step} Step */
/** @typedef {import("../../static/review/grades.js").Analysis} Analysis */

/**
 * A game of five positions. Fewest moves: A 3, B 2, C 1; from D one more than necessary; X is dead.
 * A: to B (best), D (costs 1), X (lost). B: to C (best), X. C: to Z (solved). D: to B (cost 0 there).
 * @type {Record<string, { left: number | null, to: Record<string, string> }>}
 */
const GRAPH = {
  A: { left: 3, to: { "0-1": "B", "0-2": "D", "0-3": "X" } },
  B: { left: 2, to: { "1-1": "C", "1-2": "X" } },
  C: { left: 1, to: { "2-1": "Z" } },
  D: { left: 3, to: { "3-1": "B" } },
  X: { left: null, to: { "4-1": "Y" } },
  Y: { left: null, to: {} },
  Z: { left: 0, to: {} },
};

/** @param {string} name @returns {import("../../static/game/line.js").PositionVerdict} */
const known = (name) => ({
  position: name,
  verdict: name === "Z" ? "solved" : GRAPH[name].left === null ? "dead" : "live",
  moves_left: GRAPH[name].left,
});
/** @param {string} from @param {string} key @returns {Step} */
function step(from, key) {
  const [origin, target] = key.split("-").map(Number);
  return { ...known(GRAPH[from].to[key]), from: origin, to: target, cost: 1 };
}
/** @type {grades.Analyses} */
const ANALYSES = new Map(
  Object.keys(GRAPH).map((name) => [
    name,
    { ...known(name), steps: Object.keys(GRAPH[name].to).map((key) => step(name, key)) },
  ]),
);

/** Return line and record of a game. Steps are written as in `GRAPH`; "<" takes a step back, "<<" all.
 * @param {string} script */
function game(script) {
  let line = lines.begin(known("A"));
  let record = records.newRecord("A", "Z");
  for (const word of script.split(" ")) {
    const here = lines.positionAt(line).position;
    const next =
      word === "<"
        ? lines.movedTo(line, line.at - 1)
        : word === "<<"
          ? lines.movedTo(line, 0)
          : lines.played(line, step(here, word));
    record = records.withLine(record, line, next);
    line = next;
  }
  return { line, record };
}
const OPTIMAL = "0-1 1-1 2-1";

test("a record keeps every step once, in the order of the first time", () => {
  const { record } = game(`0-3 < 0-2 << ${OPTIMAL}`);
  assert.deepEqual(record.played.map(records.keyOf), ["A 0-3", "A 0-2", "A 0-1", "B 1-1", "C 2-1"]);
});

test("the last try has no slips of the tries before it", () => {
  const { line } = game(OPTIMAL);
  const { record } = game("0-3 <<");
  const later = records.withLine(records.withNewTry(record), lines.movedTo(line, 0), line);
  assert.deepEqual(later.played.map(records.keyOf), ["A 0-3", "A 0-1", "B 1-1", "C 2-1"]);
  assert.deepEqual(records.ofLastTry(later).played.map(records.keyOf), ["A 0-1", "B 1-1", "C 2-1"]);
  assert.deepEqual(
    records.ofLastTry({ ...later, tried: undefined }).played,
    later.played,
    "of an earlier version",
  );
});

test("a game from another start has a record of its own", () => {
  const { line, record } = game("0-1");
  const other = lines.played(lines.begin(known("D")), step("D", "3-1"));
  const renewed = records.withLine(records.withHint(record, "A", 1), line, other);
  assert.deepEqual([renewed.start, renewed.hinted, renewed.played.map(records.keyOf)], ["D", [], ["D 3-1"]]);
});

test("a line that is opened as a whole is recorded as a whole", () => {
  const { line } = game(OPTIMAL);
  const record = records.withLine(records.newRecord("A", "Z"), lines.movedTo(line, 0), line);
  assert.equal(record.played.length, 3);
});

test("steps cost what they add to the fewest moves", () => {
  const grade = (/** @type {string} */ from, /** @type {string} */ key) =>
    grades.gradeOf(known(from), step(from, key));
  assert.deepEqual(grade("A", "0-1"), { kind: "best", cost: 0 });
  assert.deepEqual(grade("A", "0-2"), { kind: "costs", cost: 1 });
  assert.deepEqual(grade("A", "0-3"), { kind: "lost", cost: null });
  assert.deepEqual(grade("X", "4-1"), { kind: "late", cost: null });
});

test("what is not proved has no cost", () => {
  /** @type {import("../../static/game/line.js").PositionVerdict} */
  const bounded = { position: "Q", verdict: "live", moves_left: null, bounds: { least: 2, most: 4 } };
  assert.equal(grades.gradeOf(bounded, step("A", "0-1")).kind, "open");
  assert.equal(grades.gradeOf({ ...bounded, verdict: "unknown" }, step("A", "0-3")).kind, "open");
  assert.equal(
    grades.gradeOf(bounded, step("A", "0-3")).kind,
    "lost",
    "known solvable, proved dead after it",
  );
  const { line, record } = game("0-1");
  const open = new Map([["A", { ...bounded, position: "A", steps: [step("A", "0-1")] }]]);
  const graded = grades.gradedMoves(line, record, open);
  assert.deepEqual([grades.isExact(graded), grades.bitsOf(graded, record, open)], [false, null]);
});

test("costs of a line add up to the moves beyond the fewest", () => {
  for (const script of [OPTIMAL, `0-2 3-1 1-1 2-1`]) {
    const { line, record } = game(script);
    const cost = grades
      .gradedMoves(line, record, ANALYSES)
      .reduce((sum, { grade }) => sum + (grade.cost ?? NaN), 0);
    assert.equal(cost, lines.movesMade(line) - 3);
  }
});

test("every move has one sign, the worst that happened there; help goes before all", () => {
  const signs = (/** @type {ReturnType<typeof game>} */ { line, record }) =>
    grades.gradedMoves(line, record, ANALYSES).map(({ sign }) => sign);
  assert.deepEqual(signs(game(OPTIMAL)), ["best", "best", "best"]);
  assert.deepEqual(signs(game("0-2 3-1 1-1 2-1")), ["costs", "best", "best", "best"]);
  assert.deepEqual(signs(game("0-1 1-2 < 1-1 2-1")), ["best", "lost", "best"]);
  assert.deepEqual(signs(game("0-3 4-1")), ["lost", "late"]);
  const { line, record } = game(OPTIMAL);
  assert.deepEqual(signs({ line, record: records.withHintsOf(records.withHint(record, "B", 1), 1) }), [
    "best",
    "help",
    "best",
  ]);
});

test("a run of jumps is one move with the sum of its costs", () => {
  const run = [
    { ...step("A", "0-2"), to: 3 },
    { ...step("D", "3-1"), cost: 0, moves_left: 3 },
  ];
  const line = run.reduce(lines.played, lines.begin(known("A")));
  const analyses = new Map([
    ["A", { ...known("A"), steps: [run[0]] }],
    ["D", { ...known("D"), steps: [run[1]] }],
  ]);
  const graded = grades.gradedMoves(line, records.newRecord("A", "Z"), analyses);
  assert.deepEqual(
    graded.map(({ holes, grade }) => [holes, grade]),
    [[[0, 3, 1], { kind: "costs", cost: 1 }]],
  );
});

test("places are those where a step cost moves or lost, the line's first", () => {
  const { line, record } = game(`0-2 3-1 1-2 << ${OPTIMAL}`);
  const places = grades.placesOf(line, record, ANALYSES);
  assert.deepEqual(
    places.map(({ position, kind, move, at }) => [position, kind, move, at]),
    [
      ["A", "costs", 1, 0],
      ["B", "lost", 2, 1],
    ],
  );
  for (const { position, kind, step } of places)
    assert.equal(
      grades.gradeOfPlayed({ position, from: step?.from ?? -1, to: step?.to ?? -1 }, ANALYSES).kind,
      kind,
    );
  assert.deepEqual(grades.placesOf(game(OPTIMAL).line, game(OPTIMAL).record, ANALYSES), []);
  const away = game(`0-3 < 0-2 3-1 1-2 <<`);
  assert.deepEqual(
    grades
      .placesOf(away.line, away.record, ANALYSES)
      .map(({ position, kind, move }) => [position, kind, move]),
    [
      ["A", "lost", null],
      ["B", "lost", null],
    ],
  );
});

/** Return the chance by counting all choices of `tries` steps, the first `good` of which are good.
 * @param {number} legal @param {number} good @param {number} tries */
function countedChance(legal, good, tries) {
  let [all, hits] = [0, 0];
  for (let chosen = 0; chosen < 1 << legal; chosen += 1) {
    const numbers = Array.from({ length: legal }, (_, number) => number).filter(
      (number) => chosen & (1 << number),
    );
    if (numbers.length !== tries) continue;
    all += 1;
    hits += Number(numbers.some((number) => number < good));
  }
  return hits / all;
}

test("chances of random tries are those of counting all choices", () => {
  for (let legal = 1; legal <= 9; legal += 1)
    for (let good = 1; good <= legal; good += 1)
      for (let tries = 1; tries <= legal; tries += 1)
        assert.ok(
          Math.abs(grades.chanceOf(legal, good, tries) - countedChance(legal, good, tries)) < 1e-12,
          `${legal} ${good} ${tries}`,
        );
});

test("skill is what random tries would not have found, luck the rest, help what was shown", () => {
  const bits = (/** @type {ReturnType<typeof game>} */ { line, record }) =>
    grades.bitsOf(grades.gradedMoves(line, record, ANALYSES), record, ANALYSES);
  const near = (/** @type {grades.Bits | null} */ found, /** @type {grades.Bits} */ right) => {
    for (const part of /** @type {const} */ (["skill", "luck", "help"]))
      assert.ok(
        found && Math.abs(found[part] - right[part]) < 1e-12,
        `${part}: ${found?.[part]}, not ${right[part]}`,
      );
  };
  const whole = Math.log2(3) + 1; // one good step of three, then one of two, then the only one
  near(bits(game(OPTIMAL)), { skill: whole, luck: 0, help: 0 });
  const { line, record } = game(OPTIMAL);
  near(bits({ line, record: records.withHintsOf(records.withHint(record, "B", 1), 1) }), {
    skill: Math.log2(3),
    luck: 0,
    help: 1,
  });
  // two of three tried at A: random tries find the good one in two of three cases
  near(bits(game(`0-2 < ${OPTIMAL}`)), { skill: 1 + Math.log2(3 / 2), luck: 1, help: 0 });
  // all tried at A: no skill is left there
  near(bits(game(`0-2 < 0-3 < ${OPTIMAL}`)), { skill: 1, luck: Math.log2(3), help: 0 });
  near(bits(game("0-3 4-1")), { skill: 0, luck: 0, help: 0 });
});

test("any step without cost is right, and only the first answer counts", () => {
  const analysis = /** @type {Analysis} */ (ANALYSES.get("A"));
  const first = attempts.newAttempt("A");
  const right = attempts.answered(first, analysis, { from: 0, to: 1 });
  assert.ok(attempts.isRight(right));
  const wrong = attempts.answered(first, analysis, { from: 0, to: 3 });
  assert.deepEqual([wrong.found, wrong.wrong, wrong.last?.kind], [false, 1, "lost"]);
  const later = attempts.answered(wrong, analysis, { from: 0, to: 1 });
  assert.deepEqual([later.found, attempts.isRight(later)], [true, false]);
  assert.equal(attempts.answered(right, analysis, { from: 0, to: 3 }), right, "found is found");
  assert.equal(attempts.answered(first, analysis, { from: 7, to: 8 }), first, "no legal step, no answer");
  assert.ok(
    !attempts.isRight(attempts.answered(attempts.withAnswerShown(first), analysis, { from: 0, to: 1 })),
  );
  const equal = { ...analysis, steps: [...analysis.steps, { ...step("A", "0-1"), to: 9 }] };
  assert.ok(attempts.isRight(attempts.answered(first, equal, { from: 0, to: 9 })));
  assert.equal(attempts.goodSteps(equal).length, 2);
});

test("a hint counts in the try in which it was shown", () => {
  const record = records.withHint(records.withHint(records.newRecord("A", "6"), "A", 2), "A:6", 1);
  const shown = (/** @type {number} */ tryNumber) => records.withHintsOf(record, tryNumber).hinted;
  assert.deepEqual([shown(1), shown(2), shown(3)], [["A:6"], ["A"], []]);
  assert.equal(records.withHint(record, "A", 2), record);
  const again = records.withHint(record, "A", 3);
  assert.deepEqual(records.withHintsOf(again, 3).hinted, ["A"]);
  assert.deepEqual(records.withHintsOf({ ...record, hinted: ["B"] }, 1).hinted, ["B"]); // of an earlier version
});
