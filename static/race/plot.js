/**
 * Plot of nodes by limit on a log scale, one curve per contestant. Every curve has its own marker and dashes, so that
 * it can be read without colour.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/rows.js").Row} Row
 */
import { powerOfTen, ratioText } from "../search/rows.js";
import { svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const BOX = { left: 44, top: 14, right: 524, bottom: 362 };
/** Height of a name in the legend, in drawing units. */
const NAME_HEIGHT = 28;
const MIN_DECADES = 4;
const MIN_LIMITS = 7;
const SIGNS = ["circle", "square", "triangle", "diamond"];

/** The plot of a race. */
export class Plot {
  /** @param {SVGElement} root @param {Contestant[]} contestants */
  constructor(root, contestants) {
    this.root = root;
    this.contestants = contestants;
    this.decades = MIN_DECADES;
    this.last = MIN_LIMITS;
    this.floor = 0;
    this.show();
  }

  show() {
    const rows = this.contestants.flatMap((contestant) => contestant.rows.all);
    const hasZero = rows.some((row) => row.nodes < 1);
    this.decades = Math.max(MIN_DECADES, Math.ceil(Math.log10(Math.max(1, ...rows.map((row) => row.nodes)))));
    this.last = Math.max(MIN_LIMITS, ...rows.map((row) => row.limit));
    this.floor = hasZero ? -0.5 : 0;
    this.root.replaceChildren(...this.#axes(hasZero), ...this.contestants.map((contestant, index) => this.#curve(contestant, index)), ...this.#legend(), ...this.#bracket());
  }

  /** @param {number} limit */
  #x(limit) {
    return BOX.left + ((BOX.right - BOX.left) * limit) / this.last;
  }

  /** @param {number} nodes */
  #y(nodes) {
    const level = nodes < 1 ? this.floor : Math.log10(nodes);
    return BOX.bottom - ((level - this.floor) * (BOX.bottom - BOX.top)) / (this.decades - this.floor);
  }

  /** Return grid, ticks and labels. @param {boolean} hasZero */
  #axes(hasZero) {
    const powers = Array.from({ length: this.decades + 1 }, (_, power) => power);
    const limits = Array.from({ length: this.last }, (_, index) => index + 1);
    const every = this.last > 12 ? 5 : 1;
    const minor = powers.slice(0, -1).flatMap((power) => [2, 3, 4, 5, 6, 7, 8, 9].map((digit) => this.#y(digit * 10 ** power)));
    return [
      svg("path", { class: "grid", d: powers.map((power) => `M${BOX.left} ${this.#y(10 ** power)}H${BOX.right}`).join("") }),
      svg("path", { class: "axis", d: `M${BOX.left} ${BOX.top}V${BOX.bottom}H${BOX.right}` }),
      svg("path", { class: "axis", d: minor.map((y) => `M${BOX.left - 5} ${y}h5`).join("") }),
      svg("path", { class: "axis", d: limits.map((limit) => `M${this.#x(limit)} ${BOX.bottom}v5`).join("") }),
      ...powers.map((power) => label(powerOfTen(power), BOX.left - 10, this.#y(10 ** power) + 4, "end")),
      ...(hasZero ? [label("0", BOX.left - 10, BOX.bottom + 4, "end")] : []),
      ...limits.filter((limit) => limit === 1 || limit % every === 0).map((limit) => label(String(limit), this.#x(limit), BOX.bottom + 20)),
      label(texts.get("plot.limit"), (BOX.left + BOX.right) / 2, BOX.bottom + 42),
    ];
  }

  /** @param {Contestant} contestant @param {number} index */
  #curve(contestant, index) {
    const group = svg("g", { class: `lane-${"abcd"[index]}`, "data-plot": contestant.about.method });
    const done = contestant.rows.finished;
    const running = contestant.rows.all.find((row) => row.state === "searching");
    if (running && done.length) group.append(svg("path", { class: "line running", d: this.#path([done[done.length - 1], running]) }));
    if (done.length > 1) group.append(svg("path", { class: "line", d: this.#path(done) }));
    const size = Math.max(8, Math.min(14, 400 / this.last));
    for (const row of done) {
      const [x, y] = [this.#x(row.limit) - size / 2, this.#y(row.nodes) - size / 2];
      group.append(svg("use", { href: `#lane-${SIGNS[index]}`, x, y, width: size, height: size }));
    }
    return group;
  }

  /** @param {Row[]} rows */
  #path(rows) {
    return rows.map((row, index) => `${index ? "L" : "M"}${this.#x(row.limit).toFixed(1)} ${this.#y(row.nodes).toFixed(1)}`).join("");
  }

  /** Return the legend, above the axes, where no curve runs. templates/parts/race_table.html leaves room for it. */
  #legend() {
    return this.contestants.map((contestant, index) => {
      const group = svg("g", { class: `lane-${"abcd"[index]} legend` });
      const y = NAME_HEIGHT * (index + 0.5 - this.contestants.length);
      const name = label(contestant.about.title, BOX.left + 24, y + 5, "start");
      name.setAttribute("class", "big");
      group.append(svg("use", { href: `#lane-${SIGNS[index]}`, x: BOX.left, y: y - 7, width: 14, height: 14 }), name);
      return group;
    });
  }

  /** Return a bracket with the ratio of most to fewest nodes at the last limit; [] without two proofs at it. */
  #bracket() {
    const ends = this.contestants.flatMap(({ hasProof, rows }) => (hasProof ? rows.all.slice(-1) : []));
    const counts = ends.filter(({ nodes, limit }) => nodes && limit === this.last).map(({ nodes }) => nodes);
    if (counts.length < 2) return [];
    const ratio = Math.max(...counts) / Math.min(...counts);
    const [top, bottom] = [this.#y(Math.max(...counts)), this.#y(Math.min(...counts))];
    if (bottom - top < 24) return [];
    const text = label(ratioText(ratio), BOX.right + 20, (top + bottom) / 2 + 5, "start");
    text.setAttribute("class", "big");
    return [svg("path", { class: "bracket", d: `M${BOX.right + 12} ${top}V${bottom}` }), svg("path", { class: "axis", d: `M${BOX.right + 7} ${top}h10M${BOX.right + 7} ${bottom}h10` }), text];
  }
}

/** @param {string} text @param {number} x @param {number} y @param {string} [anchor] */
function label(text, x, y, anchor = "middle") {
  const element = svg("text", { x, y, "text-anchor": anchor });
  element.textContent = text;
  return element;
}
