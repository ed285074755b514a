/**
 * Compares every answer of tables built in the page with those of the server, and prints how many positions there are and how many
 * answers differ. The folder of the command line has the rules, and what is expected: for each goal the fewest moves of each
 * state (uint8, by number), then the pegs that begin a shortest solution (uint32 masks), if a peg may continue its move.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { buildTable, UNSOLVABLE } from "../../static/tables/table.js";

/** @param {string} name */
const read = (name) => readFileSync(join(process.argv[2], name));
const rules = JSON.parse(read("rules").toString());
const hasMovers = rules.rules.kind === "jumps";
const expected = Uint8Array.from(read("expected")).buffer;
let [positions, faults] = [0, 0];

for (const [index, goal] of rules.goals.entries()) {
  const table = await buildTable(rules, goal);
  const { family } = table;
  const place = index * family.size * (hasMovers ? 5 : 1);
  const moves = new Uint8Array(expected, place, family.size);
  const movers = hasMovers
    ? new Uint32Array(expected.slice(place + family.size, place + 5 * family.size))
    : null;
  for (let number = 0; number < family.size; number += 1) {
    const state = family.state(number);
    compare(table, { state, active: -1 }, moves[number]);
    if (!movers || moves[number] === UNSOLVABLE) continue; // then no active peg helps
    for (let hole = 0; hole < rules.symmetries[0].length; hole += 1)
      if (table.isOpen({ state, active: hole }))
        compare(table, { state, active: hole }, moves[number] - ((movers[number] >>> hole) & 1));
  }
}

/** @param {import("../../static/tables/table.js").Table} table @param {import("../../static/tables/family.js").Position} position
 * @param {number} moves */
function compare(table, position, moves) {
  const answer = table.movesLeft(position) ?? UNSOLVABLE;
  positions += 1;
  if (answer !== moves) faults += 1;
}

console.log(`${positions} positions, ${faults} faults`);
