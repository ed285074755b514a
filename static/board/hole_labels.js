/** The number of the hole that a mouse points at, as lists of moves name it; numbered tiles have names of their own. */
import { svg } from "./overlays.js";

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
