/**
 * A board to look at: any position, with arrows along a line. The drawing is the server's.
 *
 * @typedef {{ points: [number, number][], glyphs: Record<string, string> }} Look
 */
import { chain, drawn, svg } from "./marks.js";

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

  /** Arrows for moves that need not hang together. @param {number[][]} moves */
  point(moves) {
    this.marks.replaceChildren(...moves.flatMap((move) => chain(move.map((hole) => this.#point(hole)))));
  }

  /** @param {string} cell @param {number} hole */
  #piece(cell, hole) {
    const { x, y } = this.#point(hole);
    const piece = svg("g", { class: "piece", transform: `translate(${x} ${y})` });
    piece.append(svg("use", { href: `#${this.look.glyphs[cell]}` }));
    return piece;
  }
}
