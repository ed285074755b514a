/**
 * The table of a search: one row per move limit, with a bar on a common log scale, and the totals below it.
 *
 * @typedef {import("./rows.js").Row} Row
 */
import { AutoScroll } from "./auto_scroll.js";
import { create, element, svg, write } from "../ui/dom.js";
import { cutShare, duration, isEasy, memoryText, powerOfTen, ratioText, Rows, totalNodes } from "./rows.js";
import * as texts from "../ui/i18n.js";

/** Columns of the table, from left to right. Every cell has its column as class. */
const COLUMNS = ["limit", "nodes", "growth", "bar", "cut", "time", "speed", "result"];
const MIN_DECADES = 5;
/** Shortest time for which a speed is shown, in seconds. Clock resolution and start-up dominate shorter times. */
const MIN_SECONDS = 0.03;
const compact = new texts.NumberFormat({ notation: "compact", maximumSignificantDigits: 2 });

/** Least number of limits ruled out at once that are folded. */
const MIN_FOLDED = 3;

/** Create a row, whose header is the limit. */
function emptyRow() {
  const [first, ...others] = COLUMNS;
  const head = create("th", { scope: "row", className: first });
  return create("tr", {}, head, ...others.map((column) => create("td", { className: column })));
}

/** Create a row with a remark in place of figures. @param {string} limits @param {string} text @param {string | Node} result */
function remark(limits, text, result) {
  const line = emptyRow();
  line.cells[0].textContent = limits;
  line.cells[1].append(create("span", { className: "remark" }, text));
  cell(line, "result").append(result);
  return line;
}

/** Return the cell of a table row in a column. @param {HTMLTableRowElement} line @param {string} column */
const cell = (line, column) => line.cells[COLUMNS.indexOf(column)];

/** The table with one row per move limit, and the totals of all rows. */
export class LimitTable {
  rows = new Rows();
  /** Whether the first rows are drawn in full, as in a film or as the player has chosen. */
  #isOpen = false;
  /** Powers of ten that the common scale of the bars covers. */
  #decades = 0;

