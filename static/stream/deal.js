/**
 * Deals positions from the complete table of a board. Each solvable position of the wanted kind is equally likely: numbers of
 * states are drawn until one is of the kind.
 *
 * @typedef {() => number} Random returns a number from 0 up to 1
 * @typedef {{ least: number, most: number }} Range both ends included
 */
import { difficultyOf } from "../tables/difficulty.js";
import { slices } from "../tables/slices.js";

/** Draws after which the range is widened by `WIDER` at both ends, because there may be no position in it. */
const DRAWS = 20_000;
/** Times as many where most draws are passed over unmeasured. */
const MORE = 4;
const WIDER = 0.5;
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

/** Return functions that deal positions of one board and goal.
 * @param {import("../tables/table.js").Table} table @param {string} goal @param {Random} random */
export function dealer(table, goal, random) {
  const difficulty = difficultyOf(table, goal);

  /** Return a solvable position of which a measure is in a range, which is widened by `wider` if there is none.
   * @param {(state: number) => number} measure @param {Range} range @param {number} mostMoves of positions that can be in
   * the range @param {number} [wider]
   * @returns {Promise<string>} */
  async function draw(measure, { least, most }, mostMoves, wider = WIDER) {
    const rest = slices();
    const count = mostMoves < Infinity ? MORE * DRAWS : DRAWS;
    for (let draws = 0; draws < count; draws += 1) {
      if (draws % PART === 0) await rest();
      const state = table.family.state(Math.floor(random() * table.family.size));
      const moves = table.movesLeft(goal, { state, active: -1 });
      if (!moves || moves > mostMoves) continue; // unsolvable, solved, or certainly too hard
      await rest();
      const value = measure(state);
      if (value >= least && value <= most) return table.format({ state, active: -1 });
    }
    return draw(
      measure,
      { least: least - wider, most: most + wider },
      mostMoves + wider / (table.family.leastBits || 1),
      2 * wider,
    );
  }

  const piecesOf = (/** @type {number} */ state) =>
    [...table.family.format(state)].filter((cell) => cell !== table.head.alphabet[0]).length;
  const difficultyAt = (/** @type {number} */ state) => difficulty({ state, active: -1 });
  return {
    /** Return a position whose difficulty, in bits, is in a range. @param {Range} range */
    byDifficulty: (range) => draw(difficultyAt, range, 1 + range.most / table.family.leastBits),
    /** Return a position with so many pieces. @param {number} pieces */
    byPieces: (pieces) => draw(piecesOf, { least: pieces, most: pieces }, Infinity),
    /** Return the difficulty of a dealt position. @param {string} text */
    difficulty: (text) => difficultyAt(table.parse(text)?.state ?? NaN),
  };
}
