/** Overlays for the hole under the pointer: its number, where its piece may go, and the discs that would flip. */
import { glyph } from "./overlays.js";
import { svg } from "../ui/dom.js";
import { cellsOf, differences } from "../game/cells.js";

/** Show the number of the hole under the mouse, as used in move lists. Do nothing for numbered tiles.
 * @param {import("./board.js").Board} board */
export function showHoleNumbers(board) {
  if (Object.values(board.puzzle.glyphs).some((glyph) => glyph.startsWith("tile"))) return;
  const names = [...board.drawing.querySelectorAll(".numbers .hole-no")];
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

/** Show the steps of a piece while it is under the pointer or has the keyboard focus: the discs that it would flip, or the
 * holes that it can reach.
 * @param {import("./board.js").Board} board @param {() => import("../game/session.js").State} state */
export function previewSteps(board, state) {
  const layer = svg("g", { class: "preview" });
  board.drawing.append(layer);
  const show = (/** @type {number} */ hole) => layer.replaceChildren(...preview(board, state(), hole));
  const clear = () => layer.replaceChildren();
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("pointerenter", ({ pointerType, buttons }) => {
      if (!buttons && (pointerType === "mouse" || !board.puzzle.multiStepMoves)) show(hole);
    });
    spot.addEventListener("focus", () => spot.matches(":focus-visible") && show(hole)); // not after a tap
    for (const name of ["pointerleave", "blur", "pointerdown", "click"]) spot.addEventListener(name, clear);
  });
}

/** @param {import("./board.js").Board} board @param {import("../game/session.js").State} state @param {number} hole */
function preview({ puzzle, pointOf }, { analysis, solution, selected }, hole) {
  if (!analysis || solution || selected === hole) return [];
  const steps = analysis.steps.filter((step) => step.from === hole);
  if (puzzle.multiStepMoves) return steps.map(({ to }) => glyph("m-target", pointOf(to)));
  return steps
    .flatMap(
      (step) => differences(puzzle.glyphs, cellsOf(analysis.position), cellsOf(step.position), [step]).turned,
    )
    .map((turned) => glyph("m-would", pointOf(turned)));
}
