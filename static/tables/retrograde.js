/**
 * The table of a peg board and a goal, built backwards from the goal (retrograde analysis; see docs/tables.md): the page's
 * twin of `fill_table` in server/hoppers/puzzles/pegs/tables/complete_table.py.
 *
 * While it is built, a state has an entry: its fewest moves plus one, above a bit for each hole whose peg begins a shortest
 * solution; 0 if no solution is known. States are taken in the order of their number of pegs, so that an entry no longer
 * changes when it is passed on to the states one jump earlier.
 */
import { withHole, withoutHole } from "./bits.js";

/** Holes of a board at most: bits of an entry below the number of moves. */
const MAX_HOLES = 22;
const ABOVE = -1 << MAX_HOLES;
/** States passed on before the next look at the clock. */
const PART = 4096;

/**
 * @typedef {object} Work
 * @property {number} holes
 * @property {number} size one more than the greatest set of holes that may have a peg, the red one's left out
 * @property {boolean} hasRed
 * @property {Int32Array} entries by number of the state (see `jumps.js`)
 * @property {Int32Array} first hole -> first jump that ends there; jumps are in the order of these holes
 * @property {Int32Array} masks jump -> its three holes
 * @property {Int32Array} origins jump -> the hole where it begins
 */

/**
 * Return the fewest moves by number of the state, 255 without a solution.
 * @param {readonly [number, number, number][]} jumps @param {number} holes @param {boolean} hasRed
 * @param {readonly number[]} goals holes in which the last peg may end @param {() => Promise<void>} rest called now and then
 */
export async function fewestMoves(jumps, holes, hasRed, goals, rest) {
  const places = hasRed ? holes - 1 : holes;
  const entries = new Int32Array((hasRed ? holes : 1) << places);
  const work = { holes, size: 1 << places, hasRed, entries, ...byTarget(jumps, holes) };
  for (const goal of goals) entries[hasRed ? goal << places : 1 << goal] = 1 << MAX_HOLES;
  for (let others = hasRed ? 0 : 1; others <= places; others += 1)
    for (let red = hasRed ? 0 : -1; red < (hasRed ? holes : 0); red += 1)
      for (let set = (1 << others) - 1; set < work.size; await rest()) set = passOn(work, set, red);
  const moves = new Uint8Array(entries.length);
  for (let number = 0; number < moves.length; number += 1)
    moves[number] = (entries[number] >>> MAX_HOLES) - 1;
  return moves;
}

/** Pass on the entries of `PART` sets with equally many holes, from one on; return the next set, or one beyond the last.
 * @param {Work} work @param {number} set @param {number} red the hole of the red peg, which is not in the set, or -1 */
function passOn({ holes, size, hasRed, entries, first, masks, origins }, set, red) {
  for (let left = PART; left > 0 && set < size; left -= 1) {
    const entry = entries[hasRed ? (red << (holes - 1)) | set : set];
    const board = hasRed ? withHole(set, red) | (1 << red) : set;
    set = nextSet(set) || size;
    if (entry === 0) continue;
    const further = (entry >>> MAX_HOLES) + 1;
    for (let pegs = board; pegs; pegs &= pegs - 1) {
      const low = pegs & -pegs;
      const target = 31 - Math.clz32(low);
      const moves = (further - ((entry >>> target) & 1)) << MAX_HOLES; // going on with a peg costs nothing
      for (let jump = first[target], end = first[target + 1]; jump < end; jump += 1) {
        const mask = masks[jump];
        if ((board & mask) !== low) continue;
        const origin = origins[jump];
        let before = board ^ mask;
        if (hasRed) before = numberOf(before, target === red ? origin : red, holes);
        const known = entries[before];
        const least = known & ABOVE;
        if (known === 0 || moves < least) entries[before] = moves | (1 << origin);
        else if (moves === least) entries[before] = known | (1 << origin);
      }
    }
  }
  return set;
}

/** Return the number of a board with a red peg. @param {number} board @param {number} red @param {number} holes */
const numberOf = (board, red, holes) => (red << (holes - 1)) | withoutHole(board, red);

/** Return the jumps in the order of the holes in which they end. @param {readonly [number, number, number][]} jumps
 * @param {number} holes */
function byTarget(jumps, holes) {
  const sorted = [...jumps].sort((one, other) => one[2] - other[2]);
  const ends = Array.from({ length: holes + 1 }, (_, hole) => sorted.filter(([, , to]) => to < hole).length);
  return {
    first: Int32Array.from(ends),
    masks: Int32Array.from(sorted, ([from, over, to]) => (1 << from) | (1 << over) | (1 << to)),
    origins: Int32Array.from(sorted, ([from]) => from),
  };
}

/** Return the next larger set with as many holes (Gosper, HAKMEM item 175); 0 after the empty set. @param {number} set */
function nextSet(set) {
  const low = set & -set;
  const carried = set + low;
  return low && carried | ((set ^ carried) >>> (33 - Math.clz32(low)));
}
