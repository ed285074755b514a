/** The explorer: shows on the board the step under the pointer, and the first moves of a shortest solution after it; beside a
 * dead position the numbers that prove it. */
import "../ui/settings.js";
import { goal, puzzle } from "../game/position.js";
import { countHelpOfPage } from "../game/help_of_page.js";
import { linkBackToGame } from "../ui/position_links.js";
import * as api from "../game/api.js";
import { element, pageData } from "../ui/dom.js";
import { groupsOf } from "../game/reason.js";
import { ShownBoard } from "../keys/shown_board.js";

linkBackToGame();
countHelpOfPage(puzzle.id, element("main").dataset.position ?? "", goal);

const MAX_ARROWS = 3;
const POLL_PAUSE = 1500;

const { preparing, reason } = pageData();
const figure = new ShownBoard();

/** @type {Element | null} */
let pointedRow = null;

/** Draw a step and up to `MAX_ARROWS` - 1 moves after it as arrows. Repeat a failed request while the row is pointed at.
 * @param {HTMLElement} row */
async function show(row) {
  pointedRow = row;
  const { from, to, position, verdict } = row.dataset;
  const step = [Number(from), Number(to)];
  figure.show(figure.position, { arrows: [step] });
  if (verdict !== "live" || !position) return;
  const solution = await api.solution(position).catch(() => null);
  if (pointedRow !== row) return;
  if (solution) figure.mark({ arrows: joined(step, solution.moves).slice(0, MAX_ARROWS) });
  else setTimeout(() => pointedRow === row && show(row), POLL_PAUSE);
}

/** Return a step and the moves after it as one list of moves. The step joins the first move if both are of the same piece.
 * @param {number[]} step @param {number[][]} moves */
function joined(step, [next, ...rest]) {
  if (next && next[0] === step[1]) return [[...step, ...next.slice(1)], ...rest];
  return [step, ...(next ? [next] : []), ...rest];
}

function clear() {
  pointedRow = null;
  figure.show(figure.position, { groups: reason ? groupsOf(reason) : [] });
}

for (const row of document.querySelectorAll("tr[data-from]")) {
  if (!(row instanceof HTMLElement)) continue;
  row.addEventListener("pointerenter", () => show(row));
  row.addEventListener("focusin", () => show(row));
  row.addEventListener("pointerleave", clear);
  row.addEventListener("focusout", clear);
}
clear();
const initialRow = document.querySelector("tr[data-from]:is(:hover, :focus-within)");
if (initialRow instanceof HTMLElement) show(initialRow);

/** Poll while the server starts up, computes a table or does not answer, then reload the page. */
async function wait() {
  const answer = await api.analysis(element("main").dataset.position ?? "").catch(() => null);
  if (!answer || answer.warming || typeof answer.preparation === "number") setTimeout(wait, POLL_PAUSE);
  else location.reload();
}
if (preparing) setTimeout(wait, POLL_PAUSE);
