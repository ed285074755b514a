/**
 * Reads lines of JSON, [id of a drawn board, whether one peg is red], from standard input, and writes for each a line of JSON: the
 * drawing's id, jumps and symmetries, and for each goal the fewest moves of every state as the page builds them, in base64.
 */
import { readFileSync } from "node:fs";

import { drawingOf, idOf, rulesOf } from "../../static/tables/drawing.js";
import { buildTable } from "../../static/tables/table.js";

for (const line of readFileSync(0, "utf8").trim().split("\n")) {
  const [id, hasRed] = JSON.parse(line);
  const drawing = drawingOf(id);
  if (!drawing) {
    console.log("null");
    continue;
  }
  const rules = rulesOf(drawing, hasRed);
  const moves = [];
  for (const goal of rules.goals)
    moves.push(Buffer.from((await buildTable(rules, goal)).moves).toString("base64"));
  const { rules: described, symmetries } = rules;
  console.log(JSON.stringify({ id: idOf(drawing), jumps: described.jumps, symmetries, moves }));
}
