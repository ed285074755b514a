/**
 * The elements of a board. The drawing comes from the server as a tree, and is built node by node: a page may forbid to parse
 * markup (Trusted Types) and inline styles.
 *
 * @typedef {[name: string, attributes: Record<string, string>, ...content: (Tree | string)[]]} Tree
 */
import { svg } from "../ui/dom.js";

/** Width of a button in drawing units: nearest holes are 100 apart. */
const BUTTON = 98;

/** Return an element of a drawing. @param {Tree} tree @returns {SVGElement} */
function build([name, attributes, ...content]) {
  const element = /** @type {SVGElement} */ (
    svg(/** @type {keyof SVGElementTagNameMap} */ (name), attributes)
  );
  element.append(...content.map((part) => (typeof part === "string" ? part : build(part))));
  return element;
}

/** Return a board: its drawing, and one button for each hole. @param {Tree} drawing @param {[number, number][]} points
 * @param {string} cells characters of the holes as drawn */
export function buildBoard(drawing, points, cells) {
  const board = document.createElement("div");
  const spots = document.createElement("div");
  const picture = build(drawing);
  const [left, top, width, height] = (picture.getAttribute("viewBox") ?? "").split(" ").map(Number);
  [board.className, spots.className] = ["board", "spots"];
  points.forEach(([x, y], hole) => {
    const spot = document.createElement("button");
    Object.assign(spot, { type: "button", className: "spot", tabIndex: hole ? -1 : 0 });
    Object.assign(spot.dataset, { hole: String(hole), cell: cells[hole] });
    spot.style.left = `${((x - left) / width) * 100}%`;
    spot.style.top = `${((y - top) / height) * 100}%`;
    spot.style.width = `${(BUTTON / width) * 100}%`;
    spots.append(spot);
  });
  board.append(picture, spots);
  return board;
}
