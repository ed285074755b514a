/**
 * The drawing on the page: a grid of places that taps, strokes and keys change. It shows a sketch and tells what is pressed.
 *
 * @typedef {import("./sketch.js").Sketch} Sketch
 */
import { svg as svgElement } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { cellAt, partsOf, placeAt, sizeOf } from "./sketch.js";

/** Drawing units from one place to the next; those of boards. */
const PITCH = 100;
/** @type {Record<string, string>} */
const GLYPHS = { ".": "#hole-s", o: "#peg-s", r: "#peg-red-s" };
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Canvas {
  /** Place -> its element. @type {Map<string, SVGGElement>} */
  #places = new Map();
  #grid = "";

  /** @param {SVGSVGElement} svg @param {(place: string, isFirst: boolean) => void} press is called for each place of a stroke
   * @param {(place: string | null) => void} look is called with the place under pointer or focus */
  constructor(svg, press, look) {
    this.svg = svg;
    this.#strokes(press);
    svg.addEventListener("keydown", (event) => this.#key(event, press));
    svg.addEventListener("focusin", ({ target }) => look(placeOf(target)));
    svg.addEventListener("pointerover", ({ target }) => look(placeOf(target)));
    svg.addEventListener("pointerleave", () => look(null));
  }

  /** @param {Sketch} sketch */
  show(sketch) {
    const [columns, rows] = sizeOf(sketch);
    const grid = [columns, rows, sketch.lattice].join();
    if (grid !== this.#grid) this.#draw(columns, rows, sketch.lattice);
    this.#grid = grid;
    for (const [place, group] of this.#places) {
      const cell = sketch.holes.has(place) ? cellAt(sketch, place) : "";
      if (group.dataset.cell !== cell || !group.querySelector("use, .free")) paint(group, cell);
      group.toggleAttribute("data-goal", sketch.goal === place);
      group.querySelector(".goal-ring")?.remove();
      if (sketch.goal === place) group.append(svgElement("circle", { class: "goal-ring", r: "46" }));
    }
  }

  /** Show at some places what a hole more or less would change. @param {ReadonlyMap<string, string>} changes place -> text */
  showChanges(changes) {
    for (const [place, group] of this.#places) {
      group.querySelector(".change")?.remove();
      const text = changes.get(place);
      if (!text) continue;
      const label = svgElement("text", { class: "change", dy: "10" });
      label.textContent = text;
      group.append(label);
    }
  }

  /** @param {number} columns @param {number} rows @param {string} lattice */
  #draw(columns, rows, lattice) {
    const isSlanted = lattice === "t";
    const height = isSlanted ? (PITCH * Math.sqrt(3)) / 2 : PITCH;
    const width = (columns + (isSlanted ? 0.5 : 0)) * PITCH;
    this.svg.setAttribute("viewBox", `${-PITCH / 2} ${-PITCH / 2} ${width} ${(rows - 1) * height + PITCH}`);
    this.#places.clear();
    const lines = Array.from({ length: rows }, (_, row) => {
      const line = svgElement("g", { role: "row" });
      for (let column = 0; column < columns; column += 1) {
        const x = (column + (isSlanted && row % 2 ? 0.5 : 0)) * PITCH;
        line.append(this.#place(column, row, `translate(${x} ${(row * height).toFixed(1)})`));
      }
      return line;
    });
    this.svg.replaceChildren(...lines);
    this.#stop(placeAt(columns >> 1, rows >> 1));
  }

  /** @param {number} column @param {number} row @param {string} transform */
  #place(column, row, transform) {
    const place = placeAt(column, row);
    const group = svgElement("g", {
      class: "place",
      role: "gridcell",
      tabindex: "-1",
      transform,
      "data-place": place,
    });
    group.append(svgElement("circle", { class: "target", r: "49" }));
    this.#places.set(place, group);
    return group;
  }

  /** Make a place the stop of the Tab key. @param {string} place */
  #stop(place) {
    for (const [other, group] of this.#places) group.setAttribute("tabindex", other === place ? "0" : "-1");
  }

  /** @param {KeyboardEvent} event @param {(place: string, isFirst: boolean) => void} press */
  #key(event, press) {
    const place = placeOf(event.target);
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === " ") press(place, true);
    else if (event.key in ARROWS) this.#move(place, ARROWS[event.key]);
    else return;
    event.preventDefault();
  }

  /** @param {string} place @param {[number, number]} way */
  #move(place, [dx, dy]) {
    const [column, row] = partsOf(place);
    const next = placeAt(column + dx, row + dy);
    if (!this.#places.has(next)) return;
    this.#stop(next);
    this.#places.get(next)?.focus();
  }

  /** @param {(place: string, isFirst: boolean) => void} press */
  #strokes(press) {
    /** Last place of the stroke, or null. @type {string | null} */
    let last = null;
    this.svg.addEventListener("pointerdown", (event) => {
      const place = placeOf(event.target);
      if (!place || event.button !== 0) return;
      this.svg.setPointerCapture(event.pointerId);
      last = place;
      this.#stop(place);
      press(place, true);
    });
    this.svg.addEventListener("pointermove", ({ clientX, clientY }) => {
      if (last === null) return;
      const place = placeOf(document.elementFromPoint(clientX, clientY));
      if (!place || place === last) return;
      last = place;
      press(place, false);
    });
    for (const end of ["pointerup", "pointercancel"]) this.svg.addEventListener(end, () => (last = null));
  }
}

/** Return the place of an element, or null. @param {EventTarget | null} target */
const placeOf = (target) =>
  target instanceof Element ? (target.closest("[data-place]")?.getAttribute("data-place") ?? null) : null;

/** @param {SVGGElement} group @param {string} cell what is in the hole; "" if the place is none */
function paint(group, cell) {
  group.dataset.cell = cell;
  group.querySelectorAll("use, .free").forEach((part) => part.remove());
  if (cell === "") group.append(svgElement("circle", { class: "free", r: "7" }));
  else group.append(svgElement("use", { href: GLYPHS[cell] }));
  const [column, row] = partsOf(group.dataset.place ?? "").map((number) => number + 1);
  const what = texts.get({ "": "draw.free", ".": "draw.empty", o: "draw.peg", r: "draw.red" }[cell] ?? "");
  group.setAttribute("aria-label", texts.get("draw.place", { row, column, what }));
}
