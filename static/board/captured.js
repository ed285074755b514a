/** Captured pieces in a groove under the board. Hidden for puzzles without captures. */
import { positionAt } from "../game/line.js";
import { glyph } from "./overlays.js";
import { svg } from "../ui/dom.js";
import { cellsOf } from "../game/position.js";

/** View of the pieces captured in a line. */
export class CapturedPieces {
  #shown = "";

  /** @param {HTMLElement} root @param {Record<string, string>} glyphs */
  constructor(root, glyphs) {
    this.root = root;
    this.glyphs = glyphs;
  }

  /** @param {import("../game/line.js").Line} line */
  show(line) {
    if (this.root.hidden) return;
    const all = this.#pieces(line.start.position);
    const taken = all.length - this.#pieces(positionAt(line).position).length;
    if (this.#shown === `${taken}/${all.length}`) return;
    this.#shown = `${taken}/${all.length}`;
    const places = all.slice(1).map((cell, index) => (index < taken ? this.#piece(cell) : document.createElement("i")));
    this.root.replaceChildren(...places);
  }

  /** @param {string} position */
  #pieces(position) {
    return [...cellsOf(position)].filter((cell) => cell in this.glyphs);
  }

  /** @param {string} cell */
  #piece(cell) {
    const picture = svg("svg", { viewBox: "-50 -50 100 100" });
    picture.append(glyph({ name: this.glyphs[cell], at: { x: 0, y: 0 } }));
    return picture;
  }
}
