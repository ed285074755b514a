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

/** A search that waits after each limit. */
export class Runner {
  /** Limits searched. @type {Limit[]} */
  rows = [];
  /** @type {AsyncGenerator<SearchEvent> | null} */
  #events = null;
  /** Nodes so far of the limit being searched, or in which the search was stopped. */
  #unfinished = 0;

  /** @param {string} method @param {() => void} [onProgress] called after a change of `counted` */
  constructor(method, onProgress = () => {}) {
    const { position, activity } = pageData();
    const race = "lesson"; // so that two searches of a lesson may run side by side
    this.method = method;
    this.onProgress = onProgress;
    const request = {
      puzzle: puzzle.id,
      position,
      goal,
      method,
      find: activity.find ?? "all",
      race,
      fresh: true,
    };
    this.search = new Search(connected(), request);
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
      if (done || value.type === "stopped") return null;
      if (value.type === "failed") throw value.error;
      if (value.type === "exhausted" || value.type === "solved") return this.#keep(value);
      if (value.type !== "progress") continue;
      this.#unfinished = value.nodes;
      this.onProgress();
    }
  }

  /** Search all limits, for at most so many seconds; return whether the search has ended with a solution.
   * @param {number} [seconds] */
  async finish(seconds) {
    if (this.search.paused) this.search.resume(); // a pause after each limit would be too many messages for the server
    const timer = seconds && setTimeout(() => this.search.stop(), seconds * 1000);
    while (!this.rows.at(-1)?.isLast && (await this.#read()));
    clearTimeout(timer);
    return this.rows.at(-1)?.isLast ?? false;
  }

  /** Nodes of all limits searched. */
  get nodes() {
    return this.rows.reduce((sum, { nodes }) => sum + nodes, 0);
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
