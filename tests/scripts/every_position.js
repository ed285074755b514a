/**
 * Compares every answer of a table in the page with those of the server, and prints how many positions there are and how many
 * answers differ. The folder of the command line has the table, and what is expected: for each goal the fewest moves of each
 * state (uint8, by number), then the pegs that begin a shortest solution (uint32 masks), if a peg may continue its move.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Table, UNSOLVABLE } from "../../static/tables/table.js";

/** @param {string} name @returns {ArrayBuffer} */
const read = (name) => Uint8Array.from(readFileSync(join(process.argv[2], name))).buffer;
const table = new Table(read("table"));
await table.prepare("any");
const { family, head } = table;
const hasMovers = head.rules.kind === "jumps";
const expected = read("expected");
let [positions, faults] = [0, 0];

head.goals.forEach((goal, index) => {
  const place = index * family.size * (hasMovers ? 5 : 1);
  const moves = new Uint8Array(expected, place, family.size);
  const movers = hasMovers
    ? new Uint32Array(expected.slice(place + family.size, place + 5 * family.size))
    : null;
  for (let number = 0; number < family.size; number += 1) {
    const state = family.state(number);
    compare(goal, { state, active: -1 }, moves[number]);
    if (!movers || moves[number] === UNSOLVABLE) continue; // then no active peg helps
    for (let hole = 0; hole < head.symmetries[0].length; hole += 1)
      if (table.isOpen({ state, active: hole }))
        compare(goal, { state, active: hole }, moves[number] - ((movers[number] >>> hole) & 1));
  }
});

/** @param {string} goal @param {import("../../static/tables/family.js").Position} position @param {number} moves */
function compare(goal, position, moves) {
  const answer = table.movesLeft(goal, position) ?? UNSOLVABLE;
  positions += 1;
  if (answer !== moves) faults += 1;
}

console.log(`${positions} positions, ${faults} faults`);