  /** @param {HTMLTableElement} table */
  constructor(table) {
    this.table = table;
    this.body = table.tBodies[0];
    /** The answer that was known without a search, above the rows. */
    this.known = create("tbody", { className: "known" });
    /** One line for the first rows, while they are drawn thin. */
    this.summary = create("tbody", { className: "summary" });
    this.body.before(this.known, this.summary);
    this.heads = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("[data-level]")]);
    this.scale = /** @type {SVGSVGElement} */ (table.querySelector(".scale svg"));
    this.autoScroll = new AutoScroll(table.closest(".sheet") ?? table, () => this.body.lastElementChild);
    this.clearRows();
  }

  /** Nodes per second of the row with most nodes, to two digits; 0 if not known. Small rows may include compile time. */
  get speed() {
    const most = this.rows.all.reduce((most, row) => (row.nodes > most.nodes ? row : most), {
      nodes: 0,
      seconds: 0,
    });
    return most.seconds < MIN_SECONDS ? 0 : Number((most.nodes / most.seconds).toPrecision(2));
  }

  /** Limit being searched; 0 before the first. */
  get current() {
    const last = this.rows.all.at(-1);
    return last ? last.limit + Number(last.state === "exhausted") : 0;
  }

  /** Nodes of the rows that rule out a limit. */
  get provedNodes() {
    return totalNodes(this.rows.all.filter(({ state }) => state === "exhausted"));
  }

  clearKnown() {
    this.known.replaceChildren();
  }

  /** Remove all but the known answer. @param {boolean} [isOpen] whether the next rows are all drawn in full */
  clearRows(isOpen = false) {
    this.#isOpen = isOpen;
    this.rows.clear();
    this.body.replaceChildren();
    this.summary.replaceChildren();
    this.#nameColumns(false);
    this.autoScroll.reset();
    this.#rescale();
    element(".tally").hidden = true;
    write(element("#pace"), "");
  }

  /** Show the totals of all rows, including the current one: nodes, proved bound and time.
   * @param {string} proof catalogue key of the proved bound @param {number} n the bound
   * @param {{ nodes?: number, seconds?: number }} [all] totals of the server, if they are more exact */
  showTotals(proof, n, { nodes = this.rows.nodes, seconds = this.rows.seconds } = {}) {
    element(".tally").hidden = false;
    write(element("#total"), texts.number.format(nodes));
    write(element("#proved"), texts.get(proof, { n }));
    write(element("#spent"), duration(seconds));
    this.#showMemory();
    write(element("#pace"), this.speed ? texts.get("search.pace", { n: this.speed }) : "");
  }

  /** Show the memory of the last row, if the method counts it. */
  #showMemory() {
    const text = memoryText(this.rows.all.at(-1) ?? {});
    element(".memory-figure").hidden = text === "";
    write(element("#memory"), text);
  }

  /** Name the columns: limits and nodes, or levels, positions and memory. @param {boolean} areLevels */
  #nameColumns(areLevels) {
    this.table.classList.toggle("levels", areLevels);
    for (const head of this.heads) {
      head.dataset.usual ??= head.textContent ?? "";
      write(head, (areLevels ? head.dataset.level : head.dataset.usual) ?? "");
    }
  }

  /** Add or update a row; an answer that was known without a search has a line above the rows. @param {Row} row */
  set(row) {
    if (row.known) return this.#showKnown(row.limit, row.known);
    if (!this.rows.set(row)) return;
    this.#nameColumns(row.memory !== undefined);
    const line = this.#fill(this.#tableRow(row.limit), row);
    if (line !== this.body.lastElementChild) this.body.append(line);
    this.#foldEasyRows();
    this.#rescale();
    this.autoScroll.follow(line);
  }

  /** Show an answer that was known without a search, in one line above the rows.
   * @param {number} limit its moves @param {import("./search.js").Proof} proof */
  #showKnown(limit, proof) {
    const line = remark(texts.number.format(limit), texts.get(`row.known.${proof}`), texts.get("row.known"));
    Object.assign(line.dataset, { limit, nodes: 0, state: "solved", known: proof });
    this.known.replaceChildren(line);
  }

  /** Draw the first rows as thin lines if the bound has ruled them out at once, and one line of text for all of them. */
  #foldEasyRows() {
    const { all } = this.rows;
    const hard = all.findIndex((row) => !isEasy(row));
    const easy = hard < 0 ? all.length : hard;
    const isFolded = easy >= MIN_FOLDED && !this.#isOpen;
    this.body.classList.toggle("folded", isFolded);
    [...this.body.rows].forEach((line, index) => line.classList.toggle("easy", index < easy));
    if (!isFolded) this.summary.replaceChildren();
    else if (this.summary.dataset.easy !== `${easy}` || !this.summary.firstChild) {
      const [first, last] = [all[0], all[easy - 1]].map(({ limit }) => texts.number.format(limit));
      this.summary.replaceChildren(this.#summaryLine(`${first}–${last}`)); // only now: its key may have the focus
      this.summary.dataset.easy = `${easy}`;
    }
  }

  /** @param {string} limits */
  #summaryLine(limits) {
    const open = create("button", { type: "button", className: "back" }, texts.get("row.open"));
    open.addEventListener("click", () => {
      this.#isOpen = true;
      this.#foldEasyRows();
    });
    return remark(limits, texts.get("row.easy"), open);
  }

  /** Show in the current row whether the search is paused. @param {boolean} paused */
  showPaused(paused) {
    const word = texts.get(paused ? "row.paused" : "row.searching");
    for (const result of this.body.querySelectorAll('[data-state="searching"] .result'))
      result.textContent = word;
  }

  /** Mark the current row as stopped. It gets all nodes of the search that no other row counts; without nodes it is removed.
   * @param {number} totalNodes of the search */
  endStopped(totalNodes) {
    const { all } = this.rows;
    const next = {
      limit: Math.max(0, ...all.map(({ limit }) => limit)) + 1,
      nodes: 0,
      seconds: 0,
      cut: null,
      whole: false,
    };
    const row = all.find(({ state }) => state === "searching") ?? next;
    const nodes = row.nodes + Math.max(0, totalNodes - this.rows.nodes);
    if (nodes) this.set({ ...row, nodes, state: "stopped" });
    else this.dropUnfinished();
  }

  /** Remove the rows that are being searched or were stopped. */
  dropUnfinished() {
    const dropped = this.rows.dropUnfinished();
    if (dropped.length) this.autoScroll.reset();
    for (const { limit } of dropped) this.#tableRow(limit).remove();
  }

  /** Return the table row of a limit, or a new row outside the table. @param {number} limit @returns {HTMLTableRowElement} */
  #tableRow(limit) {
    const known = this.body.querySelector(`[data-limit="${limit}"]`);
    if (known instanceof HTMLTableRowElement) return known;
    const line = emptyRow();
    line.dataset.limit = String(limit);
    cell(line, "bar").append(
      svg("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" }),
    );
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {Row} row */
  #fill(line, row) {
    line.dataset.nodes = String(row.nodes);
    line.dataset.state = row.state;
    const growth = row.whole ? this.rows.growth(row) : null;
    const isLong = row.nodes > 0 && row.seconds >= MIN_SECONDS;
    const contents = {
      limit: texts.number.format(row.limit),
      nodes: texts.number.format(row.nodes),
      growth: growth === null ? "" : ratioText(growth),
      cut: row.memory === undefined ? cutShare(row) : memoryText(row),
      time: duration(row.seconds),
      speed: isLong ? compact.format(row.nodes / row.seconds) : "", // shorter times are mostly start-up
      result: texts.get(row.replayed ? "row.replayed" : `row.${row.state}`),
    };
    for (const [column, text] of Object.entries(contents)) cell(line, column).textContent = text;
    this.#bar(line, row);
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {Row} row */
  #bar(line, row) {
    const picture = /** @type {SVGElement} */ (cell(line, "bar").firstElementChild);
    const running = row.state === "searching";
    const [y, height] = running ? [4, 12] : [6, 8];
    const ticks = Array.from(
      { length: this.#decades },
      (_, power) => `M${((power + 1) * 100) / this.#decades} 0v20`,
    );
    const width = row.nodes < 1 ? 0 : Math.max(1, (Math.log10(row.nodes) * 100) / this.#decades);
    const bar = svg("rect", { class: "bar-fill", y, height, width });
    picture.replaceChildren(svg("path", { class: "bar-grid", d: ticks.join("") }), bar);
  }

  /** Fit the scale to the row with most nodes; if it changes, redraw it and all bars. */
  #rescale() {
    const most = Math.max(1, ...this.rows.all.map((row) => row.nodes));
    const decades = Math.max(MIN_DECADES, Math.ceil(Math.log10(most)));
    if (decades === this.#decades) return;
    this.#decades = decades;
    this.#drawScale();
    for (const row of this.rows.all) this.#bar(this.#tableRow(row.limit), row);
  }

  #drawScale() {
    const step = 100 / this.#decades;
    const ticks = Array.from({ length: this.#decades * 9 }, (_, tick) => {
      const x = `${(step * (Math.floor(tick / 9) + Math.log10((tick % 9) + 1))).toFixed(2)}%`;
      return svg("line", { class: "sc-line", x1: x, x2: x, y1: 17, y2: tick % 9 ? 14 : 11 });
    });
    const every = Math.ceil(this.#decades / 3);
    const powers = Array.from({ length: this.#decades }, (_, power) => power).filter(
      (power) => power % every === 0,
    );
    const base = svg("line", { class: "sc-line", x1: "0%", x2: "100%", y1: 16.5, y2: 16.5 });
    this.scale.replaceChildren(base, ...ticks, ...powers.map((power) => this.#scaleLabel(power, step)));
  }

  /** @param {number} power @param {number} step */
  #scaleLabel(power, step) {
    const label = svg("text", {
      class: "sc-text",
      x: `${power * step}%`,
      y: 8,
      "text-anchor": power ? "middle" : "start",
    });
    label.textContent = powerOfTen(power);
    return label;
  }
}
