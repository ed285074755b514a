/**
 * The boards from which one and the same end is excluded by no function.
 *
 * For each sum of a function, a row of bits says which ends it leaves open. The sums of several functions make one number,
 * with a digit for each, which a jump changes by a constant: so a board is judged by one look-up. Where there would be too
 * many numbers, the functions are split into groups, and the rows of all groups are intersected.
 *
 * @typedef {import("./boards.js").Board} Board
 *
 * @typedef {object} Digit the sum of a function
 * @property {number} low the lowest sum
 * @property {Int32Array} rows number of the row of each sum from there on
 *
 * @typedef {object} Group functions whose sums make one number
 * @property {Digit[]} digits the lowest first
 * @property {number[]} weights of the number
 * @property {(low: number, high: number) => number} weigh
 * @property {number} least the least number
 * @property {Int32Array} rows number of the row of each number, 0 before it has been asked for
 */
import { weigher } from "./boards.js";
import { require } from "./problem.js";

const MOST_ENDS = 4096;
const MAX_NUMBERS = 1 << 22; // of a group
const [CLOSED, OPEN] = [1, 2];

/** Rows of bits, each with a number: 0 for none yet, 1 for the row without a bit. */
class Rows {
  static EMPTY = 1;
  /** @type {Map<string, number>} */
  #numbers = new Map();
  /** @type {Uint32Array[]} */
  #rows = [new Uint32Array(0)];
  /** Intersections, by the numbers of both rows. @type {Map<string, number>} */
  #common = new Map();

  /** @param {number} bits */
  constructor(bits) {
    this.words = Math.ceil(bits / 32);
    this.numberOf(new Uint32Array(this.words));
  }

  /** @param {Uint32Array} row */
  numberOf(row) {
    const text = row.join();
    if (!this.#numbers.has(text)) this.#numbers.set(text, this.#rows.push(row) - 1);
    return /** @type {number} */ (this.#numbers.get(text));
  }

  /** Return the number of the intersection of two rows. @param {number} one @param {number} other */
  common(one, other) {
    if (one === other || one === Rows.EMPTY) return one;
    const key = `${one} ${other}`;
    let found = this.#common.get(key);
    if (!found) {
      const second = this.#rows[other];
      found = this.numberOf(this.#rows[one].map((word, n) => word & second[n]));
      this.#common.set(key, found);
    }
    return found;
  }
}

/** Judges boards by functions. */
export class OpenBoards {
  /** @type {Rows} */
  #rows;
  /** @type {Group[]} */
  #groups = [];
  /** Verdict of the first group on each of its numbers, or 0. @type {Uint8Array} */
  #verdicts;

  /** @param {number[][]} functions as weights @param {Board[]} ends */
  constructor(functions, ends) {
    const fits = ends.length > 0 && ends.length <= MOST_ENDS;
    require(fits, `${ends.length} ends are kept; 1 to ${MOST_ENDS} can be compared.`);
    this.#rows = new Rows(ends.length);
    for (const weights of functions) this.#add(weights, this.#digitOf(weights, ends));
    for (const group of this.#groups) {
      group.weigh = weigher(group.weights);
      group.rows = new Int32Array(numbersOf(group));
    }
    this.numbers = new Int32Array(this.#groups.length);
    this.#verdicts = new Uint8Array(numbersOf(this.#groups[0]));
  }

  /** @param {number[]} weights @param {Board[]} ends @returns {Digit} */
  #digitOf(weights, ends) {
    const low = weights.reduce((sum, weight) => sum + Math.min(weight, 0), 0);
    const high = weights.reduce((sum, weight) => sum + Math.max(weight, 0), 0);
    const weigh = weigher(weights);
    const sums = ends.map((end) => weigh(...end));
    const rows = Int32Array.from({ length: high - low + 1 }, (_, digit) => {
      const row = new Uint32Array(this.#rows.words);
      sums.forEach((sum, n) => (row[n >>> 5] |= Number(low + digit >= sum) << (n & 31)));
      return this.#rows.numberOf(row);
    });
    return { low, rows };
  }

  /** Add a function to the last group, or to a new one. @param {number[]} weights @param {Digit} digit */
  #add(weights, digit) {
    let group = this.#groups.at(-1);
    if (!group || numbersOf(group) * digit.rows.length > MAX_NUMBERS) {
      group = {
        digits: [],
        weights: weights.map(() => 0),
        weigh: () => 0,
        least: 0,
        rows: new Int32Array(0),
      };
      this.#groups.push(group);
    }
    const radix = numbersOf(group);
    group.weights = group.weights.map((sum, hole) => sum + radix * weights[hole]);
    group.least += radix * digit.low;
    group.digits.push(digit);
  }

  /** Put the numbers of a board into `numbers`. @param {number} low @param {number} high */
  weigh(low, high) {
    for (const [n, group] of this.#groups.entries()) this.numbers[n] = group.weigh(low, high) - group.least;
  }

  /** Return by how much each jump changes the numbers, all numbers of a jump side by side.
   * @param {readonly import("./problem.js").Jump[]} jumps */
  changes(jumps) {
    return Int32Array.from(
      jumps.flatMap(([from, over, to]) =>
        this.#groups.map(({ weights }) => weights[to] - weights[from] - weights[over]),
      ),
    );
  }

  /** Return whether the board is open whose numbers differ from `numbers` by the changes from a place on.
   * @param {Int32Array} changes @param {number} place */
  isOpen(changes, place) {
    const first = this.numbers[0] + changes[place];
    const known = this.#verdicts[first];
    if (known && (known === CLOSED || this.numbers.length === 1)) return known === OPEN;
    const row = this.#groups.reduce((row, group, n) => {
      const own = this.#rowOf(group, this.numbers[n] + changes[place + n]);
      if (n === 0) this.#verdicts[first] = own === Rows.EMPTY ? CLOSED : OPEN;
      return row ? this.#rows.common(row, own) : own;
    }, 0);
    return row !== Rows.EMPTY;
  }

  /** Return the row of the ends that no function of a group excludes. @param {Group} group @param {number} number */
  #rowOf(group, number) {
    if (group.rows[number]) return group.rows[number];
    let [rest, row] = [number, 0];
    for (const { rows } of group.digits) {
      const own = rows[rest % rows.length];
      row = row ? this.#rows.common(row, own) : own;
      rest = Math.floor(rest / rows.length);
    }
    group.rows[number] = row;
    return row;
  }
}

/** Return how many numbers there are. @param {Group} group */
const numbersOf = ({ digits }) => digits.reduce((product, { rows }) => product * rows.length, 1);
