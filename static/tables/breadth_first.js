/** Distances by breadth-first search from the goal, for puzzles in which every step costs a move and can be taken back. */

/** States expanded before the next look at the clock. */
const PART = 1024;
/** Steps from a state at most. */
const MAX_STEPS = 32;
const UNREACHED = 255;

/**
 * Return the fewest moves by number of the state, 255 for those that cannot reach the goal.
 * @param {number} size number of states
 * @param {readonly number[]} solved numbers of the solved states
 * @param {(number: number, found: Int32Array) => number} neighbours writes the numbers of the states one step away to the
 *   beginning of an array, and returns how many
 * @param {() => Promise<void>} rest called now and then
 */
export async function distances(size, solved, neighbours, rest) {
  const moves = new Uint8Array(size).fill(UNREACHED);
  const queue = new Int32Array(size);
  const found = new Int32Array(MAX_STEPS);
  let end = 0;
  const reach = (/** @type {number} */ number, /** @type {number} */ distance) => {
    if (moves[number] !== UNREACHED) return;
    moves[number] = distance;
    queue[end++] = number;
  };
  for (const number of solved) reach(number, 0);
  for (let place = 0; place < end; place += 1) {
    if (place % PART === 0) await rest();
    const further = moves[queue[place]] + 1;
    const count = neighbours(queue[place], found);
    for (let step = 0; step < count; step += 1) reach(found[step], further);
  }
  return moves;
}
