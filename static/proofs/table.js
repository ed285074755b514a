/**
 * Proofs by the table of a board of up to 21 holes: it is made again, and its digest compared.
 *
 * A state is a board as bits, with the hole of the red peg in the bits above. The peg that has just jumped may jump again at
 * no cost: so if it begins a shortest solution, one move less is left.
 *
 * @typedef {import("./problem.js").Problem} Problem
 * @typedef {{ fewest: Uint8Array, movers: Uint32Array }} MovesTable fewest moves, and the holes in which a shortest
 * solution may begin
 */
import { require } from "./problem.js";
import { sha256 } from "./sha256.js";

const UNSOLVABLE = 255;
const TABLE_HOLES = 21;

/** Check the claim about the start by the table. Return the number of states.
 * @param {Problem} problem @param {any} proof @param {any} claim @param {import("./check.js").OnProgress} onProgress */
export function checkTable(problem, proof, claim, onProgress) {
  const { holes } = problem;
  require(holes <= TABLE_HOLES, `Tables have at most ${TABLE_HOLES} holes, not ${holes}.`);
  const table = tableOf(problem, onProgress);
  require(sha256(table.fewest) === proof.sha256, "The table made again has another digest.");
  const bits = [...problem.start].reduce((sum, mark, hole) => sum | (Number(mark === "o") << hole), 0);
  const start = (Math.max(problem.red, 0) << holes) | bits;
  const moves = movesOf(table, start, problem.active);
  require(moves === (claim === "impossible" ? UNSOLVABLE : claim.moves), `The fewest moves are ${moves}.`);
  require(claim === "impossible" || moves !== UNSOLVABLE, "There is no solution.");
  if (claim.solutions !== undefined) {
    const found = solutionsOf(problem, table, start);
    require(found === BigInt(claim.solutions), `There are ${found} solutions.`);
  }
  return table.fewest.length;
}

/** @param {MovesTable} table @param {number} state @param {number} active */
const movesOf = ({ fewest, movers }, state, active) =>
  fewest[state] - (active < 0 ? 0 : (movers[state] >>> active) & 1);

/** Return the table of all states, worked out backwards from the solved ones, a level of equally many pegs at a time.
 * @param {Problem} problem @param {import("./check.js").OnProgress} onProgress @returns {MovesTable} */
function tableOf({ holes, jumps, red, ends }, onProgress) {
  const [hasRed, every] = [red >= 0, (1 << holes) - 1];
  const fewest = new Uint8Array((hasRed ? holes : 1) << holes).fill(UNSOLVABLE);
  const movers = new Uint32Array(fewest.length);
  const lines = jumps.map(([from, over, to]) => ({ from, to, bits: (1 << from) | (1 << over) | (1 << to) }));
  let level = Int32Array.from(ends, (hole) => (hasRed ? hole << holes : 0) | (1 << hole));
  for (const state of level) fewest[state] = 0;
  for (let pegs = 1; level.length; pegs += 1) {
    onProgress({ level: pegs, levels: holes, boards: level.length });
    const next = new States();
    for (const after of level)
      for (const { from, to, bits } of lines)
        if ((after & bits) === 1 << to) {
          const [place, board] = [after >>> holes, (after & every) ^ bits];
          const before = ((hasRed && place === to ? from : place) << holes) | board;
          const moves = fewest[after] + 1 - ((movers[after] >>> to) & 1);
          const known = fewest[before];
          if (known === UNSOLVABLE) next.add(before);
          if (moves <= known) movers[before] = (moves < known ? 0 : movers[before]) | (1 << from);
          if (moves < known) fewest[before] = moves;
        }
    level = next.all();
  }
  return { fewest, movers };
}

/** A growing list of states. */
class States {
  #states = new Int32Array(1024);
  #size = 0;

  /** @param {number} state */
  add(state) {
    if (this.#size === this.#states.length) {
      const longer = new Int32Array(2 * this.#size);
      longer.set(this.#states);
      this.#states = longer;
    }
    this.#states[this.#size++] = state;
  }

  all() {
    return this.#states.subarray(0, this.#size);
  }
}

/** Return the number of shortest solutions, as different sequences of jumps.
 * @param {Problem} problem @param {MovesTable} table @param {number} start */
function solutionsOf({ holes, jumps, red, active }, table, start) {
  const hasRed = red >= 0;
  /** @type {Map<number, bigint>} */
  const counts = new Map();

  /** @param {number} state @param {number} mover @returns {bigint} */
  function count(state, mover) {
    const key = state * 32 + mover + 1;
    const known = counts.get(key);
    if (known !== undefined) return known;
    const [place, board] = [state >>> holes, state & ((1 << holes) - 1)];
    let total = (board & (board - 1)) === 0 ? 1n : 0n;
    for (const [from, over, to] of jumps) {
      const line = (1 << from) | (1 << over) | (1 << to);
      if ((board & line) !== ((1 << from) | (1 << over)) || (hasRed && over === place)) continue;
      const after = ((hasRed && from === place ? to : place) << holes) | (board ^ line);
      if (movesOf(table, after, to) + Number(from !== mover) === movesOf(table, state, mover))
        total += count(after, to);
    }
    counts.set(key, total);
    return total;
  }

  return count(start, active);
}
