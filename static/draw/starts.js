/** The picture of what can be solved: each hole says whether one peg can be left if it alone is empty at first, or, once a start
 * is chosen, whether the last peg can end in it. */
import { svg as svgElement } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

export class Starts {
  /** @type {SVGGElement[]} */
  #holes = [];

  /** @param {SVGSVGElement} svg @param {(hole: number) => void} choose */
  constructor(svg, choose) {
    this.svg = svg;
    const chosen = (/** @type {Event} */ { target }) => {
      const hole = target instanceof Element ? target.closest(".start")?.getAttribute("data-start") : null;
      if (hole) choose(Number(hole));
      return Boolean(hole);
    };
    svg.addEventListener("click", chosen);
    svg.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && chosen(event)) event.preventDefault();
    });
  }

  /** Draw the holes of a board without any result. @param {readonly [number, number][]} points middles, 100 units apart */
  draw(points) {
    const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
    const [left, top] = [Math.min(...xs), Math.min(...ys)];
    const size = [Math.max(...xs) - left + 110, Math.max(...ys) - top + 110];
    this.svg.setAttribute("viewBox", `${left - 55} ${top - 55} ${size.join(" ")}`);
    this.#holes = points.map(([x, y], hole) => {
      const group = svgElement("g", {
        class: "start",
        role: "button",
        tabindex: "0",
        "data-start": String(hole),
        transform: `translate(${x} ${y})`,
      });
      group.append(svgElement("text", { dy: "12" }), svgElement("circle", { class: "chosen", r: "50" }));
      return group;
    });
    this.svg.replaceChildren(...this.#holes);
    this.#holes.forEach((_, hole) => this.show(hole, undefined, "start"));
  }

  /** Show the result of a hole. @param {number} hole @param {number | null | undefined} moves null: impossible; undefined: not
   * known yet @param {"start" | "finish"} kind */
  show(hole, moves, kind) {
    const group = this.#holes[hole];
    group.querySelector(".face")?.remove();
    const isSquare = moves === null; // never by colour alone
    const face = isSquare
      ? svgElement("rect", { class: "face", x: "-38", y: "-38", width: "76", height: "76", rx: "8" })
      : svgElement("circle", { class: "face", r: "42" });
    group.prepend(face);
    const text = moves === undefined ? "" : (moves ?? "×");
    group.querySelectorAll("text").forEach((label) => (label.textContent = String(text)));
    if (moves === undefined) delete group.dataset.moves;
    else group.dataset.moves = String(moves ?? "");
    const key =
      moves === undefined ? `draw.${kind}.open` : moves === null ? `draw.${kind}.no` : `draw.${kind}.yes`;
    group.setAttribute("aria-label", texts.get(key, { hole, n: moves ?? 0 }));
  }

  /** Mark the chosen start. @param {number | null} chosen */
  choose(chosen) {
    this.#holes.forEach((group, hole) => group.setAttribute("aria-pressed", String(hole === chosen)));
  }
}
