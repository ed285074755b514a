/** Reads lines of JSON, [line, analyses], from standard input, and writes for each the grades of its moves: [[kind, cost], …]. */
import { readFileSync } from "node:fs";

import { gradedMoves } from "../../static/review/grades.js";
import { newRecord } from "../../static/review/record.js";

for (const text of readFileSync(0, "utf8").trim().split("\n")) {
  const [{ start, steps }, analyses] = JSON.parse(text);
  const line = { start, steps, at: steps.length };
  const known = new Map(analyses.map((/** @type {any} */ each) => [each.position, each]));
  const moves = gradedMoves(line, newRecord(start.position, ""), known);
  console.log(JSON.stringify(moves.map(({ grade: { kind, cost } }) => [kind, cost])));
}
