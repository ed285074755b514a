/**
 * Deals positions from the complete table of a board. Numbers of states are drawn until one is of the wanted kind, so each
 * solvable position of the kind is equally likely. Only a rare difficulty is searched for, so that a deal never takes long.
 *
 * @typedef {() => number} Random returns a number from 0 up to 1
 * @typedef {{ least: number, most: number }} Range both ends included
 */
import { difficultyOf } from "../tables/difficulty.js";
import { slices } from "../tables/slices.js";

/** Measured positions after which an extreme difficulty is searched for. */
const TRIES = 24;
/** Positions from whose fewest moves the hardest ones are chosen, where random ones are all too easy. */
const POOL = 4000;
/** Last positions dealt by difficulty, which are dealt again only if no other is found. */
const REMEMBERED = 20;
/** Bits by which a remembered position counts as away from the wanted range: more than any other position is. */
const AGAIN = 1000;
/** Draws before the next look at the clock. */
const PART = 256;

/** Return a random number generator that gives the same numbers for the same seed (mulberry32). @param {string} seed
 * @returns {Random} */
export function seeded(seed) {
  let state = [...seed].reduce(
    (hash, sign) => Math.imul(hash ^ sign.charCodeAt(0), 16_777_619),
    2_166_136_261,
  );
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Return functions that deal positions of a table. @param {import("../tables/table.js").Table} table @param {Random} random */
export function dealer(table, random) {
  const { family } = table;
  const difficulty = difficultyOf(table);
  const difficultyAt = (/** @type {number} */ state) => difficulty({ state, active: -1 });
  /** States of the last positions, the newest at the end. @type {number[]} */
  const recent = [];
  const movesAt = (/** @type {number} */ state) => table.movesLeft({ state, active: -1 });

  /** Yield the next random state that can be solved and is not, again and again; null now and then, to look at the clock. */
  function* randomStates() {
    for (let draws = 1; ; draws += 1) {
      const state = family.state(Math.floor(random() * family.size));
      if (movesAt(state)) yield state;
      if (draws % PART === 0) yield null;
    }
  }

  /** Return random states that pass a test. @param {number} count @param {(state: number) => boolean} [test] */
  async function draw(count, test = () => true) {
    const rest = slices();
    const found = [];
    for (const state of randomStates()) {
      if (state === null) await rest();
      else if (test(state)) found.push(state);
      if (found.length === count) break;
    }
    return found;
  }

  /** Return the states with the most moves left of a random `POOL`. */
  async function hardest() {
    const moves = (/** @type {number} */ state) => movesAt(state) ?? 0;
    const pool = [...new Set(await draw(POOL))];
    return pool.sort((one, other) => moves(other) - moves(one)).slice(0, TRIES);
  }

  /** Yield the states on a random shortest solution, the first one included. @param {number} state */
  function* solutionFrom(state) {
    /** @type {import("../tables/family.js").Position} */
    let position = { state, active: -1 };
    while (!table.isSolved(position)) {
      yield position.state;
      const best = table.bestSteps(position);
      position = best[Math.floor(random() * best.length)].after;
    }
  }

  /** Return a state whose difficulty is in a range, or the nearest to it of those that were measured: a random one, or else
   * one on a shortest solution of a harder one. A remembered one comes last. @param {Range} range */
  async function withDifficulty({ least, most }) {
    const rest = slices();
    let [nearest, distance] = [NaN, Infinity];
    /** Return the difficulty of a state, and remember the nearest. @param {number} state */
    async function measure(state) {
      await rest();
      const bits = difficultyAt(state);
      const away = Math.max(least - bits, 0, bits - most) + (recent.includes(state) ? AGAIN : 0);
      if (away < distance) [nearest, distance] = [state, away];
      return bits;
    }
    const harder = [];
    for (const state of await draw(TRIES)) {
      if ((await measure(state)) > most) harder.push(state);
      if (!distance) return nearest;
    }
    for (const start of harder.length ? harder : await hardest()) {
      for (const state of solutionFrom(start)) if ((await measure(state)) <= most) break;
      if (!distance) return nearest;
    }
    return nearest;
  }

  const piecesOf = (/** @type {number} */ state) =>
    [...family.format(state)].filter((cell) => cell !== table.head.alphabet[0]).length;
  const textOf = (/** @type {number} */ state) => table.format({ state, active: -1 });
  return {
    /** Return a position whose difficulty, in bits, is in a range, or near it if that is rare. @param {Range} range */
    byDifficulty: async (range) => {
      const state = await withDifficulty(range);
      recent.push(state);
      if (recent.length > REMEMBERED) recent.shift();
      return textOf(state);
    },
    /** Return a position with this number of pieces; there must be one. @param {number} pieces */
    byPieces: async (pieces) => textOf((await draw(1, (state) => piecesOf(state) === pieces))[0]),
    /** Return the difficulty of a dealt position. @param {string} text */
    difficulty: (text) => difficultyAt(table.parse(text)?.state ?? NaN),
    /** Return the fewest moves of a dealt position. @param {string} text */
    moves: (text) => movesAt(table.parse(text)?.state ?? NaN) ?? NaN,
  };
}
