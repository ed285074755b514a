/** A search of the engine, limit by limit. */
import { connected } from "../search/connection.js";
import { Search } from "../search/search.js";
import { goal, puzzle } from "../game/position.js";
import { pageData } from "../ui/dom.js";

/**
 * @typedef {import("../search/search.js").SearchEvent} SearchEvent
 * @typedef {{ limit: number, nodes: number, seconds: number, memory?: number }} Row a limit that was searched to its end
 * @typedef {Row & { isLast: boolean, moves: number[][] }} Limit `isLast`: whether it is the limit of the solution
 */

/** A search that waits after each limit. If it ends before its solution, the next call goes on after the limits searched. */
export class Runner {
  /** Limits searched. @type {Limit[]} */
  rows = [];
  /** @type {AsyncGenerator<SearchEvent> | null} */
  #events = null;
  /** Nodes so far of the limit being searched, or in which the search was stopped. */
  #unfinished = 0;
  /** When the first limit was begun. @type {number | null} */
  #begun = null;
  /** Milliseconds after which the search is stopped. */
  #time = Infinity;

  /** @param {string} method @param {() => void} [onProgress] called after a change of `counted` */
  constructor(method, onProgress = () => {}) {
    this.method = method;
    this.onProgress = onProgress;
    this.search = this.#begin();
  }

  /** Return a new search, which begins after the limits searched. */
  #begin() {
    const { position, activity } = pageData();
    const request = {
      puzzle: puzzle.id,
      position,
      goal,
      method: this.method,
      find: activity.find ?? "all",
      race: "lesson", // so that two searches of a lesson may run side by side
      fresh: true,
    };
    const last = this.rows.at(-1);
    return new Search(connected(), request, last && { limit: last.limit, nodes: this.nodes });
  }

  /** Search the next limit; null if the search has stopped. Raises its fault. @returns {Promise<Limit | null>} */
  async next() {
    this.search.runOneLimit();
    return this.#read();
  }

  /** Read events up to the end of a limit; null if the search has stopped. Raises its fault. @returns {Promise<Limit | null>} */
  async #read() {
    const events = (this.#events ??= this.search.events());
    for (;;) {
      const { value, done } = await events.next();
      if (done || value.type === "stopped" || value.type === "failed") {
        [this.#events, this.#unfinished, this.search] = [null, 0, this.#begin()];
        if (value?.type === "failed") throw value.error;
        return null;
      }
      if (value.type === "exhausted" || value.type === "solved") return this.#keep(value);
      if (value.type !== "progress" || !value.limit) continue;
      this.#checkTime();
      this.#unfinished = value.nodes;
      this.onProgress();
    }
  }

  /** Search all limits; return whether the search has ended with a solution.
   * @param {number} [seconds] time after which it is stopped. It begins with the first limit, not while the search waits for
   *   its turn, and there are at least two limits, so that growth can be told */
  async finish(seconds = Infinity) {
    if (this.search.paused) this.search.resume(); // a pause after each limit would be too many messages for the server
    this.#time = seconds * 1000;
    while (!this.rows.at(-1)?.isLast && (await this.#read()));
    this.#time = Infinity;
    return this.rows.at(-1)?.isLast ?? false;
  }

  /** Stop the search when its time is over. */
  #checkTime() {
    this.#begun ??= performance.now();
    if (performance.now() - this.#begun > this.#time && this.rows.length > 1) this.search.stop();
  }

  /** Nodes of all limits searched. */
  get nodes() {
    return this.rows.reduce((sum, { nodes }) => sum + nodes, 0);
  }

  /** Seconds of all limits searched. */
  get seconds() {
    return this.rows.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** Nodes counted so far, those of an unfinished limit included. */
  get counted() {
    return this.nodes + this.#unfinished;
  }

  /** @param {Extract<SearchEvent, { type: "exhausted" | "solved" }>} event */
  #keep(event) {
    const { limit, nodes, seconds, memory } = event;
    const isLast = event.type === "solved";
    const row = { limit, nodes, seconds, memory, isLast, moves: isLast ? event.moves : [] };
    this.rows.push(row);
    this.#unfinished = 0;
    return row;
  }
}
