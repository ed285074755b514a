/** Captured pieces in a groove under the board. Hidden for puzzles without captures. */
import { positionAt } from "../game/line.js";
import { glyph } from "./overlays.js";
import { create, element, svg } from "../ui/dom.js";
import { cellsOf } from "../game/cells.js";
import { isEmpty, puzzle } from "../game/position.js";

/** Show the pieces captured in a line. @param {import("../game/line.js").Line} line */
export function showCaptured(line) {
  const root = element(".captured");
  if (root.hidden) return;
  const pieces = (/** @type {string} */ position) => [...cellsOf(position)].filter((cell) => !isEmpty(cell));
  const all = pieces(line.start.position);
  const taken = all.length - pieces(positionAt(line).position).length;
  if (root.childElementCount === all.length - 1 && root.querySelectorAll("svg").length === taken) return;
  const last = Math.max(
    0,
    all.findIndex((cell) => puzzle.unique.includes(cell)),
  ); // the red peg is never captured
  const places = all
    .filter((_, index) => index !== last)
    .map((cell, index) => (index < taken ? picture(puzzle.glyphs[cell]) : create("i")));
  root.replaceChildren(...places);
}

/** @param {string} name of a glyph */
function picture(name) {
  const drawing = svg("svg", { viewBox: "-50 -50 100 100" });
  drawing.append(glyph(name, { x: 0, y: 0 }));
  return drawing;
}
