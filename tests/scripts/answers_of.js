/**
 * Reads lines of JSON, [position, goal, line], from standard input, and writes a line with all answers that a page gives about each
 * from the table in the file of the command line.
 */
import { readFileSync } from "node:fs";

import { Answers, Table } from "../../static/tables/answers.js";
import { difficultyOf } from "../../static/tables/difficulty.js";

const table = new Table(Uint8Array.from(readFileSync(process.argv[2])).buffer);
await table.prepare("any");

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [position, goal] = JSON.parse(line);
  const answers = new Answers(table, goal);
  const { moves } = answers.solution(position);
  const read = table.parse(position);
  const all = {
    "": answers.analysis(position),
    "/hint": answers.hint(position),
    "/solution": answers.solution(position),
    "/solutions": answers.solutions(position, { offset: 1, limit: 7, unique: false }),
    "/solutions/unique": answers.solutions(position, { offset: 0, limit: 100, unique: true }),
    line: answers.line(position, moves),
    difficulty: read && difficultyOf(table, goal)(read),
  };
  console.log(JSON.stringify(all));
}
