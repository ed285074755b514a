/** The mistakes of a game as small boards: the step that was played, and a better one. */
import { goal, inNotation, puzzle } from "../game/position.js";
import { create } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { goodSteps } from "./attempt.js";

/**
 * @typedef {import("./grades.js").Analyses} Analyses
 * @typedef {import("./grades.js").Place} Place
 * @typedef {{ from: number, to: number }} Step
 */

/** Most mistakes that are drawn. */
const MOST = 8;

/** Return a list item for each mistake on the line that has a better step; pressed, it shows the move.
 * @param {Place[]} places @param {Analyses} analyses @param {(move: number) => void} show the move with a number, from 1 */
export const mistakes = (places, analyses, show) =>
  places
    .flatMap(({ position, move, step }) => {
      const analysis = analyses.get(position);
      const [better] = analysis ? goodSteps(analysis) : [];
      return move === null || !step || !better ? [] : [item(position, move, step, better, show)];
    })
    .slice(0, MOST);

/** @param {string} position @param {number} move @param {Step} step @param {Step} better
 * @param {(move: number) => void} show */
function item(position, move, step, better, show) {
  const shown = picture(position, better, "review.better"); // by the page, once it was tried or asked for
  const key = create(
    "button",
    { type: "button", className: "mistake" },
    create("b", {}, texts.get("review.moveNumber", { n: move })),
    picture(position, step, "review.you"),
    shown,
  );
  Object.assign(shown, { hidden: true }).dataset.better = position;
  key.addEventListener("click", () => show(move));
  return create("li", {}, key);
}

/** Return a small board with a step as an arrow. @param {string} position @param {Step} step @param {string} caption */
function picture(position, { from, to }, caption) {
  const query = new URLSearchParams({ position, goal, arrow: `${from}-${to}`, size: "160" });
  const [notation] = inNotation(position, [[from, to]]);
  return create(
    "span",
    {},
    create("img", { src: `/puzzles/${puzzle.id}/board.svg?${query}`, alt: "", loading: "lazy" }),
    create("small", {}, texts.get(caption, { step: notation })),
  );
}
