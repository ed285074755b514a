/**
 * The table of a race: one line per limit, one column per contestant, and the ratio of the most to the fewest.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/metrics.js").Row} Row
 */
import { branching, cutShare, duration, growth } from "../search/metrics.js";
import { find, write } from "../ui/dom.js";

/** The end of a key of the catalogue: how it stands, and what was asked for while the connection is lost. @param {Contestant} lane */
function standing(lane) {
  if (lane.state === "running" && lane.ahead >= 0) return "waiting";
  if (lane.state !== "lost") return lane.state;
  if (lane.isStopping) return "lostStopped";
  return lane.isPaused ? "lostPaused" : "lost";
}

export class RaceTable {
  /** @param {HTMLTableElement} table @param {Contestant[]} lanes @param {import("../ui/i18n.js").Words} words */
  constructor(table, lanes, words) {
    this.table = table;
    this.lanes = lanes;
    this.words = words;
    this.body = table.tBodies[0];
    this.heads = /** @type {HTMLElement[]} */ ([...table.querySelectorAll("th.lane")]);
  }

  /** @param {Contestant | undefined} winner */
  show(winner) {
    const limits = [...new Set(this.lanes.flatMap((lane) => [...lane.rows.keys()]))].sort((a, b) => a - b);
    for (const line of [...this.body.rows]) if (!limits.includes(Number(line.dataset.limit))) line.remove();
    limits.forEach((limit, index) => this.#fill(this.#line(limit, index), limit));
    this.lanes.forEach((lane, index) => this.#head(this.heads[index], lane, lane === winner));
    this.#foot();
  }

  /** @param {number} limit @param {number} index */
  #line(limit, index) {
    const known = this.body.querySelector(`[data-limit="${limit}"]`);
    if (known instanceof HTMLTableRowElement) return known;
    const line = document.createElement("tr");
    line.dataset.limit = String(limit);
    const name = document.createElement("th");
    Object.assign(name, { scope: "row", textContent: this.words.number.format(limit) });
    line.append(name, ...this.lanes.map(() => document.createElement("td")), document.createElement("td"));
    this.body.insertBefore(line, this.body.rows[index] ?? null);
    const frame = this.table.parentElement;
    if (frame && index === this.body.rows.length - 1) frame.scrollTop = frame.scrollHeight;
    return line;
  }

  /** @param {HTMLTableRowElement} line @param {number} limit */
  #fill(line, limit) {
    this.lanes.forEach((lane, index) => this.#cell(line.cells[index + 1], lane, limit));
    const rows = this.lanes.map((lane) => lane.rows.get(limit)).filter((row) => row && row.state !== "searching");
    line.cells[this.lanes.length + 1].textContent = rows.length > 1 ? this.#ratio(rows.map((row) => row?.nodes ?? 0)) : "";
  }

  /** @param {HTMLTableCellElement} cell @param {Contestant} lane @param {number} limit */
  #cell(cell, lane, limit) {
    const row = lane.rows.get(limit);
    cell.className = row ? "" : "none";
    if (!row) {
      cell.textContent = lane.isOver || lane.state === "paused" ? "–" : "";
      return;
    }
    cell.dataset.state = row.state;
    cell.dataset.nodes = String(row.nodes);
    const [nodes, more] = [document.createElement("b"), document.createElement("small")];
    nodes.textContent = this.words.number.format(row.nodes);
    more.textContent = this.#measured(lane, row);
    cell.replaceChildren(nodes, " ", more);
  }

  /** What stands beside the nodes. @param {Contestant} lane @param {Row} row */
  #measured(lane, row) {
    const { format } = this.words.number;
    const measure = this.table.dataset.measure;
    if (measure === "time") return duration(row.seconds, this.words);
    if (measure === "speed") return row.seconds > 0.001 ? this.#brief(row.nodes / row.seconds) : "";
    if (measure === "cut") return cutShare(row);
    if (row.state === "searching" || !row.whole) return "";
    const value = measure === "branching" ? branching(row) : growth(lane.rows, row);
    return value === null ? "" : `${measure === "branching" ? "" : "×"}${format(Number(value.toFixed(value < 10 ? 2 : 0)))}`;
  }

  /** @param {number} number */
  #brief(number) {
    return new Intl.NumberFormat(this.words.language, { notation: "compact", maximumSignificantDigits: 3 }).format(number);
  }

  /** @param {number[]} counts */
  #ratio(counts) {
    const [least, most] = [Math.min(...counts.filter((count) => count > 0)), Math.max(...counts)];
    return counts.filter((count) => count > 0).length > 1 ? `×${this.words.number.format(Number((most / least).toFixed(most / least < 10 ? 1 : 0)))}` : "";
  }

  /** @param {HTMLElement} head @param {Contestant} lane @param {boolean} won */
  #head(head, lane, won) {
    const state = find(".lane-state", HTMLElement, head);
    const name = won ? "won" : standing(lane);
    state.dataset.state = name;
    const key = name !== "waiting" ? `race.state.${name}` : lane.ahead ? "search.queued" : "search.next";
    write(state, this.words.say(key, { n: lane.ahead }));
    find(".lane-keys", HTMLElement, head).hidden = lane.isOver || lane.state === "idle";
    const paused = lane.isPaused;
    const pause = find('[data-act="pause"]', HTMLButtonElement, head);
    pause.setAttribute("aria-label", this.words.say(paused ? "race.resume" : "race.pause", { method: lane.about.title }));
    find("use", SVGUseElement, pause).setAttribute("href", paused ? "#i-play" : "#i-pause");
  }

  #foot() {
    const foot = /** @type {HTMLTableSectionElement} */ (this.table.tFoot);
    foot.hidden = this.body.rows.length === 0;
    const cells = foot.rows[0].cells;
    this.lanes.forEach((lane, index) => (cells[index + 1].textContent = this.words.number.format(lane.total)));
    const done = this.lanes.filter((lane) => lane.hasProof).map((lane) => lane.total);
    cells[this.lanes.length + 1].textContent = done.length > 1 ? this.#ratio(done) : "";
  }
}
