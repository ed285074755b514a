/**
 * What is proved about a drawn board, from the tables that are built while one looks. All of it runs in slices and ends when a
 * signal is aborted: a tap on the board makes the work on the old drawing useless.
 *
 * @typedef {import("../tables/drawing.js").Drawing} Drawing
 * @typedef {import("../tables/table.js").Table} Table
 */
import { rulesOf } from "../tables/drawing.js";
import { ANY_GOAL, goalImage } from "../tables/goals.js";
import { atOnce, inSlices, slices } from "../tables/slices.js";
import { countSolutions, solutionGraphWithin } from "../tables/solutions.js";
import { buildTable, UNSOLVABLE } from "../tables/table.js";

/** Holes of a board whose tables are built. */
export const MAX_HOLES = 22;
/** The same with a red peg, which takes a table for each of its holes. */
export const MAX_RED_HOLES = 17;
/** Positions looked at for a count or a difficulty; beyond, there is none. */
const MAX_POSITIONS = 30_000;

/** Proofs about one drawing; tables and figures are kept. */
export class Proof {
  /** @type {Map<string, Promise<Table>>} */
  #tables = new Map();
  /** Fewest moves from each start to a goal. @type {Map<string, (number | null)[]>} */
  #fromStarts = new Map();

  /** @param {Drawing} drawing @param {boolean} hasRed @param {string} [key] by which the page finds it again */
  constructor(drawing, hasRed, key = "") {
    this.key = key;
    this.rules = rulesOf(drawing, hasRed);
    this.holes = drawing.points.length;
  }

  /** Return the table of a goal; the last two are kept. @param {string} goal @param {AbortSignal} signal */
  async table(goal, signal) {
    const built = this.#tables.get(goal) ?? buildTable(this.rules, goal, signal);
    this.#tables.delete(goal);
    this.#tables.set(goal, built);
    for (const other of [...this.#tables.keys()].slice(0, -2)) this.#tables.delete(other);
    try {
      return await built;
    } catch (error) {
      this.#tables.delete(goal);
      throw error;
    }
  }

  /** Return the fewest moves to a goal if only one hole is empty, by that hole; null: none. @param {string} goal
   * @param {AbortSignal} signal @returns {Promise<(number | null)[]>} */
  async fromStarts(goal, signal) {
    const known = this.#fromStarts.get(goal);
    if (known) return known;
    const first = this.#firstAlike(goal);
    const found =
      first === goal ? await this.#readStarts(goal, signal) : await this.#imagesOf(goal, first, signal);
    this.#fromStarts.set(goal, found);
    return found;
  }

  /** Return the first of the goals that symmetries turn into a goal. @param {string} goal */
  #firstAlike(goal) {
    const alike = this.rules.symmetries.map((image) => goalImage(goal, image));
    return this.rules.goals.find((each) => alike.includes(each)) ?? goal;
  }

  /** @param {string} goal @param {AbortSignal} signal */
  async #readStarts(goal, signal) {
    const table = await this.table(goal, signal);
    const every = (1 << this.holes) - 1;
    return Array.from({ length: this.holes }, (_, hole) => {
      const state = every ^ (1 << hole);
      return state ? table.movesLeft({ state, active: -1 }) : null;
    });
  }

