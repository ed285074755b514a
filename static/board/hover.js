/** Overlays for the hole under the pointer: its number, and the discs that a step from it would flip. */
import { glyph, pointOf } from "./overlays.js";
import { svg } from "../ui/dom.js";
import { cellsOf, differences, puzzle } from "../game/position.js";

/** Show the number of the hole under the mouse, as used in move lists. Do nothing for numbered tiles.
 * @param {import("./board.js").Board} board */
export function showHoleNumbers(board) {
  if (Object.values(puzzle.glyphs).some((glyph) => glyph.startsWith("tile"))) return;
  const names = [...board.drawing.querySelectorAll(".hole-no")];
  const layer = svg("g", { class: "pointed" });
  board.drawing.append(layer);
  board.spots.forEach((spot, hole) => {
    spot.addEventListener(
      "pointerenter",
      ({ pointerType }) => pointerType === "mouse" && layer.replaceChildren(names[hole].cloneNode(true)),
    );
    spot.addEventListener("pointerleave", () => layer.replaceChildren());
  });
}

/** Outline the discs that a step would flip while its piece is under the pointer or has the keyboard focus.
 * @param {import("./board.js").Board} board @param {() => import("../game/session.js").State} state */
export function previewFlips(board, state) {
  const layer = svg("g", { class: "preview" });
  board.drawing.append(layer);
  const show = (/** @type {number} */ hole) =>
    layer.replaceChildren(...flippedBy(board, state(), hole).map(outline));
  const outline = (/** @type {number} */ hole) => glyph("m-would", pointOf(hole));
  const clear = () => layer.replaceChildren();
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("pointerenter", () => show(hole));
    spot.addEventListener("focus", () => spot.matches(":focus-visible") && show(hole)); // not after a tap
    for (const name of ["pointerleave", "blur", "click"]) spot.addEventListener(name, clear);
  });
}

/** @param {import("./board.js").Board} board @param {import("../game/session.js").State} state @param {number} hole */
function flippedBy(board, { analysis, solution }, hole) {
  if (!analysis || solution) return [];
  const steps = analysis.steps.filter((step) => step.from === hole);
  return steps.flatMap(
    (step) => differences(cellsOf(analysis.position), cellsOf(step.position), [step]).turned,
  );
}
