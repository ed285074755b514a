/**
 * A search position by position, as the server recorded it, and what can be told of any place in it.
 *
 * @typedef {{ kind: "enter" | "limit" | "bound" | "back" | "solved" | "leave" | "end", limit: number, depth: number,
 *   from: number, to: number, position: string, spent: number, bound: number, entered: boolean }} Visit
 * @typedef {{ limit: number, nodes: number, cut: number }} Count
 */

export class Recording {
  /** @param {any[][]} events @param {boolean} whole */
  constructor(events, whole) {
    this.whole = whole;
    /** @type {Visit[]} */
    this.visits = events.map(([kind, limit, depth, from, to, position, spent, bound, node]) =>
      ({ kind, limit, depth, from, to, position, spent, bound, entered: node === 1 }));
  }

  get length() {
    return this.visits.length;
  }

  /** The steps from the root to the position of an event. @param {number} at @returns {Visit[]} */
  line(at) {
    const line = [];
    const last = this.visits[at];
    let wanted = last.depth;
    for (let index = at; index >= 0 && wanted > 0 && this.visits[index].limit === last.limit; index--) {
      const visit = this.visits[index];
      if (visit.depth !== wanted || visit.kind === "leave" || (index !== at && visit.kind !== "enter")) continue;
      line.unshift(visit);
      wanted--;
    }
    return line;
  }

  /** Nodes and cuts of every limit up to an event. @param {number} at @returns {Count[]} */
  counts(at) {
    /** @type {Map<number, Count>} */
    const counts = new Map();
    for (const visit of this.visits.slice(0, at + 1)) {
      const count = counts.get(visit.limit) ?? { limit: visit.limit, nodes: 0, cut: 0 };
      counts.set(visit.limit, count);
      count.nodes += visit.entered ? 1 : 0;
      count.cut += visit.kind === "limit" || visit.kind === "bound" ? 1 : 0;
    }
    return [...counts.values()];
  }

  /** The next end of a limit behind an event. @param {number} at */
  nextEnd(at) {
    const index = this.visits.findIndex((visit, index) => index > at && (visit.kind === "end" || visit.kind === "solved"));
    return index < 0 ? this.length - 1 : index;
  }

  /** The events of the limit that an event belongs to, up to it, with their places. @param {number} at */
  ofLimit(at) {
    const { limit } = this.visits[at];
    return this.visits.map((visit, index) => ({ visit, index })).filter(({ visit, index }) => index <= at && visit.limit === limit);
  }
}
