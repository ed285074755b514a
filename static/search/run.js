/**
 * A search as the pages show it: its rows, how it stands, and how it has ended. The panel, the races and the published
 * results read it.
 *
 * @typedef {import("./search.js").Search} Search
 * @typedef {import("./search.js").SearchEvent} SearchEvent
 * @typedef {import("./rows.js").Row} Row
 * @typedef {Extract<SearchEvent, { type: "solved" | "unsolvable" | "stopped" | "failed" }>} Ending
 * @typedef {"idle" | "running" | "paused" | "lost" | Ending["type"]} State
 */
import { rowOf } from "./rows.js";
import { paced } from "./search.js";

/** A search that runs, has ended, or is to come.
 * @template {{ set: (row: Row) => unknown, dropUnfinished: () => unknown }} List what takes its rows */
export class SearchRun {
  /** The search begun last; null if there is none. @type {Search | null} */
  search = null;
  /** Event that ended the search. @type {Ending | null} */
  ending = null;
  /** Number of searches queued before this one; -1 if it is not queued. */
  ahead = -1;
  /** Whether any event has arrived. */
  hasAnswered = false;

  /** @param {List} rows */
  constructor(rows) {
    this.rows = rows;
  }

  /** The search, unless it has ended. */
  get running() {
    return this.ending ? null : this.search;
  }

  /** Whether the search is paused, or will be when the connection is back. */
  get isPaused() {
    return this.running?.paused ?? false;
  }

  /** @returns {State} */
  get state() {
    if (this.ending) return this.ending.type;
    if (!this.search) return "idle";
    return this.search.isLost ? "lost" : this.isPaused ? "paused" : "running";
  }

  /** Begin a search in place of the one before, and return its events, each of which is entered before it is yielded. They end
   * when a further search begins. @param {Search} search */
  begin(search) {
    this.detach();
    this.search = search;
    this.hasAnswered = false;
    return this.#follow(search);
  }

  /** @param {Search} search @returns {AsyncGenerator<SearchEvent>} */
  async *#follow(search) {
    for await (const event of paced(search)) {
      if (this.search !== search) return;
      this.#enter(event);
      yield event;
    }
  }

  /** Stop the search if it runs, and forget it. */
  detach() {
    this.running?.stop();
    this.search = this.ending = null;
    this.ahead = -1;
  }

  togglePause() {
    if (this.isPaused) this.running?.resume();
    else this.running?.pause();
    this.ahead = -1;
  }

  /** @param {SearchEvent} event */
  #enter(event) {
    const { type } = event;
    this.ahead = type === "queued" ? event.ahead : -1;
    this.hasAnswered = true;
    if (type === "again") this.rows.dropUnfinished(); // it continues after the finished rows
    if (
      (type === "progress" && event.limit > 0) ||
      (type === "exhausted" && !event.known) ||
      type === "solved"
    )
      this.rows.set(rowOf(event)); // a known answer follows the limits that it rules out, with a row of its own
    if (type === "solved" || type === "unsolvable" || type === "failed" || type === "stopped")
      this.ending = event;
    if (this.ending && type !== "stopped") this.rows.dropUnfinished();
  }
}

/** Return the catalogue key for how a search stands. @param {SearchRun<any>} run */
export function stateKey({ search, ending, ahead, isPaused }) {
  if (ending?.type === "stopped") return ending.reason === "limit" ? "state.limit" : "state.stopped";
  if (ending) return ending.type === "failed" ? "state.failed" : "state.done";
  if (!search) return "state.idle";
  if (search.isLost) return isPaused ? "search.lostPaused" : "search.reconnecting";
  if (isPaused) return "search.paused";
  if (ahead >= 0) return ahead ? "search.queued" : "search.next";
  return search.pausesAfterLimit ? "search.single" : "search.running";
}
