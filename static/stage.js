/**
 * A board to look at: any position, with arrows along a line. The drawing is the server's.
 *
 * @typedef {{ points: [number, number][], glyphs: Record<string, string> }} Look
 */
import { chain, drawn, svg } from "./marks.js";

const FRESH = 3;

export class Stage {
  /** @param {Element} root @param {Look} look */
  constructor(root, look) {
    this.look = look;
    this.pieces = /** @type {Element} */ (root.querySelector(".pieces"));
    this.marks = /** @type {Element} */ (root.querySelector(".marks"));
  }

  /** @param {number} hole */
  #point(hole) {
    const [x, y] = this.look.points[hole];
    return { x, y };
  }

  /** @param {string} position @param {number[][]} [moves] to be made, as numbered arrows @param {number[]} [marked] holes */
  show(position, moves = [], marked = []) {
    const cells = [...position.split(":")[0]];
    this.pieces.replaceChildren(...cells.flatMap((cell, hole) => (cell in this.look.glyphs ? [this.#piece(cell, hole)] : [])));
    const arrows = moves.length ? chain(moves.flatMap((move, index) => (index ? move.slice(1) : move)).map((hole) => this.#point(hole))) : [];
    this.marks.replaceChildren(...marked.map((hole) => drawn({ name: "m-last", at: this.#point(hole) })), ...arrows);
  }

  /** Arrows for moves that need not hang together; all but the last few are faint. @param {number[][]} moves */
  point(moves) {
    const arrows = moves.map((move) => chain(move.map((hole) => this.#point(hole))));
    for (const arrow of arrows.slice(0, -FRESH).flat()) arrow.classList.add("past");
    this.marks.replaceChildren(...arrows.flat());
  }

  /** Groups of holes, each tied together under its number; 0 is not written. @param {{ number: number, holes: number[] }[]} groups */
  count(groups) {
    this.marks.append(...groups.map(({ number, holes }) => this.#group(number, holes.map((hole) => this.#point(hole)))));
  }

  /** @param {number} number @param {{ x: number, y: number }[]} points */
  #group(number, points) {
    const group = svg("g", { class: "m-group" });
    const tie = points.map(({ x, y }, index) => `${index ? "L" : "M"}${x} ${y}`).join("");
    if (points.length > 1 && number) group.append(svg("path", { class: "m-tie", d: tie }));
    for (const name of ["m-count under", "m-count"]) group.append(...points.map(({ x, y }) => svg("circle", { class: name, cx: x, cy: y, r: 45 })));
    if (number) group.append(tag(points[0], number));
    return group;
  }

  /** @param {string} cell @param {number} hole */
  #piece(cell, hole) {
    const { x, y } = this.#point(hole);
    const piece = svg("g", { class: "piece", transform: `translate(${x} ${y})` });
    piece.append(svg("use", { href: `#${this.look.glyphs[cell]}` }));
    return piece;
  }
}

/** A number at the upper right of a hole. @param {{ x: number, y: number }} at @param {number} number */
function tag({ x, y }, number) {
  const sign = svg("g", { class: "m-numeral", transform: `translate(${x + 32} ${y - 32})` });
  const text = svg("text", { y: 9 });
  text.textContent = String(number);
  sign.append(svg("circle", { r: 17 }), text);
  return sign;
}
