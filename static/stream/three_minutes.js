/**
 * The fast mode: as many positions as possible in three minutes. A position that can no longer be solved is a mistake and
 * costs time.
 *
 * @typedef {{ end: number, solved: number, mistakes: number }} Run `end`: time at which it ends, in milliseconds
 */

const [LENGTH, COST] = [180_000, 5_000];
/** Pegs of the first and the last positions, and solved positions after which there is one peg more. */
const [FEWEST, MOST, STEP] = [3, 6, 4];

/** Return a run that begins now. @param {number} now @returns {Run} */
export const begin = (now) => ({ end: now + LENGTH, solved: 0, mistakes: 0 });

/** @param {Run} run @returns {Run} */
export const solved = (run) => ({ ...run, solved: run.solved + 1 });

/** @param {Run} run @returns {Run} */
export const mistaken = (run) => ({ ...run, mistakes: run.mistakes + 1, end: run.end - COST });

/** Return the seconds left. @param {Run} run @param {number} now */
export const secondsLeft = ({ end }, now) => Math.max(0, Math.ceil((end - now) / 1000));

/** Return the pegs of the next position. @param {Run} run */
export const pegsOf = (run) => Math.min(MOST, FEWEST + Math.floor(run.solved / STEP));
