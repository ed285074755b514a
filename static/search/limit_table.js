/**
 * The table of a search: one row per move limit, with a bar on a common log scale.
 *
 * @typedef {import("./metrics.js").Row} Row
 */
import { AutoScroll } from "./auto_scroll.js";
import { svg } from "../board/overlays.js";
import { element, write } from "../ui/dom.js";
import { cutShare, duration, growth } from "./metrics.js";

const FEWEST_DECADES = 5;
/** Seconds below which a speed would be made up: clocks and starts weigh too much. */
const BLINK = 0.03;

export class LimitTable {
  /** @type {Map<number, Row>} */
  #rows = new Map();
  #decades = 0;

  /** @param {HTMLTableElement} table @param {import("../ui/i18n.js").Words} words */
  constructor(table, words) {
    this.body = table.tBodies[0];
    this.scale = /** @type {SVGSVGElement} */ (table.querySelector(".scale svg"));
    this.words = words;
    this.follower = new AutoScroll(table.closest(".sheet") ?? table, () => this.body.lastElementChild);
    this.short = new Intl.NumberFormat(words.language, { notation: "compact", maximumSignificantDigits: 2 });
    this.clear();
  }

  get list() {
    return [...this.#rows.values()];
  }

  /** Nodes a second, to two digits, of the row with most of them: a small one may have waited for a compiler. 0: not known. */
  get speed() {
    const most = this.list.reduce((most, row) => (row.nodes > most.nodes ? row : most), { nodes: 0, seconds: 0 });
    return most.seconds < BLINK ? 0 : Number((most.nodes / most.seconds).toPrecision(2));
  }

  /** The limit that is searched now, 0 before the first. */
  get current() {
    const last = this.list.at(-1);
    return last ? last.limit + Number(last.state === "exhausted") : 0;
  }

  /** Nodes of all rows. */
  get nodes() {
    return this.list.reduce((sum, { nodes }) => sum + nodes, 0);
  }

  /** Nodes of the rows that prove something. */
  get proved() {
    return this.list.reduce((sum, { nodes, state }) => sum + (state === "exhausted" ? nodes : 0), 0);
  }

  /** Seconds that all rows took. */
  get seconds() {
    return this.list.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  clear() {
    this.#rows.clear();
    this.body.replaceChildren();
    this.follower.anew();
    this.#rescale();
  }

  /** Finished rows never change. @param {Row} row */
  put(row) {
    const known = this.#rows.get(row.limit);
    if (known && known.state !== "searching") return;
    this.#rows.set(row.limit, row);
    this.#rescale();
    const line = this.#fill(this.#line(row.limit), row);
    if (line !== this.body.lastElementChild) this.body.append(line);
    this.follower.keep(line);
  }

  /** What the row under way says of itself. @param {boolean} paused */
  rest(paused) {
    const word = this.words.say(paused ? "row.paused" : "row.searching");
    for (const result of this.body.querySelectorAll('[data-state="searching"] .result')) result.textContent = word;
  }

  /** The search was given up in the middle of a row: it stays, with the nodes that the others lack. @param {number} nodes in all */
  leave(nodes) {
    const next = { limit: Math.max(0, ...this.#rows.keys()) + 1, nodes: 0, seconds: 0, cut: null, whole: false };
    const row = this.list.find(({ state }) => state === "searching") ?? next;
    const entered = row.nodes + Math.max(0, nodes - this.nodes);
    if (entered) this.put({ ...row, nodes: entered, state: "left" });
    else this.dropUnfinished();
  }

  /** A row that was not searched to its end has no result. */
  dropUnfinished() {
    this.follower.anew();
    for (const { limit, state } of this.list) {
      if (state !== "searching" && state !== "left") continue;
      this.#rows.delete(limit);
      this.#line(limit).remove();
    }
  }

  /** @param {number} limit @returns {HTMLTableRowElement} */
  #line(limit) {
    const known = this.body.querySelector(`[data-limit="${limit}"]`);
    if (known instanceof HTMLTableRowElement) return known;
    const line = document.createElement("tr");
    line.dataset.limit = String(limit);
    for (const name of ["", "", "", "bar", "cut", "", "speed", "result"]) line.insertCell().className = name;
    line.cells[3].append(svg("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" }));
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {Row} row */
  #fill(line, row) {
    line.dataset.nodes = String(row.nodes);
    line.dataset.state = row.state;
    const texts = [
      this.words.number.format(row.limit), this.words.number.format(row.nodes), this.#growth(row), null,
      cutShare(row), duration(row.seconds, this.words), this.#speed(row), this.words.say(`row.${row.state}`),
    ];
    texts.forEach((text, index) => text !== null && (line.cells[index].textContent = text));
    this.#bar(line, row);
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {Row} row */
  #bar(line, row) {
    const picture = /** @type {SVGElement} */ (line.cells[3].firstElementChild);
    const running = row.state === "searching";
    const [y, height] = running ? [4, 12] : [6, 8];
    const ticks = Array.from({ length: this.#decades }, (_, power) => `M${((power + 1) * 100) / this.#decades} 0v20`);
    const bar = svg("rect", { class: "bar-fill", y, height, width: this.#length(row.nodes) });
    picture.replaceChildren(svg("path", { class: "bar-grid", d: ticks.join("") }), bar);
  }

  /** @param {number} nodes */
  #length(nodes) {
    return nodes < 1 ? 0 : Math.max(1, (Math.log10(nodes) * 100) / this.#decades);
  }

  /** Widen the scale when a row outgrows it, and draw it anew. */
  #rescale() {
    const most = Math.max(1, ...this.list.map((row) => row.nodes));
    const decades = Math.max(FEWEST_DECADES, Math.ceil(Math.log10(most)));
    if (decades === this.#decades) return;
    this.#decades = decades;
    this.#drawScale();
    for (const row of this.list) {
      const line = this.body.querySelector(`[data-limit="${row.limit}"]`);
      if (line instanceof HTMLTableRowElement) this.#bar(line, row);
    }
  }

  #drawScale() {
    const step = 100 / this.#decades;
    const ticks = Array.from({ length: this.#decades * 9 }, (_, tick) => {
      const x = `${(step * (Math.floor(tick / 9) + Math.log10((tick % 9) + 1))).toFixed(2)}%`;
      return svg("line", { class: "sc-line", x1: x, x2: x, y1: 17, y2: tick % 9 ? 14 : 11 });
    });
    const every = Math.ceil(this.#decades / 3);
    const powers = Array.from({ length: this.#decades }, (_, power) => power).filter((power) => power % every === 0);
    const base = svg("line", { class: "sc-line", x1: "0%", x2: "100%", y1: 16.5, y2: 16.5 });
    this.scale.replaceChildren(base, ...ticks, ...powers.map((power) => this.#power(power, step)));
  }

  /** @param {number} power @param {number} step */
  #power(power, step) {
    const label = svg("text", { class: "sc-text", x: `${power * step}%`, y: 8, "text-anchor": power ? "middle" : "start" });
    const digits = [...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("");
    label.textContent = ["1", "10"][power] ?? `10${digits}`;
    return label;
  }

  /** @param {Row} row */
  #growth(row) {
    const ratio = row.whole ? growth(this.#rows, row) : null;
    if (ratio === null) return "";
    return `×${this.words.number.format(Number(ratio.toFixed(ratio < 10 ? 1 : 0)))}`;
  }

  /** Nodes a second, short; of a blink it would mean nothing. @param {Row} row */
  #speed({ nodes, seconds }) {
    return seconds < BLINK || !nodes ? "" : this.short.format(nodes / seconds);
  }
}

/** What a search has come to, in figures: nodes, what is proved, and time. */
export class SearchTotals {
  /** @param {import("../ui/i18n.js").Words} words @param {LimitTable} rows */
  constructor(words, rows) {
    this.words = words;
    this.rows = rows;
  }

  clear() {
    element(".tally").hidden = true;
    write(element("#pace"), "");
  }

  /** What all rows say, also the one under way. @param {string} proof an entry of the catalogue @param {number} n
   * @param {{ nodes?: number, seconds?: number }} [all] where more is known than rows tell */
  show(proof, n, { nodes = this.rows.nodes, seconds = this.rows.seconds } = {}) {
    element(".tally").hidden = false;
    write(element("#total"), this.words.number.format(nodes));
    write(element("#proved"), this.words.say(proof, { n }));
    write(element("#spent"), duration(seconds, this.words));
    write(element("#pace"), this.rows.speed ? this.words.say("search.pace", { n: this.rows.speed }) : "");
  }
}
