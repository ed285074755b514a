/** A search of the engine, limit by limit. */
import { connected } from "../search/connection.js";
import { Rows, totalNodes } from "../search/rows.js";
import { SearchRun } from "../search/run.js";
import { Search } from "../search/search.js";
import { goal, puzzle } from "../game/position.js";
import { pageData } from "../ui/dom.js";

/** @typedef {import("../search/rows.js").Row} Row */

/** A search that waits after each limit. If it ends before its solution, the next call goes on after the limits searched. */
export class Runner {
  #run = new SearchRun(new Rows());
  /** @type {AsyncGenerator<import("../search/search.js").SearchEvent>} */
  #events;
  /** When the first limit was begun. @type {number | null} */
  #begun = null;
  /** Milliseconds after which the search is stopped. */
  #time = Infinity;

  /** @param {string} method @param {() => void} [onProgress] called after a change of `counted` */
  constructor(method, onProgress = () => {}) {
    this.method = method;
    this.onProgress = onProgress;
    this.#events = this.#begin();
  }

  /** Begin a search of the limits that are left, and return its events. */
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
    const search = new Search(connected(), request, last && { limit: last.limit, nodes: this.nodes });
    search.pace = "none";
    return this.#run.begin(search);
  }

  /** Search the next limit; null if the search has stopped. Raises its fault. @returns {Promise<Row | null>} */
  async next() {
    this.search.runOneLimit();
    return this.#read();
  }

  /** Read events up to the end of a limit; null if the search has stopped. Raises its fault. @returns {Promise<Row | null>} */
  async #read() {
    for (;;) {
      const { value, done } = await this.#events.next();
      if (done || value.type === "stopped" || value.type === "failed") {
        this.#run.rows.dropUnfinished();
        this.#events = this.#begin();
        if (value?.type === "failed") throw value.error;
        return null;
      }
      if (value.type === "exhausted" || value.type === "solved") return this.rows.at(-1) ?? null;
      if (value.type !== "progress" || !value.limit) continue;
      this.#checkTime();
      this.onProgress();
    }
  }

  /** Search all limits; return whether the search has ended with a solution.
   * @param {number} [seconds] time after which it is stopped. It begins with the first limit, not while the search waits for
   *   its turn, and there are at least two limits, so that growth can be told */
  async finish(seconds = Infinity) {
    if (this.search.paused) this.search.resume(); // a pause after each limit would be too many messages for the server
    this.#time = seconds * 1000;
    while (!this.isSolved && (await this.#read()));
    this.#time = Infinity;
    return this.isSolved;
  }

  /** Stop the search when its time is over. */
  #checkTime() {
    this.#begun ??= performance.now();
    if (performance.now() - this.#begun > this.#time && this.rows.length > 1) this.search.stop();
  }

  /** The search that runs, or waits to begin. */
  get search() {
    return /** @type {Search} */ (this.#run.search);
  }

  get isSolved() {
    return this.#run.state === "solved";
  }

  /** Limits searched. */
  get rows() {
    return this.#run.rows.finished;
  }

  /** Nodes of all limits searched. */
  get nodes() {
    return totalNodes(this.rows);
  }

  /** Seconds of all limits searched. */
  get seconds() {
    return this.rows.reduce((sum, { seconds }) => sum + seconds, 0);
  }

  /** Nodes counted so far, those of an unfinished limit included. */
  get counted() {
    return this.#run.rows.nodes;
  }
}
