/** The number of the hole that a mouse points at, as lists of moves name it; numbered tiles have names of their own. */
import { drawn, svg } from "./overlays.js";
import { cellsOf, plan } from "../game/position.js";

/** @param {import("./board.js").Board} board */
export function nameHoles(board) {
  if (Object.values(board.look.glyphs).some((glyph) => glyph.startsWith("tile"))) return;
  const names = [...board.drawing.querySelectorAll(".hole-no")];
  const layer = svg("g", { class: "pointed" });
  board.drawing.append(layer);
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("pointerenter", ({ pointerType }) => pointerType === "mouse" && layer.replaceChildren(names[hole].cloneNode(true)));
    spot.addEventListener("pointerleave", () => layer.replaceChildren());
  });
}


/** @param {import("./board.js").Board} board @param {() => import("../game/session.js").State} state */
export function previewTurns(board, state) {
  const layer = svg("g", { class: "preview" });
  board.drawing.append(layer);
  const show = (/** @type {number} */ hole) => layer.replaceChildren(...turnedBy(board, state(), hole).map(outline));
  const outline = (/** @type {number} */ hole) => drawn({ name: "m-would", at: board.point(hole) });
  const clear = () => layer.replaceChildren();
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("pointerenter", () => show(hole));
    spot.addEventListener("focus", () => spot.matches(":focus-visible") && show(hole)); // not where a tap has put it
    for (const name of ["pointerleave", "blur", "click"]) spot.addEventListener(name, clear);
  });
}

/** @param {import("./board.js").Board} board @param {import("../game/session.js").State} state @param {number} hole */
function turnedBy(board, { graded, show }, hole) {
  if (!graded || show) return [];
  const steps = graded.steps.filter((step) => step.from === hole);
  return steps.flatMap((step) => plan(cellsOf(graded.position), cellsOf(step.position), board.isEmpty, [step]).turned);
}