  /** @param {string} goal @param {string} first @param {AbortSignal} signal */
  async #imagesOf(goal, first, signal) {
    const image = this.rules.symmetries.find((image) => goalImage(goal, image) === first);
    const moves = await this.fromStarts(first, signal);
    return Array.from({ length: this.holes }, (_, hole) => moves[image ? image[hole] : hole]);
  }

  /** Yield each hole with the fewest moves from a start to it. @param {number} start its empty hole @param {AbortSignal} signal
   * @returns {AsyncGenerator<[hole: number, moves: number | null]>} */
  async *finishes(start, signal) {
    for (let hole = 0; hole < this.holes; hole += 1)
      yield [hole, (await this.fromStarts(String(hole), signal))[start]];
  }

  /** Return what is proved of a position: verdict, fewest moves, numbers of solutions and the chance of random play, null where
   * there are too many positions to look at. Null: no such position. @param {string} position @param {string} goal
   * @param {AbortSignal} signal */
  async about(position, goal, signal) {
    const table = await this.table(goal, signal);
    const read = table.parse(position);
    if (!read) return null;
    const moves = table.movesLeft(read);
    if (moves === null) return { moves, count: 0, unique: 0, bits: null };
    const graph = await inSlices(solutionGraphWithin(table, read, MAX_POSITIONS), signal);
    const symmetries = table.symmetries.filter((image) =>
      [...position].every((cell, hole) => position[image[hole]] === cell),
    );
    return {
      moves,
      count: graph && countSolutions(graph, []),
      unique: graph && countSolutions(graph, symmetries),
      bits: await inSlices(solveBits(table, read.state), signal),
    };
  }

  /** Return a position that needs the most moves. @param {string} goal @param {() => number} random @param {AbortSignal} signal */
  async hardest(goal, random, signal) {
    const table = await this.table(goal, signal);
    let most = 0;
    for (const moves of table.moves) if (moves !== UNSOLVABLE && moves > most) most = moves;
    return { text: textAt(table, shuffled(numbersWith(table, most), random).next().value), most };
  }

  /** Return a position with `moves` moves left and exactly one solution; null: there is none. @param {string} goal
   * @param {number} moves @param {() => number} random @param {AbortSignal} signal */
  async withOneSolution(goal, moves, random, signal) {
    const table = await this.table(goal, signal);
    const rest = slices(signal);
    for (const number of shuffled(numbersWith(table, moves), random)) {
      await rest();
      const state = table.family.state(number);
      // one solution passes no more positions than there are holes
      const few = solutionGraphWithin(table, { state, active: -1 }, this.holes + 1);
      const graph = state ? atOnce(few) : null;
      if (graph && countSolutions(graph, []) === 1) return textAt(table, number);
    }
    return null;
  }
}

/** Return the number of starts from which one peg can be left. @param {Drawing} drawing @param {AbortSignal} signal */
export async function solvableStarts(drawing, signal) {
  const moves = await new Proof(drawing, false).fromStarts(ANY_GOAL, signal);
  return moves.filter((each) => each !== null).length;
}

/** @param {Table} table @param {number} number */
const textAt = (table, number) => table.format({ state: table.family.state(number), active: -1 });

/** Return the numbers of the states that need `moves` moves. @param {Table} table @param {number} moves */
function numbersWith({ moves: all }, moves) {
  const found = [];
  for (let number = 0; number < all.length; number += 1) if (all[number] === moves) found.push(number);
  return found;
}

/** Yield all of some numbers in a random order (Fisher and Yates). @param {number[]} numbers @param {() => number} random
 * @returns {Generator<number, number>} */
function* shuffled(numbers, random) {
  for (let last = numbers.length - 1; last >= 0; last -= 1) {
    const chosen = Math.floor(random() * (last + 1));
    [numbers[last], numbers[chosen]] = [numbers[chosen], numbers[last]];
    yield numbers[last];
  }
  return NaN;
}

/** Return the difficulty of a position, -log2 of the chance that random play reaches the goal (solve bits); null if that takes
 * too many positions. It yields before each position. @param {Table} table @param {number} start
 * @returns {Generator<void, number | null>} */
export function* solveBits(table, start) {
  /** @type {Map<number, number>} */
  const chances = new Map();
  /** @param {number} state @returns {Generator<void, number>} */
  function* chance(state) {
    const known = chances.get(state);
    if (known !== undefined) return known;
    const position = { state, active: -1 };
    let found = Number(table.isSolved(position));
    if (!found && table.movesLeft(position) !== null && chances.size < MAX_POSITIONS) {
      yield;
      const steps = table.family.steps(position);
      for (const { after } of steps) found += (yield* chance(after.state)) / steps.length;
    }
    chances.set(state, found);
    return found;
  }
  const bits = -Math.log2(yield* chance(start));
  return chances.size < MAX_POSITIONS ? bits : null;
}
