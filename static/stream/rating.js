/**
 * The rating of a player on one board, in hundredths of a bit of difficulty: at 500, positions of about 5 bits are dealt. A
 * position of just this difficulty gives 8 points or takes 5; harder ones give more and take less.
 *
 * @typedef {"won" | "helped" | "longer" | "lost"} Outcome of the first end of a game: solved in the fewest moves without or
 *   with help, solved in more moves, or not solved
 * @typedef {{ rating: number, played: number, won: number, best: number }} Standing `best`: best score in three minutes
 */

/** @type {Readonly<Standing>} */
export const NEW_STANDING = Object.freeze({ rating: 500, played: 0, won: 0, best: 0 });
const [LEAST, MOST] = [100, 3000];
/** Most points that one game gives and takes. */
const [GAIN, LOSS] = [16, 10];
/** Points of distance at which the expected share of won games is ten to one. */
const SCALE = 400;
/** Bits that a dealt position may be easier or harder than the rating. */
const SPREAD = 0.75;

/** Return the share of games that a player is expected to win. @param {number} rating @param {number} difficulty in bits */
const expected = (rating, difficulty) => 1 / (1 + 10 ** ((100 * difficulty - rating) / SCALE));

/** Return the standing after a game. @param {Readonly<Standing>} standing @param {number} difficulty of its start, in bits
 * @param {Outcome} outcome @returns {Standing} */
export function after(standing, difficulty, outcome) {
  const share = expected(standing.rating, difficulty);
  const points = { won: GAIN * (1 - share), helped: 0, longer: 0, lost: -LOSS * share }[outcome];
  const rating = Math.min(MOST, Math.max(LEAST, standing.rating + Math.round(points)));
  return { ...standing, rating, played: standing.played + 1, won: standing.won + Number(outcome === "won") };
}

/** Return the outcome of a solved game by its medal. @param {import("../game/medal.js").Medal} medal @returns {Outcome} */
export const outcomeOf = (medal) =>
  /** @type {const} */ ({ optimal: "won", assisted: "helped", solved: "longer" })[medal];

/** Return the difficulties, in bits, of which a position is dealt: the least and the most. @param {number} rating */
export const wanted = (rating) => ({ least: rating / 100 - SPREAD, most: rating / 100 + SPREAD });
