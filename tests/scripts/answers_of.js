/**
 * Reads lines of JSON, [position, goal], from standard input, and writes a line with all answers that a page gives about each from
 * the tables that it builds from the rules, JSON in the file of the command line.
 */
import { readFileSync } from "node:fs";

import { Answers, buildTable } from "../../static/tables/answers.js";
import { difficultyOf } from "../../static/tables/difficulty.js";

const rules = JSON.parse(readFileSync(process.argv[2], "utf8"));
/** @type {Map<string, import("../../static/tables/table.js").Table>} */
const tables = new Map();

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [position, goal] = JSON.parse(line);
  const table = tables.get(goal) ?? (await buildTable(rules, goal));
  tables.set(goal, table);
  const answers = new Answers(table);
  const { moves } = answers.solution(position);
  const read = table.parse(position);
  const all = {
    "": answers.analysis(position),
    "/hint": answers.hint(position),
    "/solution": answers.solution(position),
    "/solutions": answers.solutions(position, { offset: 1, limit: 7, unique: false }),
    "/solutions/unique": answers.solutions(position, { offset: 0, limit: 100, unique: true }),
    line: answers.line(position, moves),
    difficulty: read && difficultyOf(table)(read),
  };
  console.log(JSON.stringify(all));
}
