/**
 * The trace of a search: its events, which the server sends in pages of a fixed number of nodes, and the current event.
 *
 * @typedef {object} Visit an event of the trace
 * @property {string} kind
 * @property {number} limit
 * @property {number} depth number of steps from the root; in a breadth-first search 0 for the level, 1 for a position being
 *   expanded, 2 for what it leads to
 * @property {number} from
 * @property {number} to
 * @property {string} position
 * @property {number} spent moves made so far
 * @property {number} bound lower bound of the moves still needed
 * @property {boolean} isNode whether the event counts as a node
 * @property {number[][]} marks groups of holes that explain the bound; each group begins with its number
 *
 * @typedef {object} Count
 * @property {number} limit
 * @property {number} nodes
 * @property {number} cut nodes pruned
 * @property {string} result
 * @property {number} [memory] bytes that a breadth-first search holds
 *
 * @typedef {{ limit: number, number: number, line: Visit[], visits: Visit[] }} Page
 */

/** @param {any[]} event @returns {Visit} */
const visitOf = ([kind, limit, depth, from, to, position, spent, bound, node, marks = []]) => ({
  kind,
  limit,
  depth,
  from,
  to,
  position,
  spent,
  bound,
  isNode: node === 1,
  marks,
});

/** Kinds of events below which other events lie. */
const OPEN_KINDS = ["enter", "take", "extend", "path"];

/** @param {Visit} visit */
const isOpen = ({ kind }) => OPEN_KINDS.includes(kind);

/** The trace of one search. */
export class Trace {
  /** @type {Map<string, Promise<any>>} */
  #pages = new Map();
  /** @type {Page} */
  page = { limit: 0, number: 0, line: [], visits: [] };
  at = 0;
  whole = true;
  /** Whether the results are proofs; a bound that may overestimate proves nothing. */
  isProved = true;
  /** @type {Count[]} */
  limits = [];
  #pageNodes = 1;

  /** @param {(query: Record<string, string>) => Promise<any>} fetchPage */
  constructor(fetchPage) {
    this.fetchPage = fetchPage;
  }

  async begin() {
    const answer = await this.fetchPage({});
    const { limits, whole, proved = true, page_nodes, limit } = answer;
    this.#pages.set(`${limit} 0`, Promise.resolve(answer));
    this.whole = whole;
    this.isProved = proved;
    this.limits = limits.map((/** @type {any[]} */ [limit, nodes, cut, result, memory]) => ({
      limit,
      nodes,
      cut,
      result,
      memory,
    }));
    this.#pageNodes = page_nodes;
    await this.open(limit);
  }

  /** The current event. @returns {Visit | undefined} */
  get visit() {
    return this.page.visits[this.at];
  }

  /** Node counts of the current limit. @returns {Count} */
  get count() {
    return this.limits[this.#limitIndex];
  }

  get #limitIndex() {
    return this.limits.findIndex(({ limit }) => limit === this.page.limit);
  }

  /** Number of nodes of the current limit up to the current event. */
  get node() {
    return (
      this.page.number * this.#pageNodes +
      this.page.visits.slice(0, this.at + 1).filter(({ isNode }) => isNode).length
    );
  }

  get isFirst() {
    return this.at === 0 && this.page.number === 0 && this.#limitIndex <= 0;
  }

  get isLast() {
    return this.#endsLimit && this.#limitIndex === this.limits.length - 1;
  }

  get #endsLimit() {
    return this.at >= this.page.visits.length - 1 && this.page.number === this.#lastPage(this.#limitIndex);
  }

  /** @param {number} row of `limits` */
  #lastPage(row) {
    return Math.max(0, Math.ceil(this.limits[row].nodes / this.#pageNodes) - 1);
  }

  /** Open a page of a limit at its event `at`; a negative `at` counts from the end of the page.
   * @param {number} limit @param {number} [number] @param {number} [at] */
  async open(limit, number = 0, at = 0) {
    const { line, events } = await this.#fetch(limit, number);
    this.page = { limit, number, line: line.map(visitOf), visits: events.map(visitOf) };
    this.at = at < 0 ? this.page.visits.length + at : at;
  }

  async forward() {
    if (this.at < this.page.visits.length - 1) this.at++;
    else if (!this.#endsLimit) await this.open(this.page.limit, this.page.number + 1);
    else if (!this.isLast) await this.open(this.limits[this.#limitIndex + 1].limit);
  }

  async back() {
    if (this.at > 0) this.at--;
    else if (this.page.number > 0) await this.open(this.page.limit, this.page.number - 1, -1);
    else if (!this.isFirst) await this.#openEnd(this.#limitIndex - 1);
  }

  /** Go to the last event of this limit, or from there to the last event of the next limit. */
  async toEnd() {
    if (!this.isLast) await this.#openEnd(this.#limitIndex + (this.#endsLimit ? 1 : 0));
  }

  /** @param {number} row */
  #openEnd(row) {
    return this.open(this.limits[row].limit, this.#lastPage(row), -1);
  }

  /** Go to the event that visits a node of the current limit. @param {number} node from 1 */
  async toNode(node) {
    await this.open(this.page.limit, Math.max(0, Math.ceil(node / this.#pageNodes) - 1));
    while (this.node < node && this.at < this.page.visits.length - 1) this.at++;
  }

  /** @param {number} limit @param {number} page */
  #fetch(limit, page) {
    const key = `${limit} ${page}`;
    const answer = this.#pages.get(key) ?? this.fetchPage({ limit: String(limit), page: String(page) });
    this.#pages.set(key, answer);
    answer.catch(() => this.#pages.delete(key));
    return answer;
  }

  /** Return what a board shows of the current event besides its position. */
  marks() {
    return {
      arrows: this.line().map(({ from, to }) => [from, to]),
      groups: this.page.visits[this.at].marks,
    };
  }

  /** Return the steps that lead to the position of the current event: from the root, or in a breadth-first search the last
   * two. @returns {Visit[]} */
  line() {
    const { line, visits } = this.page;
    const found = [];
    let wanted = visits[this.at].depth;
    for (let index = this.at; index >= 0 && wanted > 0; index--) {
      const visit = visits[index];
      if (visit.depth !== wanted || visit.kind === "leave" || (index !== this.at && !isOpen(visit))) continue;
      found.unshift(visit);
      wanted--;
    }
    return [...line.slice(1, wanted + 1), ...found].filter(({ from }) => from >= 0);
  }
}
