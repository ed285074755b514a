/**
 * The rating of a player on one board, in hundredths of a bit of difficulty: at 500, positions of about 5 bits are dealt. It
 * is uncertain at first: its deviation is the points that a game at equal strength gives or takes. Every game narrows it, once
 * one was won and one was not. A game with help gives and takes nothing. This module is pure.
 *
 * @typedef {"won" | "helped" | "longer" | "lost"} Outcome of the first end of a game: solved in the fewest moves without or
 *   with help, solved in more moves, or not solved
 * @typedef {import("../ui/stored_kinds.js").Standing} Standing
 */

/** Deviation in the first game, the factor of each further one, and the least. */
const [WIDE, NARROWING, NARROW] = [120, 0.84, 10];
/** Deviation of a standing that an earlier version has stored, which moved too slowly to find the player. */
const UNKNOWN = 60;
/** Deviation from which on a rating is shown as certain. */
const CERTAIN = 20;

/** @type {Readonly<Standing>} */
export const NEW_STANDING = Object.freeze({ rating: 500, played: 0, won: 0, best: 0, deviation: WIDE });
const [LEAST, MOST] = [100, 3000];
/** Points of distance at which the expected share of won games is ten to one. */
const SCALE = 400;
/** Bits that a dealt position may be easier or harder than the rating. */
const SPREAD = 0.75;

/** Return the share of games that a player is expected to win. @param {number} rating @param {number} difficulty in bits */
const expected = (rating, difficulty) => 1 / (1 + 10 ** ((100 * difficulty - rating) / SCALE));

/** @param {Readonly<Standing>} standing */
const deviationOf = ({ deviation, played }) => deviation ?? (played ? UNKNOWN : WIDE);

/** Return whether a rating is still a guess. @param {Readonly<Standing>} standing */
export const isUncertain = (standing) => deviationOf(standing) > CERTAIN;

/** Return the standing after a game. @param {Readonly<Standing>} standing @param {number} difficulty of its start, in bits
 * @param {Outcome} outcome @returns {Standing} */
export function after(standing, difficulty, outcome) {
  const before = deviationOf(standing);
  if (outcome === "helped") return { ...standing, played: standing.played + 1, deviation: before };
  const points = 2 * before * (Number(outcome === "won") - expected(standing.rating, difficulty));
  const rating = Math.min(MOST, Math.max(LEAST, standing.rating + Math.round(points)));
  const [played, won] = [standing.played + 1, standing.won + Number(outcome === "won")];
  const isOneSided = won === 0 || won === played; // the player is still out of sight
  const deviation = isOneSided ? before : Math.max(NARROW, Math.round(before * NARROWING));
  return { ...standing, rating, played, won, deviation };
}

/** Return the points that an outcome would give. @param {Readonly<Standing>} standing @param {number} difficulty in bits
 * @param {Outcome} outcome */
export const change = (standing, difficulty, outcome) =>
  after(standing, difficulty, outcome).rating - standing.rating;

/** Return the outcome of a solved game by its medal. @param {import("../game/medal.js").Medal} medal @returns {Outcome} */
export const outcomeOf = (medal) =>
  /** @type {const} */ ({ optimal: "won", assisted: "helped", solved: "longer" })[medal];

/** Return the range of difficulty, in bits, of the next position. @param {number} rating */
export const wanted = (rating) => ({ least: rating / 100 - SPREAD, most: rating / 100 + SPREAD });
