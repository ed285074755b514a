/** Codes of the results of a set: short, read as written, and refused when they are wrong or of another set. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { begin } from "../../static/game/line.js";
import { NO_HELP } from "../../static/game/help.js";
import { codeOf, readCode, readCodes, resultOf } from "../../static/review/set_code.js";

/** @typedef {import("../../static/review/set_code.js").Result} Result */

const SET = "k7q2x";
/** @type {Result[]} */
const RESULTS = ["s6", "d9", "l4", "n", "h10"];

/** Return a line with a step for each verdict; each begins a move. @param {number | null} fewest
 * @param {...import("../../static/game/line.js").Verdict} verdicts */
function lineOf(fewest, ...verdicts) {
  const [first, ...others] = verdicts;
  const start = { position: "0", verdict: first, moves_left: fewest };
  const steps = others.map((verdict, index) => {
    return { position: String(index + 1), verdict, moves_left: null, from: 0, to: 1, cost: 1 };
  });
  return { ...begin(start), steps, at: steps.length };
}

test("a result says what was solved in how many moves, and where it was lost", () => {
  assert.equal(resultOf(lineOf(2, "live", "live", "solved"), NO_HELP), "s2");
  assert.equal(resultOf(lineOf(2, "live", "live", "solved"), { ...NO_HELP, hints: 1 }), "h2");
  assert.equal(resultOf(lineOf(1, "live", "live", "solved"), NO_HELP), "d2");
  assert.equal(resultOf(lineOf(null, "live", "live", "solved"), NO_HELP), "d2");
  assert.equal(resultOf(lineOf(3, "live", "live", "dead", "dead"), NO_HELP), "l2");
  assert.equal(resultOf(lineOf(null, "unknown", "unknown", "dead"), NO_HELP), "o2");
  assert.equal(resultOf(lineOf(null, "dead", "dead"), NO_HELP), "l0");
});

test("a code is read as it was written", () => {
  const code = codeOf(SET, { row: 12, results: RESULTS });
  assert.match(code, /^12-k7q2x-s6\.d9\.l4\.n\.h10-\w\w$/);
  const written = [code, ` ${code.toUpperCase()} `, code.replaceAll("-", "–"), code.replaceAll("-", " - ")];
  for (const text of written)
    assert.deepEqual(readCode(text, SET, RESULTS.length), { row: 12, results: RESULTS }, text);
});

test("the longest code has 80 characters at most", () => {
  const results = /** @type {Result[]} */ (Array.from({ length: 10 }, () => "d999"));
  assert.ok(codeOf(SET, { row: 999, results }).length <= 80);
});

test("every wrong sign and every exchange of neighbours is noticed", () => {
  const code = codeOf(SET, { row: 12, results: RESULTS });
  for (let at = 0; at < code.length; at += 1) {
    const exchanged = code.slice(0, at) + (code[at + 1] ?? "") + code[at] + code.slice(at + 2);
    const wrong = [..."0123456789shdlonkqx.-"].map((sign) => code.slice(0, at) + sign + code.slice(at + 1));
    for (const text of [exchanged, ...wrong].filter((other) => other !== code))
      assert.equal(typeof readCode(text, SET, RESULTS.length), "string", text);
  }
});

test("codes of other sets and other texts are refused for their reason", () => {
  const code = codeOf(SET, { row: 12, results: RESULTS });
  assert.equal(readCode(code, "aaaaa", RESULTS.length), "set");
  assert.equal(readCode(code, SET, RESULTS.length + 1), "set");
  assert.equal(readCode(code.replace("s6", "s7"), SET, RESULTS.length), "check");
  for (const text of ["", "12", "0C4K-8M2D", "12-k7q2x-s6.e9-00", "#s-6-2-cbbbbb"])
    assert.equal(readCode(text, SET, 2), "form", text);
});

test("thirty codes are read at once, by row, and the wrong ones are named", () => {
  const rows = Array.from({ length: 30 }, (_, index) => 30 - index);
  const codes = rows.map((row) => codeOf(SET, { row, results: RESULTS }));
  const other = codeOf("aaaaa", { row: 31, results: RESULTS });
  const read = readCodes([...codes, "", other, "hello"].join("\r\n"), SET, RESULTS.length);
  assert.deepEqual(
    read.rows.map(({ row }) => row),
    [...rows].reverse(),
  );
  assert.deepEqual(read.faults, [
    { line: other, fault: "set" },
    { line: "hello", fault: "form" },
  ]);
});
