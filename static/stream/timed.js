/**
 * The timed mode: as many positions as possible in some minutes, or without a clock. A position that can no longer be solved
 * is a mistake and costs time.
 *
 * @typedef {import("../ui/stored_kinds.js").Standing} Standing
 * @typedef {{ minutes: number, end: number, solved: number, mistakes: number }} Run `minutes`: its length, 0 without a clock;
 *   `end`: time at which it ends, in milliseconds
 */

const [MINUTE, COST] = [60_000, 5_000];
/** Pegs of the first and the last positions, and solved positions after which there is one peg more. */
const [FEWEST, MOST, STEP] = [3, 6, 4];
/** Length whose best score every version has kept. */
const USUAL = 3;
/** Seconds left at which the time is announced. */
const TOLD = [60, 30, 10];

/** Return a run that begins now. @param {number} now @param {number} minutes @returns {Run} */
export const begin = (now, minutes) => ({
  minutes,
  end: minutes ? now + minutes * MINUTE : Infinity,
  solved: 0,
  mistakes: 0,
});

/** @param {Run} run @returns {Run} */
export const solved = (run) => ({ ...run, solved: run.solved + 1 });

/** @param {Run} run @returns {Run} */
export const mistaken = (run) => ({ ...run, mistakes: run.mistakes + 1, end: run.end - COST });

/** Return the seconds left; `Infinity` without a clock. @param {Run} run @param {number} now */
export const secondsLeft = ({ end }, now) => Math.max(0, Math.ceil((end - now) / 1000));

/** Return whether the time is announced when the seconds left have fallen. @param {number} before @param {number} now in seconds */
export const isTold = (before, now) => TOLD.some((seconds) => before > seconds && now <= seconds && now > 0);

/** Return the pegs of the next position. @param {Run} run */
export const pegsOf = (run) => Math.min(MOST, FEWEST + Math.floor(run.solved / STEP));

/** Return the best score in some minutes. @param {Standing} standing @param {number} minutes */
export const bestOf = ({ best, bests = {} }, minutes) => (minutes === USUAL ? best : (bests[minutes] ?? 0));

/** Return the standing after a run against the clock. @param {Standing} standing @param {Run} run @returns {Standing} */
export function after(standing, { minutes, solved }) {
  const best = Math.max(bestOf(standing, minutes), solved);
  if (minutes === USUAL) return { ...standing, best };
  return { ...standing, bests: { ...standing.bests, [minutes]: best } };
}
