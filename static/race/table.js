/**
 * The table of a race: one row per limit, one column per contestant, and the ratio of most to fewest nodes.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/rows.js").Row} Row
 */
import { branching, cutShare, duration, memoryText, ratioText } from "../search/rows.js";
import { create, find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Screens too narrow for four long numbers side by side, such as those of phones; the width is that of race.css. */
const NARROW = matchMedia("(max-width: 760px)");
/** Smallest count that is shortened on narrow screens. */
const LONG = 1_000_000;
const compact = new texts.NumberFormat({ notation: "compact", maximumSignificantDigits: 3 });

/** Return the end of the catalogue key for the state of a contestant. @param {Contestant} contestant */
function stateName(contestant) {
  if (contestant.state === "running" && contestant.ahead >= 0) return "waiting";
  if (contestant.state !== "lost") return contestant.state;
  if (contestant.isStopping) return "lostStopped";
  return contestant.isPaused ? "lostPaused" : "lost";
}

/** The table of a race. */
export class RaceTable {
  /** @param {HTMLTableElement} table @param {Contestant[]} contestants */
  constructor(table, contestants) {
    this.table = table;
    this.contestants = contestants;
    this.body = table.tBodies[0];
    this.heads = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("th.lane")]);
  }

  /** @param {Contestant | undefined} winner */
  show(winner) {
    const limits = [
      ...new Set(this.contestants.flatMap((contestant) => contestant.rows.all.map(({ limit }) => limit))),
    ].sort((a, b) => a - b);
    for (const line of [...this.body.rows]) if (!limits.includes(Number(line.dataset.limit))) line.remove();
    limits.forEach((limit, index) => this.#fillRow(this.#tableRow(limit, index), limit));
    this.contestants.forEach((contestant, index) =>
      this.#showHead(this.heads[index], contestant, contestant === winner),
    );
    this.#showFoot();
  }

  /** @param {number} limit @param {number} index */
  #tableRow(limit, index) {
    const known = this.body.querySelector(`[data-limit="${limit}"]`);
    if (known instanceof HTMLTableRowElement) return known;
    const name = create("th", { scope: "row" }, texts.number.format(limit));
    const line = create("tr", {}, name, ...this.contestants.map(() => create("td")), create("td"));
    line.dataset.limit = String(limit);
    this.body.insertBefore(line, this.body.rows[index] ?? null);
    const frame = this.table.parentElement;
    if (frame && index === this.body.rows.length - 1) frame.scrollTop = frame.scrollHeight;
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {number} limit */
  #fillRow(line, limit) {
    this.contestants.forEach((contestant, index) => this.#showCell(line.cells[index + 1], contestant, limit));
    const rows = this.contestants.flatMap((contestant) =>
      contestant.rows.finished.filter((row) => row.limit === limit),
    );
    line.cells[this.contestants.length + 1].textContent = this.#spreadText(rows.map(({ nodes }) => nodes));
  }

  /** @param {HTMLTableCellElement} cell @param {Contestant} contestant @param {number} limit */
  #showCell(cell, contestant, limit) {
    const row = contestant.rows.at(limit);
    cell.className = row ? "" : "none";
    if (!row) {
      cell.textContent = contestant.isOver || contestant.state === "paused" ? "–" : "";
      return;
    }
    cell.dataset.state = contestant.resultOf(row);
    cell.dataset.nodes = String(row.nodes);
    cell.replaceChildren(
      create("b", {}, this.#count(row.nodes)),
      " ",
      create("small", {}, this.#measureText(contestant, row)),
    );
  }

  /** Return the selected figure of a row as text; "" if not known. @param {Contestant} contestant @param {Row} row */
  #measureText(contestant, row) {
    const measure = this.table.dataset.measure;
    if (measure === "time") return duration(row.seconds);
    if (measure === "speed") return row.seconds > 0.001 ? compact.format(row.nodes / row.seconds) : "";
    if (measure === "cut") return cutShare(row);
    if (measure === "memory") return memoryText(row);
    if (row.state === "searching" || !row.whole) return "";
    const value = measure === "branching" ? branching(row) : contestant.rows.growth(row);
    return value === null
      ? ""
      : `${measure === "branching" ? "" : "×"}${texts.number.format(Number(value.toFixed(value < 10 ? 2 : 0)))}`;
  }

  /** Return a number of nodes as text, to three digits if it is long and the table crowded. @param {number} nodes */
  #count(nodes) {
    const isCrowded = NARROW.matches && this.contestants.length > 2;
    return isCrowded && nodes >= LONG ? compact.format(nodes) : texts.number.format(nodes);
  }

  /** Return the ratio of most to fewest nodes as text, ignoring counts of 0; "" for fewer than two counts.
   * @param {number[]} counts */
  #spreadText(counts) {
    const searched = counts.filter((count) => count > 0);
    return searched.length > 1 ? ratioText(Math.max(...searched) / Math.min(...searched)) : "";
  }

  /** @param {HTMLElement} head @param {Contestant} contestant @param {boolean} won */
  #showHead(head, contestant, won) {
    const state = find(".lane-state", HTMLElement, head);
    const name = won ? "won" : stateName(contestant);
    state.dataset.state = name;
    const key =
      name !== "waiting" ? `race.state.${name}` : contestant.ahead ? "search.queued" : "search.next";
    write(state, texts.get(key, { n: contestant.ahead }));
    find(".lane-keys", HTMLElement, head).hidden = contestant.isOver || contestant.state === "idle";
    const paused = contestant.isPaused;
    const pause = find('[data-act="pause"]', HTMLButtonElement, head);
    pause.setAttribute(
      "aria-label",
      texts.get(paused ? "race.resume" : "race.pause", { method: contestant.about.title }),
    );
    find("use", SVGUseElement, pause).setAttribute("href", paused ? "#i-play" : "#i-pause");
  }

  #showFoot() {
    const foot = /** @type {HTMLTableSectionElement} */ (this.table.tFoot);
    foot.hidden = this.body.rows.length === 0;
    const cells = foot.rows[0].cells;
    this.contestants.forEach(
      (contestant, index) => (cells[index + 1].textContent = this.#count(contestant.finishedNodes)),
    );
    const done = this.contestants
      .filter((contestant) => contestant.hasProof)
      .map((contestant) => contestant.finishedNodes);
    cells[this.contestants.length + 1].textContent = this.#spreadText(done);
  }
}
