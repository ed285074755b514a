/**
 * The medal of a solved game. It needs the fewest moves and, for the star, no help.
 *
 * @typedef {"optimal" | "assisted" | "solved"} Medal
 * @typedef {"new" | Medal} Mark of a problem or a puzzle; "new": not solved
 *
 * @typedef {object} Played
 * @property {number} moves
 * @property {number | null} [best] fewest moves; null if not proved
 * @property {Readonly<import("./help.js").Help>} [help] missing in results of earlier versions, which may have had any
 */
import { hasHelp } from "./help.js";

/** Return the medal of a solved game. @param {Played} played @returns {Medal} */
export function medalOf({ moves, best, help }) {
  if (moves !== best) return "solved";
  return help && !hasHelp(help) ? "optimal" : "assisted";
}

/** All marks, the best one last. @type {readonly Mark[]} */
const MARKS = ["new", "solved", "assisted", "optimal"];

/** Return the best medal of several results, or "new" if there is none. @param {readonly Played[]} results @returns {Mark} */
export const bestMark = (results) =>
  MARKS[Math.max(0, ...results.map((result) => MARKS.indexOf(medalOf(result))))];
