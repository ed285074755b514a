/** Zoom for boards whose holes are too small for a finger. A board that is drawn large lies in a frame that scrolls. */
import { button, element, write } from "../ui/dom.js";
import { isDrawnLarge, saveDrawnLarge, settings } from "../ui/storage.js";
import { positionAt } from "../game/line.js";
import { hasReducedMotion } from "./animation.js";
import { isScrolled } from "./frame.js";
import { cellsOf } from "../game/cells.js";
import { isEmpty, puzzle } from "../game/position.js";

/** Let the button `#zoom` switch between the large and the whole board, for this puzzle alone. In calm mode a board with small
 * holes is large unless the player chose otherwise. */
export function offerZoom() {
  const zoomButton = button("zoom");
  const [larger, whole] = (zoomButton.dataset.labels ?? "").split("|");
  const show = (/** @type {boolean} */ large) => {
    element(".board").classList.toggle("large", large);
    write(zoomButton, large ? whole : larger); // the label names the next action
  };
  zoomButton.addEventListener("click", () => {
    saveDrawnLarge(puzzle.id, !element(".board").classList.contains("large"));
    show(isDrawnLarge(puzzle.id) === true);
    document.dispatchEvent(new Event("zoomed"));
  });
  const choose = () => {
    show(false);
    show(isDrawnLarge(puzzle.id) ?? (settings().calm && zoomButton.checkVisibility()));
  };
  document.addEventListener("settings", choose);
  choose();
}

/** After every change of the game, scroll to the hint, or else to the only gap or the last target.
 * @param {import("./board.js").Board} board @param {import("../game/session.js").Session} session */
export function followPlay(board, session) {
  const show = () => reveal(board, holeOfInterest(session));
  session.subscribe(["line", "travel"], show);
  session.subscribe(["hint"], ({ hint }) => {
    if (hint) reveal(board, hint.stage === 1 ? hint.from : hint.to);
  });
  document.addEventListener("zoomed", show);
  requestAnimationFrame(show); // if called at once, the browser would have to lay out the page twice
}

/** Return the only gap, which is the target of every step, or else the target of the last step; -1 if there is neither.
 * @param {import("../game/session.js").Session} session @returns {number} */
function holeOfInterest(session) {
  const gaps = [...cellsOf(positionAt(session.shown).position)].flatMap((cell, hole) =>
    isEmpty(cell) ? [hole] : [],
  );
  return gaps.length === 1
    ? gaps[0]
    : (session.state.travel.at(-1)?.to ?? session.shown.steps[session.shown.at - 1]?.to ?? -1);
}

/** @param {import("./board.js").Board} board @param {number} hole */
function reveal(board, hole) {
  if (isScrolled(board))
    board.spots[hole]?.scrollIntoView({
      inline: "center",
      block: "nearest",
      behavior: hasReducedMotion() ? "auto" : "smooth",
    });
}
