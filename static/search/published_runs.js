/**
 * Published results to run one after another, the longest last. A run can be paused in the middle of a result and
 * resumed, and a result can be skipped.
 *
 * @typedef {object} PublishedResult null and empty fields were not published
 * @property {string} puzzle
 * @property {string} start
 * @property {string} goal
 * @property {string} method
 * @property {[number, number] | null} first_move
 * @property {number | null} moves
 * @property {number | null} count number of shortest solutions
 * @property {boolean} unsolvable
 * @property {boolean} solvable only the existence of a solution was published
 * @property {number} first_limit first limit with a published node count
 * @property {number[]} nodes by limit
 * @property {number | null} total nodes of all limits
 * @property {number[]} corrected_nodes corrected node counts; empty unless the published program was wrong
 * @property {number | null} max_moves most moves that any position of the puzzle needs
 * @property {number} seconds approximate time of a run; 0 if short
 *
 * @typedef {import("../ui/stored_kinds.js").Outcome} Outcome
 * @typedef {"waiting" | "running" | "agrees" | "differs" | "skipped" | "failed" | "old"} State "old": result of another version
 * @typedef {import("./search.js").SearchEvent} SearchEvent
 */
import { fetchJson } from "../game/api.js";
import { connected } from "./connection.js";
import { Rows } from "./rows.js";
import { SearchRun } from "./run.js";
import { Search } from "./search.js";

/** Return the sum of node counts. @param {number[]} nodes */
export const total = (nodes) => nodes.reduce((all, one) => all + one, 0);

/** Return whether a result equals the published one, like `agrees` in server/hoppers/analysis/published_results.py.
 * @param {PublishedResult} published @param {Outcome} outcome */
function agrees(published, { moves, count, nodes }) {
  if (published.solvable || published.unsolvable) return (moves === null) === published.unsolvable;
  const expected = published.corrected_nodes.length ? published.corrected_nodes : published.nodes;
  return (
    moves === (published.max_moves ?? published.moves) &&
    (count === null || count === published.count) &&
    (!expected.length || expected.join() === nodes.join()) &&
    (published.total === null || published.total === total(nodes))
  );
}

/** The run of one published result. */
export class ResultRun {
  /** @type {State} */
  state = "waiting";
  /** @type {Outcome | null} */
  outcome = null;
  /** Catalogue key for the reason why the run did not finish, and in `detail` the message of the server. */
  why = "";
  detail = "";
  /** Time when the run finished, in milliseconds; 0 if it is not stored. */
  finishedAt = 0;
  search = new SearchRun(new Rows());

  /** @param {PublishedResult} published @param {number} index number of its row */
  constructor(published, index) {
    this.published = published;
    this.index = index;
  }

  /** Reset the run to a state without a result. @param {State} state */
  begin(state) {
    this.state = state;
    this.outcome = null;
    this.why = this.detail = "";
    this.finishedAt = 0;
    this.rows.clear();
  }

  get rows() {
    return this.search.rows;
  }

  /** Limit being searched or searched last; 0 before the first. */
  get limit() {
    return this.rows.all.at(-1)?.limit ?? 0;
  }

