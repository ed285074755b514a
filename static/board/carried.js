/**
 * A piece in the hand of a pointer: drawn above the whole page, so that nothing covers or clips it. The board keeps a ghost
 * of it in its hole.
 *
 * @typedef {import("./overlays.js").Point} Point
 */
import { svg } from "../ui/dom.js";

/** Half the width of the drawing of a carried piece, in units of the board. */
const REACH = 60;

/** A piece that follows a pointer. */
export class Carried {
  /** @param {import("./board.js").Board} board @param {number} hole of the piece @param {DOMMatrix} screen of the board's
   * drawing: from drawing units to pixels of the window @param {PointerEvent} down */
  constructor(board, hole, screen, down) {
    const at = board.pointOf(hole);
    const home = new DOMPoint(at.x, at.y).matrixTransform(screen);
    this.grip = { x: home.x - down.clientX, y: home.y - down.clientY };
    const width = 2 * REACH * Math.hypot(screen.a, screen.b);
    this.drawing = svg("svg", {
      class: "carried",
      viewBox: `${-REACH} ${-REACH} ${2 * REACH} ${2 * REACH}`,
      width,
      height: width,
      "aria-hidden": "true",
    });
    const shape = board.piece(hole)?.firstElementChild?.cloneNode();
    const isMovable = board.spots[hole].dataset.movable !== undefined;
    this.drawing.append(...(shape ? [shape] : []), ...(isMovable ? [svg("use", { href: "#m-active" })] : []));
    const tree = board.root.getRootNode(); // the glyphs are found only in the tree that has them
    ("body" in tree ? /** @type {Document} */ (tree).body : tree).appendChild(this.drawing);
    board.lift(hole);
  }

  /** @param {PointerEvent} event */
  follow({ clientX, clientY }) {
    this.drawing.style.transform = `translate(${clientX + this.grip.x}px, ${clientY + this.grip.y}px) translate(-50%, -50%)`;
  }

  remove() {
    this.drawing.remove();
  }
}
