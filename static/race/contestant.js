/**
 * One contestant of a race: a search method, its rows and its state.
 *
 * @typedef {import("../search/search.js").SearchEvent} SearchEvent
 * @typedef {import("../search/rows.js").Row} Row
 * @typedef {"idle" | "running" | "paused" | "solved" | "unsolvable" | "stopped" | "failed" | "lost"} State
 * @typedef {{ method: string, title: string, proves: boolean, node: string }} About "node": what a node is, "proves": whether its bound is right, so that its events are proofs
 * @typedef {Extract<SearchEvent, { type: "solved" | "unsolvable" | "stopped" | "failed" }>} Ending
 */
import { rowOf, Rows, totalNodes } from "../search/rows.js";
import { paced, Search } from "../search/search.js";

/** A search method in a race. */
export class Contestant {
  rows = new Rows();
  /** @type {State} */
  state = "idle";
  /** Event that ended the search. @type {Ending | null} */
  ending = null;
  /** Number of searches queued before this one; -1 if it is not queued. */
  ahead = -1;
  /** Whether any event of this run has arrived. */
  hasAnswered = false;
  /** @type {Search | null} */
  #search = null;

  /** @param {About} about @param {(contestant: Contestant) => void} changed called after every change */
  constructor(about, changed) {
    this.about = about;
    this.changed = changed;
  }

  /** Nodes of all finished rows. */
  get finishedNodes() {
    return totalNodes(this.rows.finished);
  }

  get isOver() {
    return ["solved", "unsolvable", "stopped", "failed"].includes(this.state);
  }

  /** Whether the search ended with an answer, proved or not. */
  get hasAnswer() {
    return this.state === "solved" || this.state === "unsolvable";
  }

  /** Whether the search ended with a proof. */
  get hasProof() {
    return this.about.proves && this.hasAnswer;
  }

  /** Return what a row says: its state, or "unproved" if it is finished and the bound is wrong. @param {Row} row */
  resultOf({ state }) {
    return this.about.proves || state === "searching" ? state : "unproved";
  }

  /** Run the search to its end. @param {import("socket.io-client").Socket} socket
   * @param {import("../search/search.js").Request} request */
  async run(socket, request) {
    const search = (this.#search = new Search(socket, request));
    this.rows.clear();
    this.ending = null;
    this.ahead = -1;
    this.hasAnswered = false;
    this.#setState("running");
    for await (const event of paced(search)) {
      if (this.#search !== search) return;
      this.#handle(event);
    }
  }

  /** Restore a run from a link. @param {Row[]} rows @param {Ending | null} ending */
  restore(rows, ending) {
    this.rows.clear();
    for (const row of rows) this.rows.set(row);
    this.ending = ending;
    this.#setState(ending?.type ?? "idle");
  }

  /** Stop the running search and ignore its further events. */
  detach() {
    this.#search?.stop();
    this.#search = null;
  }

  stop() {
    this.#search?.stop();
    this.changed(this);
  }

  /** Whether the search is paused, or will be when the connection is back. */
  get isPaused() {
    return this.#search?.paused ?? false;
  }

  /** Whether the search will be stopped when the connection is back. */
  get isStopping() {
    return this.state === "lost" && (this.#search?.stopped ?? false);
  }

  togglePause() {
    if (this.isOver || this.state === "idle") return;
    if (this.isPaused) this.#search?.resume();
    else this.#search?.pause();
    this.ahead = -1;
    if (this.state !== "lost") this.state = this.isPaused ? "paused" : "running";
    this.changed(this);
  }

  /** @param {SearchEvent} event */
  #handle(event) {
    this.ahead = event.type === "queued" ? event.ahead : -1;
    this.hasAnswered = true;
    if (event.type === "found" || (event.type === "progress" && event.limit === 0)) return this.changed(this); // no proof, so it decides no race
    if (event.type === "exhausted" && event.known) return; // the known answer follows, with a row of its own
    if (event.type === "progress" || event.type === "exhausted") this.rows.set(rowOf(event));
    else if (event.type === "lost" || event.type === "again") this.#reconnect(event.type === "lost");
    else if (event.type !== "queued" && event.type !== "anew") this.#finish(event);
    this.changed(this);
  }

  /** @param {Ending} event */
  #finish(event) {
    this.rows.dropUnfinished();
    if (event.type === "solved") this.rows.set(rowOf(event));
    this.ending = event;
    this.#setState(event.type);
  }

  /** Handle a lost or restored connection: the search continues after the finished rows. @param {boolean} lost */
  #reconnect(lost) {
    this.rows.dropUnfinished();
    if (lost) this.#setState("lost");
    else this.#setState(this.isPaused ? "paused" : "running");
  }

  /** @param {State} state */
  #setState(state) {
    this.state = state;
    this.changed(this);
  }
}