  /** Nodes of the finished limits with published node counts. */
  get #nodes() {
    return this.rows.finished
      .filter(({ limit }) => limit >= this.published.first_limit)
      .map(({ nodes }) => nodes);
  }

  get isDone() {
    return this.state === "agrees" || this.state === "differs";
  }

  /** @param {Outcome} outcome */
  finish(outcome) {
    this.outcome = outcome;
    this.state = agrees(this.published, outcome) ? "agrees" : "differs";
  }

  /** Restore a result of an earlier visit. A result of another version of the solver is shown, but has to be run again.
   * @param {import("../ui/stored_kinds.js").PublishedRun} stored @param {string} version current version of the solver */
  restore({ outcome, engine, when }, version) {
    this.finish(outcome);
    this.finishedAt = when;
    if (engine !== version) this.state = "old";
  }

  /** @param {"skipped" | "failed"} state @param {string} why @param {string} [detail] */
  endWithout(state, why, detail = "") {
    [this.state, this.why, this.detail] = [state, why, detail];
  }

  /** @param {SearchEvent} event */
  handle(event) {
    if (event.type === "solved")
      this.finish({ moves: event.limit, count: event.count, nodes: this.#nodes, seconds: this.rows.seconds });
    if (event.type === "unsolvable")
      this.finish({ moves: null, count: 0, nodes: this.#nodes, seconds: event.seconds });
    if (event.type === "failed") this.endWithout("failed", `failed.${event.error.code}`, event.error.message);
    if (event.type === "stopped") this.#handleStop(event.reason);
  }

  /** Handle a stop. A busy server may drop a paused search, which then has to start again. @param {string} reason */
  #handleStop(reason) {
    if (reason === "replaced") this.begin("waiting");
    else this.endWithout("skipped", reason === "asked" ? "published.skipped" : `stopped.${reason}`);
  }
}

/** The queue of published results to run. */
export class ResultQueue {
  hasRun = false;
  isRunning = false;
  isPaused = false;
  /** @type {ResultRun | undefined} the current run, also while it is paused */
  current;
  #continueQueue = () => {};

  /** @param {PublishedResult[]} published @param {() => void} changed called after every change */
  constructor(published, changed) {
    const runs = published.map((result, index) => new ResultRun(result, index));
    this.runs = runs.sort((a, b) => a.published.seconds - b.published.seconds || a.index - b.index);
    this.changed = changed;
  }

  /** Runs with a result. */
  get done() {
    return this.runs.filter(({ isDone }) => isDone);
  }

  /** Run all results that are missing, or all again if none is missing. */
  async run() {
    const all = this.done.length === this.runs.length;
    for (const run of this.runs) if (all || !run.isDone) run.begin("waiting");
    this.hasRun = this.isRunning = true;
    while ((this.current = this.runs.find(({ state }) => state === "waiting"))) {
      await this.#run(this.current);
      if (this.current.state === "failed") break;
      if (this.isPaused) await new Promise((resolve) => (this.#continueQueue = () => resolve(null)));
    }
    this.isRunning = this.isPaused = false;
    this.changed();
  }

  pause() {
    this.isPaused = true;
    this.current?.search.running?.pause();
    this.changed();
  }

  resume() {
    this.isPaused = false;
    this.current?.search.running?.resume();
    this.#continueQueue();
    this.changed();
  }

  /** Skip the current result. */
  skip() {
    this.current?.search.running?.stop();
  }

  /** @param {ResultRun} run */
  async #run(run) {
    run.begin("running");
    this.changed();
    try {
      await (run.published.max_moves === null ? this.#runSearch(run) : this.#runDistribution(run));
    } catch (error) {
      run.endWithout("failed", "failed.other", String(error));
    }
    this.changed();
  }

  /** @param {ResultRun} run */
  async #runDistribution(run) {
    const { puzzle, goal } = run.published;
    const began = performance.now();
    const { counts } = await fetchJson(
      `/api/puzzles/${encodeURIComponent(puzzle)}/distribution?${new URLSearchParams({ goal })}`,
    );
    run.finish({
      moves: counts.length - 1,
      count: null,
      nodes: [],
      seconds: (performance.now() - began) / 1000,
    });
  }

  /** @param {ResultRun} run */
  async #runSearch(run) {
    const { puzzle, start, goal, method, first_move, count } = run.published;
    const wanted = /** @type {"first" | "all"} */ (count === null ? "first" : "all");
    const request = {
      puzzle,
      position: start,
      goal,
      method,
      find: wanted,
      ...(first_move ? { first_move } : {}),
    };
    const search = new Search(connected(), request);
    search.pace = "none";
    for await (const event of run.search.begin(search)) {
      run.handle(event);
      this.changed();
    }
  }
}
