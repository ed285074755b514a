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
 * @property {Int32Array} lows group of lines of one shape -> their lower ends, as a set of holes
 * @property {Int32Array} middles group -> how many holes above the lower end the middle is
 * @property {Int32Array} ends group -> the same of the upper end
 */

/**
 * Return the fewest moves by number of the state, 255 without a solution.
 * @param {readonly [number, number, number][]} jumps @param {number} holes @param {boolean} hasRed
 * @param {readonly number[]} goals holes in which the last peg may end @param {() => Promise<void>} rest called now and then
 */
export async function fewestMoves(jumps, holes, hasRed, goals, rest) {
  const places = hasRed ? holes - 1 : holes;
  const entries = new Int32Array((hasRed ? holes : 1) << places);
  const work = { holes, size: 1 << places, hasRed, entries, ...byShape(jumps) };
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
function passOn({ holes, size, hasRed, entries, lows, middles, ends }, set, red) {
  for (let left = PART; left > 0 && set < size; left -= 1) {
    const entry = entries[hasRed ? (red << (holes - 1)) | set : set];
    const board = hasRed ? withHole(set, red) | (1 << red) : set;
    set = nextSet(set) || size;
    if (entry === 0) continue;
    const free = ~board;
    const further = (entry >>> MAX_HOLES) + 1;
    for (let group = 0; group < lows.length; group += 1) {
      const [middle, end] = [middles[group], ends[group]];
      // lines whose middle and one end are free: a jump has ended at the other end
      let found = (free >>> middle) & (free ^ (free >>> end)) & lows[group];
      while (found) {
        const low = found & -found;
        found ^= low;
        const both = low | (low << end);
        const target = board & both;
        const origin = both ^ target;
        const moves = (entry & target ? further - 1 : further) << MAX_HOLES; // going on with a peg costs nothing
        let before = board ^ both ^ (low << middle);
        if (hasRed) before = numberOf(before, target === 1 << red ? 31 - Math.clz32(origin) : red, holes);
        const known = entries[before];
        const least = known & ABOVE;
        if (known === 0 || moves < least) entries[before] = moves | origin;
        else if (moves === least) entries[before] = known | origin;
      }
    }
  }
  return set;
}

/** Return the number of a board with a red peg. @param {number} board @param {number} red @param {number} holes */
const numberOf = (board, red, holes) => (red << (holes - 1)) | withoutHole(board, red);

/** Return the lines of the jumps in groups of equal shape: a line is moved by shifting bits.
 * @param {readonly [number, number, number][]} jumps */
function byShape(jumps) {
  /** @type {Map<string, [low: number, middle: number, end: number]>} */
  const groups = new Map();
  for (const [from, over, to] of jumps) {
    const low = Math.min(from, to);
    const shape = [over - low, Math.abs(from - to)];
    groups.set(shape.join(), [(groups.get(shape.join())?.[0] ?? 0) | (1 << low), shape[0], shape[1]]);
  }
  const column = (/** @type {0 | 1 | 2} */ at) => Int32Array.from(groups.values(), (group) => group[at]);
  return { lows: column(0), middles: column(1), ends: column(2) };
}

/** Return the next larger set with as many holes (Gosper, HAKMEM item 175); 0 after the empty set. @param {number} set */
function nextSet(set) {
  const low = set & -set;
  const carried = set + low;
  return low && carried | ((set ^ carried) >>> (33 - Math.clz32(low)));
}
