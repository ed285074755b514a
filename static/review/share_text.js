/**
 * The text to share after a game: what happened at each move, as signs, without the moves themselves. This module needs
 * neither the puzzle nor the page.
 *
 * @typedef {import("./grades.js").Sign} Sign
 * @typedef {import("../ui/i18n.js").Values} Values
 * @typedef {(key: string, values?: Values) => string} Get returns a text of the catalogue
 *
 * @typedef {object} Story
 * @property {string} title of the problem
 * @property {boolean} isSolved
 * @property {number} moves
 * @property {number | null} best fewest moves; null if not proved
 * @property {string} left what is left on the board of an unsolved game, as a text; "" if it has no text
 * @property {readonly Sign[]} signs one for each move
 * @property {number} tries
 * @property {import("../game/help.js").Help} help
 * @property {string} link page of the problem
 */
import { hasHelp } from "../game/help.js";

/** Signs by what happened at a move. @type {Record<Sign, string>} */
export const SIGNS = { best: "🟢", costs: "⚪", lost: "❌", late: "⬛", open: "🔹", help: "💡" };
/** Letters of the signs in the address of the picture (`web/drawing/result_picture.py`) and of a friend's result.
 * @type {Record<Sign, string>} */
export const LETTERS = { best: "b", costs: "c", lost: "l", late: "a", open: "o", help: "h" };
/** Most signs written one by one. More are counted. */
const MAX_SIGNS = 24;

/** Return the text: title, result, signs and link, each on a line of its own. @param {Story} story @param {Get} get */
export const shareText = (story, get) =>
  [oneLine(story.title), resultLine(story, get), signLine(story.signs), story.link]
    .filter(Boolean)
    .join("\n");

/** Return moves, tries and help in one line. @param {Story} story @param {Get} get */
export function resultLine(story, get) {
  const parts = [outcome(story, get), get("share.tries", { n: story.tries }), ...helpTexts(story, get)];
  return `${medalSign(story)} ${parts.join(" · ")}`;
}

/** @param {Story} story */
function medalSign({ isSolved, moves, best, help }) {
  if (!isSolved) return "❌";
  if (moves !== best) return "✅";
  return hasHelp(help) ? "💡" : "⭐";
}

/** Return how the game ended. @param {Story} story @param {Get} get */
export function outcome({ isSolved, moves, best, left }, get) {
  if (!isSolved) return left ? get("share.left", { left }) : get("share.stuck");
  if (best === null) return get("count.moves", { n: moves });
  return get(moves === best ? "share.fewest" : "share.more", { n: moves, best });
}

/** Return the kinds of help that were used. @param {Pick<Story, "help">} story @param {Get} get @returns {string[]} */
export const helpTexts = ({ help }, get) => [
  ...(help.hints ? [get("share.hints", { n: help.hints })] : []),
  ...(help.checks ? [get("share.checks", { n: help.checks })] : []),
  ...(help.solution ? [get("share.solution")] : []),
  ...(help.verdict ? [get("share.verdict")] : []),
  ...(help.told ? [get("share.told")] : []),
  ...(help.reviewed ? [get("share.reviewed")] : []),
];

/** Return the signs of the moves, or the number of each sign if they are many. @param {readonly Sign[]} signs */
export function signLine(signs) {
  if (signs.length <= MAX_SIGNS) return signs.map((sign) => SIGNS[sign]).join("");
  return occurring(signs)
    .map((sign) => `${SIGNS[sign]}×${signs.filter((other) => other === sign).length}`)
    .join(" ");
}

/** Return the different signs in a fixed order. @param {readonly Sign[]} signs @returns {Sign[]} */
export const occurring = (signs) =>
  /** @type {Sign[]} */ (Object.keys(SIGNS)).filter((sign) => signs.includes(sign));

/** @param {string} text */
const oneLine = (text) => text.replace(/\s+/g, " ").trim();
