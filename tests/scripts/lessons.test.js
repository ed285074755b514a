/** Guesses, codes of results, a search by hand, weights, and the line of code of an event. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { extrapolated, isRight, judge, readGuess } from "../../static/lessons/bets.js";
import { Refutation } from "../../static/lessons/refutation.js";
import { codeOf, resultOf } from "../../static/lessons/result_code.js";
import { sumOf } from "../../static/game/slack.js";
import { gains, nextWeight } from "../../static/lessons/weights.js";
import { lineOf } from "../../static/search/pseudo_code.js";

test("a guess may be written with separators and in full width", () => {
  for (const text of ["2553", "2,553", " 2 553 ", "２，５５３", "2'553"]) assert.equal(readGuess(text), 2553);
  for (const text of ["", "two", "-5", "2.5", "1e3", "9".repeat(30)]) assert.equal(readGuess(text), null);
});

test("a guess is right up to one and a half times, both ways", () => {
  assert.deepEqual(
    [100, 150, 151, 67, 66, 0].map((guess) => judge(guess, 100)),
    ["exact", "near", "high", "near", "low", "low"],
  );
  assert.equal(judge(4, 3, 1), "high");
  assert.ok(isRight("exact") && isRight("near") && !isRight("low") && !isRight("high"));
});

test("nodes of a later limit go on growing at the last rate", () => {
  assert.equal(extrapolated([1, 10, 20], 3), 20);
  assert.equal(extrapolated([1, 10, 20], 5), 80);
});

test("a code of a result is read back, with signs that look alike", () => {
  for (const seed of [null, 0, 7, 9999]) {
    const result = { lesson: 8, guesses: 12, right: 5, seed };
    assert.deepEqual(resultOf(codeOf(result)), result);
  }
  const code = codeOf({ lesson: 1, guesses: 1, right: 1, seed: null });
  assert.match(code, /^[0-9A-Z]{4}-[0-9A-Z]{4}$/);
  assert.deepEqual(resultOf(code.toLowerCase().replaceAll("0", "o").replace("-", " ")), resultOf(code));
});

test("a code with one wrong sign, or two exchanged, is refused", () => {
  const code = codeOf({ lesson: 4, guesses: 6, right: 3, seed: 21 }).replace("-", "");
  let [changed, refused] = [0, 0];
  const check = (/** @type {string} */ other) => {
    changed++;
    refused += Number(resultOf(other) === null);
  };
  for (let place = 0; place < code.length; place++) {
    for (const sign of "0123456789ABCDEFGHJKMNPQRSTVWXYZ")
      if (sign !== code[place]) check(code.slice(0, place) + sign + code.slice(place + 1));
    const [a, b] = code.slice(place, place + 2);
    if (b && a !== b) check(code.slice(0, place) + b + a + code.slice(place + 2));
  }
  assert.ok(changed > 250);
  assert.equal(refused, changed);
  for (const text of ["", "4", "UUUU-UUUU", "0000-0000-0000"]) assert.equal(resultOf(text), null);
});

/** Search a tree by hand, in the order of its steps; return the state at the end.
 * @param {Record<string, [to: string, cost: number][]>} tree @param {number} limit */
function searched(tree, limit) {
  const search = new Refutation(limit);
  const steps = (/** @type {string} */ name) =>
    tree[name].map(([position, cost], to) => ({ from: 0, to, position, cost }));
  search.enter("root", 0, steps("root"));
  for (search.retreat(); search.place; search.retreat()) {
    const { left, spent } = search.place;
    const step = search.take(0, left[0].to);
    assert.ok(step);
    search.enter(step.position, spent + step.cost, steps(step.position));
  }
  return search;
}

test("a search by hand counts the nodes that the limit prunes, and ends when nothing is left", () => {
  /** @type {Record<string, [string, number][]>} */
  const tree = { root: [["a", 1], ["b", 1]], a: [["c", 0], ["d", 1]], b: [], c: [["e", 1]], d: [], e: [] }; // prettier-ignore
  const [one, two] = [searched(tree, 1), searched(tree, 2)];
  assert.ok(one.isOver && two.isOver);
  assert.equal(one.nodes, 1 + 2 + 1 + 1 + 1); // root, a, b, c; d and e are pruned
  assert.equal(one.events.filter(({ kind }) => kind === "limit").length, 2);
  assert.equal(two.nodes, 6);
  assert.equal(two.events.filter(({ kind }) => kind === "limit").length, 0);
});

test("a step that was tried cannot be tried again", () => {
  const search = new Refutation(2);
  search.enter("root", 0, [{ from: 0, to: 2, position: "a", cost: 1 }]);
  assert.ok(search.take(0, 2));
  assert.equal(search.take(0, 2), null);
  assert.ok(!new Refutation(1).isOver);
});

test("weights are a proof if no jump gains and the goal outweighs the pegs", () => {
  /** @type {[number, number, number][]} */
  const jumps = [
    [0, 1, 2],
    [2, 1, 0],
  ];
  assert.deepEqual(gains([0, 0, 1], jumps), [[0, 1, 2]]);
  assert.deepEqual(gains([1, 0, 1], jumps), []);
  assert.deepEqual(gains([1, -1, 1], jumps), jumps);
  assert.equal(sumOf([1, 2, 3], "o.o", "."), 4);
});

test("presses go through all weights and come back", () => {
  let weight = 0;
  const seen = new Set();
  for (; !seen.has(weight); weight = nextWeight(weight)) seen.add(weight);
  assert.deepEqual([...seen], [0, 1, 2, 3, -1]);
});

test("an event is marked in the line of its kind; the beginning of a search has a line of its own", () => {
  /** @type {[string, string[]][]} */
  const code = [
    ["for limit in 1, 2, 3, …:", ["root", "end"]],
    ["search(position, g):", ["enter"]],
    ["  if g > limit: prune", ["limit", "bound"]],
  ];
  const at = (/** @type {string} */ kind, depth = 1) => lineOf(code, { kind, depth });
  assert.deepEqual(
    [at("enter", 0), at("enter"), at("end", 0), at("limit"), at("class", 0)],
    [0, 1, 0, 2, -1],
  );
  assert.equal(at("bound", 0), 2);
  assert.equal(
    lineOf([...code, ["  if h(start) > limit: prune", ["root bound"]]], { kind: "bound", depth: 0 }),
    3,
  );
});
