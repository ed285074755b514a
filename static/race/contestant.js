/**
 * One contestant of a race: a search method and its search.
 *
 * @typedef {import("../search/rows.js").Row} Row
 * @typedef {import("../search/run.js").Ending} Ending
 * @typedef {{ method: string, title: string, proves: boolean, node: string }} About "node": what a node is, "proves": whether its bound is right, so that its events are proofs
 */
import { Rows, totalNodes } from "../search/rows.js";
import { SearchRun } from "../search/run.js";
import { Search } from "../search/search.js";

/** A search method in a race. @extends {SearchRun<Rows>} */
export class Contestant extends SearchRun {
  /** @param {About} about @param {(contestant: Contestant) => void} changed called after every change */
  constructor(about, changed) {
    super(new Rows());
    this.about = about;
    this.changed = changed;
  }

  /** Nodes of all finished rows. */
  get finishedNodes() {
    return totalNodes(this.rows.finished);
  }

  get isOver() {
    return this.ending !== null;
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
    this.rows.clear();
    const events = this.begin(new Search(socket, request));
    this.changed(this);
    for await (const { type } of events) {
      if (type === "stopped") this.rows.dropUnfinished();
      this.changed(this);
    }
  }

  /** Restore a run from a link. @param {Row[]} rows @param {Ending | null} ending */
  restore(rows, ending) {
    this.rows.clear();
    for (const row of rows) this.rows.set(row);
    this.ending = ending;
    this.changed(this);
  }

  stop() {
    this.running?.stop();
    this.changed(this);
  }

  /** Whether the search will be stopped when the connection is back. */
  get isStopping() {
    return this.state === "lost" && (this.running?.stopped ?? false);
  }

  togglePause() {
    super.togglePause();
    this.changed(this);
  }
}
