/**
 * The picture of a position, drawn by the server, with one button for each hole over it.
 *
 * @typedef {import("../board/overlays.js").Point} Point
 */
import { jump, slide } from "../board/animation.js";

/** Width of a button in drawing units: nearest holes are 100 apart. */
const SIZE = 92;
/** @type {Record<string, number[]>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class BoardPicture {
  /** @param {HTMLElement} root @param {[number, number][]} points middles of the holes @param {(hole: number) => void} press */
  constructor(root, points, press) {
    this.root = root;
    this.points = points;
    this.picture = document.createElement("div");
    this.sheet = new CSSStyleSheet(); // which a policy of the page against inline styles allows
    this.buttons = points.map((_, hole) => this.#button(hole, press));
    root.replaceChildren(this.picture, ...this.buttons);
  }

  /** Draw a picture. @param {string} svg @param {{ holes: number[], jumps: boolean } | null} way holes that a piece has just
   * visited, and whether it jumped; null if nothing moved */
  draw(svg, way) {
    const [before, style, after] = svg.split(/<style>(.*?)<\/style>/s); // parsed, it would be an inline style
    this.sheet.replaceSync(style);
    const drawing = new DOMParser().parseFromString(before + after, "image/svg+xml").documentElement;
    drawing.setAttribute("aria-hidden", "true"); // the labels of the buttons describe the board
    const [left, top, width, height] = (drawing.getAttribute("viewBox") ?? "").split(" ").map(Number);
    this.points.forEach(([x, y], hole) => {
      this.buttons[hole].style.left = `${((x - left) / width) * 100}%`;
      this.buttons[hole].style.top = `${((y - top) / height) * 100}%`;
      this.buttons[hole].style.width = `${(SIZE / width) * 100}%`;
    });
    this.picture.replaceChildren(document.adoptNode(drawing));
    const piece = way && this.picture.querySelector(`[data-at="${way.holes.at(-1)}"]`);
    if (piece)
      this.#move(
        piece,
        way.holes.map((hole) => this.#point(hole)),
        way.jumps,
      );
  }

  /** Describe a hole by its button. @param {number} hole @param {string} label @param {string[]} marks classes */
  describe(hole, label, marks) {
    this.buttons[hole].setAttribute("aria-label", label);
    this.buttons[hole].className = ["hole", ...marks].join(" ");
  }

  /** @param {Element} piece @param {Point[]} points @param {boolean} jumps */
  #move(piece, points, jumps) {
    if (jumps) jump(piece, points);
    else slide(piece, points[0], points[points.length - 1]);
  }

  /** @param {number} hole @returns {Point} */
  #point(hole) {
    const [x, y] = this.points[hole];
    return { x, y };
  }

  /** @param {number} hole @param {(hole: number) => void} press */
  #button(hole, press) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "hole";
    button.dataset.hole = String(hole);
    button.tabIndex = hole ? -1 : 0;
    button.addEventListener("click", () => press(hole));
    button.addEventListener("focus", () =>
      this.buttons.forEach((other) => (other.tabIndex = other === button ? 0 : -1)),
    );
    button.addEventListener("keydown", (event) => {
      const next = event.key in KEYS && !event.altKey && !event.ctrlKey && !event.metaKey;
      if (!next) return;
      event.preventDefault();
      this.buttons[this.#neighbour(hole, KEYS[event.key])].focus();
    });
    return button;
  }

  /** Return the nearest hole in a direction, or the hole itself at an edge. @param {number} hole @param {number[]} direction */
  #neighbour(hole, [dx, dy]) {
    const [x, y] = this.points[hole];
    const cost = (/** @type {number} */ other) => {
      const [along, across] = [
        (this.points[other][0] - x) * dx + (this.points[other][1] - y) * dy,
        (this.points[other][0] - x) * dy - (this.points[other][1] - y) * dx,
      ];
      return along < 1 ? Infinity : along + 2 * Math.abs(across);
    };
    const best = this.points.reduce((near, _, other) => (cost(other) < cost(near) ? other : near), hole);
    return cost(best) < Infinity ? best : hole;
  }
}
