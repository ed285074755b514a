/** Buttons over the holes of the figure's board, for mouse, touch and keyboard. */
import { cellsOf } from "../game/cells.js";
import { puzzle, pointOf } from "../game/position.js";
import { find, svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Put a button over each hole. Return a function that names them for a position, with a remark for each hole or "".
 * @param {(hole: number, event: Event) => void} act */
export function offerHoles(act) {
  const board = find(".stage svg", SVGElement);
  board.setAttribute("role", "group");
  const spots = puzzle.points.map((_, hole) => {
    const { x, y } = pointOf(hole);
    const spot = svg("circle", {
      class: "spot",
      cx: x,
      cy: y,
      r: 48,
      role: "button",
      tabindex: 0,
      "data-hole": hole,
    });
    spot.addEventListener("click", (event) => act(hole, event));
    spot.addEventListener("keydown", (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      if (key !== "Enter" && key !== " ") return;
      event.preventDefault();
      act(hole, event);
    });
    return spot;
  });
  board.append(...spots);
  return (/** @type {string} */ position, /** @type {(hole: number) => string} */ remark = () => "") =>
    spots.forEach((spot, hole) => {
      const name = puzzle.glyphs[cellsOf(position)[hole]] ?? "empty";
      const label = texts.get(texts.has(`cell.${name}`) ? `cell.${name}` : "cell.empty", { hole });
      spot.setAttribute("aria-label", [label, remark(hole)].filter(Boolean).join(texts.get("comma")));
    });
}
