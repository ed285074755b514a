/** Boards of up to 48 holes as two whole numbers: the bits of the low 32 holes and those of the high 16. */

/** @typedef {readonly [low: number, high: number]} Board */

const LOW_HOLES = 32;
export const MAX_HOLES = 48;
const BYTES = MAX_HOLES / 8;
/** What a high bit counts for in a board as one number. */
const HIGH = 2 ** LOW_HOLES;

/** Return a board with pegs in some holes. @param {readonly number[]} holes @returns {Board} */
export function boardOf(holes) {
  const bits = (/** @type {number} */ from) =>
    holes.reduce((sum, hole) => sum | (hole >= from && hole < from + LOW_HOLES ? 1 << (hole - from) : 0), 0);
  return [bits(0) >>> 0, bits(LOW_HOLES)];
}

/** Return the sum of what each hole with a peg counts for any board, by bytes: 256 sums for each byte of a board.
 * @template {Int32Array | Uint32Array} Sums @param {readonly number[]} numbers @param {Sums} sums all 0
 * @param {(sum: number, number: number) => number} add @returns {Sums} */
function sumsByByte(numbers, sums, add) {
  for (let place = 0; place < BYTES; place += 1)
    for (let byte = 1; byte < 256; byte += 1) {
      const hole = 8 * place + 31 - Math.clz32(byte & -byte);
      sums[256 * place + byte] = add(sums[256 * place + (byte & (byte - 1))], numbers[hole] ?? 0);
    }
  return sums;
}

/** Return a function that gives the sum of the weights under the pegs of a board. @param {readonly number[]} weights */
export function weigher(weights) {
  const sums = sumsByByte(weights, new Int32Array(256 * BYTES), (sum, weight) => sum + weight);
  return (/** @type {number} */ low, /** @type {number} */ high) =>
    sums[low & 255] +
    sums[256 + ((low >>> 8) & 255)] +
    sums[512 + ((low >>> 16) & 255)] +
    sums[768 + (low >>> 24)] +
    sums[1024 + (high & 255)] +
    sums[1280 + (high >>> 8)];
}

/** Return functions that give the low and the high bits of the board moved by a symmetry. @param {readonly number[]} image
 * hole -> its image */
export function mover(image) {
  const parts = [0, 1].map((part) =>
    sumsByByte(
      image.map((hole) => boardOf([hole])[part]),
      new Uint32Array(256 * BYTES),
      (sum, bit) => sum | bit,
    ),
  );
  return parts.map(
    (bits) => (/** @type {number} */ low, /** @type {number} */ high) =>
      (bits[low & 255] |
        bits[256 + ((low >>> 8) & 255)] |
        bits[512 + ((low >>> 16) & 255)] |
        bits[768 + (low >>> 24)] |
        bits[1024 + (high & 255)] |
        bits[1280 + (high >>> 8)]) >>>
      0,
  );
}

/** Return a board as one number. @param {number} low @param {number} high */
export const numberOf = (low, high) => high * HIGH + low;

/** Return the low and the high bits of a board from its number. @param {number} number @returns {[number, number]} */
export const bitsOf = (number) => [number >>> 0, Math.floor(number / HIGH)];

/** A set of boards as numbers, by hashing. 0, which is in no set, marks a free place. Boards are looked up many at a time: the
 * processor then waits for several places of the memory at once. */
export class BoardSet {
  size = 0;
  places = new Float64Array(1024);

  /** Add the first boards of an array. @param {Float64Array} boards @param {number} count */
  add(boards, count) {
    while (3 * (this.size + count) > 2 * this.places.length) this.#grow();
    const { places } = this;
    const last = places.length - 1;
    let added = 0;
    for (let index = 0; index < count; index += 1) {
      const board = boards[index];
      let place = hash(board) & last;
      while (places[place] !== board && places[place] !== 0) place = (place + 1) & last;
      if (places[place] === 0) added += 1;
      places[place] = board;
    }
    this.size += added;
  }

  /** Return whether one of the first boards of an array is in the set. @param {Float64Array} boards @param {number} count */
  hasOneOf(boards, count) {
    const { places } = this;
    const last = places.length - 1;
    for (let index = 0; index < count; index += 1) {
      const board = boards[index];
      let place = hash(board) & last;
      while (places[place] !== board && places[place] !== 0) place = (place + 1) & last;
      if (places[place] !== 0) return true;
    }
    return false;
  }

  /** Return all boards. @returns {Board[]} */
  boards() {
    return [...this.places].filter(Boolean).map(bitsOf);
  }

  #grow() {
    const former = this.places;
    this.places = new Float64Array(2 * former.length);
    this.size = 0;
    const boards = former.filter(Boolean);
    this.add(boards, boards.length);
  }
}

/** @param {number} board */
function hash(board) {
  const mixed = Math.imul(board | 0, 0x9e3779b1) ^ Math.imul(Math.floor(board / HIGH), 0x85ebca6b);
  const more = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  return more ^ (more >>> 13);
}
