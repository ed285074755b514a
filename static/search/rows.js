/**
 * The rows of a search, one per move limit, and the figures computed from them.
 *
 * @typedef {object} Row result of one move limit
 * @property {number} limit most moves allowed
 * @property {number} nodes nodes visited under this limit alone
 * @property {number} seconds search time under this limit alone
 * @property {number | null} cut nodes pruned by the limit or the bound; null if not counted
 * @property {number} [memory] bytes that a breadth-first search holds
 * @property {boolean} whole whether the limit was searched completely
 * @property {import("./search.js").Proof} [known] proof of an answer that was known without a search
 * @property {boolean} [replayed] whether the limit is finished, and its nodes are counted once more for the player
 * @property {"searching" | "exhausted" | "solved" | "stopped"} state "stopped": the search was stopped inside this limit
 *
 * @typedef {Extract<import("./search.js").SearchEvent, { type: "progress" | "exhausted" | "solved" }>} RowEvent
 */
import * as texts from "../ui/i18n.js";

/** Return the row that an event reports. @param {RowEvent} event @returns {Row} */
export function rowOf(event) {
  const { limit, nodes, seconds, memory } = event;
  const counts = { limit, nodes, seconds, ...(memory !== undefined && { memory }) };
  if (event.type === "progress") {
    const { replayed } = event;
    return { ...counts, cut: null, whole: false, state: "searching", ...(replayed && { replayed }) };
  }
  if (event.type === "exhausted") return { ...counts, cut: event.cut, whole: true, state: "exhausted" };
  return {
    ...counts,
    cut: null,
    whole: event.count !== null,
    state: "solved",
    known: event.known,
  };
}

/** The rows of one search, in the order of their limits. */
export class Rows {
  /** @type {Map<number, Row>} */
  #byLimit = new Map();

  /** All rows; the row being searched is the last. @returns {Row[]} */
  get all() {
    return [...this.#byLimit.values()];
  }

  /** Rows that will not change any more. */
  get finished() {
    return this.all.filter(({ state }) => state !== "searching");
  }

  /** Nodes of all rows. */
  get nodes() {
    return totalNodes(this.all);
  }

  /** Seconds of all rows. */
  get seconds() {
    return this.all.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** @param {number} limit */
  at(limit) {
    return this.#byLimit.get(limit);
  }

  /** Add or update a row; return whether this changed anything. Finished rows never change. @param {Row} row */
  set(row) {
    const known = this.#byLimit.get(row.limit);
    if (known && known.state !== "searching") return false;
    this.#byLimit.set(row.limit, row);
    return true;
  }

  /** Remove and return the rows that are being searched or were stopped. */
  dropUnfinished() {
    const dropped = this.all.filter(({ state }) => state === "searching" || state === "stopped");
    for (const { limit } of dropped) this.#byLimit.delete(limit);
    return dropped;
  }

  clear() {
    this.#byLimit.clear();
  }

  /** Return the nodes of a row divided by those of the limit before; null if either is 0 or missing. @param {Row} row */
  growth(row) {
    const before = this.#byLimit.get(row.limit - 1);
    return before?.nodes && row.nodes ? row.nodes / before.nodes : null;
  }
}

/** Return whether a limit was ruled out at once: nothing but the start was visited. @param {Row} row */
export const isEasy = ({ nodes, state }) => nodes <= 1 && state === "exhausted";

/** Return the sum of the nodes of some rows. @param {Row[]} rows */
export const totalNodes = (rows) => rows.reduce((sum, { nodes }) => sum + nodes, 0);

/** Return the effective branching factor b: a uniform tree of this depth with b children per node has as many nodes below
 * its root, so b + b² + … + b^limit = nodes (Russell and Norvig, after Nilsson). Return null if no nodes were visited.
 * @param {Row} row */
export function branching({ limit, nodes }) {
  if (limit < 1 || nodes < 1) return null;
  let [low, high] = [0, Math.max(2, nodes)];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (treeSize(middle, limit) < nodes) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @param {number} factor @param {number} depth */
function treeSize(factor, depth) {
  let [sum, level] = [0, 1];
  for (let at = 0; at < depth; at++) sum += level *= factor;
  return sum;
}

/** Return the share of pruned nodes as text, or "" if it is not known. @param {Row} row */
export const cutShare = ({ cut, nodes }) =>
  cut === null || !nodes ? "" : `${Math.round((cut * 100) / Math.max(nodes, cut))} %`;

/** Return the memory of a row as text, such as "1.2 MB" or "90 kB"; "" if it is not counted.
 * @param {{ memory?: number }} row */
export function memoryText({ memory }) {
  if (memory === undefined) return "";
  const [unit, size] = memory < 1e6 ? ["kB", 1e3] : ["MB", 1e6];
  return `${texts.number.format(Number((memory / size).toPrecision(2)))} ${unit}`;
}

/** Return a ratio of node counts as text: `×3.4`, `×120`. @param {number} ratio */
export const ratioText = (ratio) => `×${texts.number.format(Number(ratio.toFixed(ratio < 10 ? 1 : 0)))}`;

/** Return a power of ten as text: `1`, `10`, `10²`. @param {number} power */
export const powerOfTen = (power) =>
  ["1", "10"][power] ?? `10${[...String(power)].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;

/** Return a duration as text. @param {number} seconds */
export function duration(seconds) {
  const milliseconds = Math.round(seconds * 1000);
  if (seconds < 0.001) return "<1 ms";
  if (milliseconds < 1000) return `${milliseconds} ms`;
  return `${texts.number.format(Number(seconds.toFixed(seconds < 10 ? 1 : 0)))} s`;
}
