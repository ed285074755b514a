/**
 * Results that are run one after another, the long ones last. The run can be stopped in the middle of a result and
 * goes on there; a result can be skipped; whatever has come out stays.
 *
 * @typedef {{ puzzle: string, start: string, goal: string, method: string, first_move: [number, number] | null,
 *   moves: number | null, count: number | null, unsolvable: boolean, solvable: boolean, lowest: number, nodes: number[],
 *   total: number | null, mended: number[], farthest: number | null, seconds: number }} PublishedResult
 * @typedef {import("../ui/storage.js").Outcome} Outcome
 * @typedef {"waiting" | "running" | "agrees" | "differs" | "skipped" | "failed" | "old"} State `old`: of another version
 * @typedef {import("./search.js").SearchEvent} SearchEvent
 */
import { fetched } from "../game/api.js";
import { connected } from "./connection.js";
import { Search } from "./search.js";

/** @param {number[]} nodes */
export const sum = (nodes) => nodes.reduce((all, one) => all + one, 0);

/** The twin of `agrees` in server/hoppers/analysis/published_results.py. @param {PublishedResult} classic @param {Outcome} outcome */
function agrees(classic, { moves, count, nodes }) {
  if (classic.solvable || classic.unsolvable) return (moves === null) === classic.unsolvable;
  const expected = classic.mended.length ? classic.mended : classic.nodes;
  return moves === (classic.farthest ?? classic.moves) && (count === null || count === classic.count)
    && (!expected.length || expected.join() === nodes.join()) && (classic.total === null || classic.total === sum(nodes));
}

/** One result, and how far it is. */
export class Task {
  /** @type {State} */
  state = "waiting";
  /** @type {Outcome | null} */
  outcome = null;
  /** Why it did not come to its end: a key of the catalogue, and what the server said. */
  why = "";
  detail = "";
  isLost = false;
  /** When it came out, if that was kept. */
  when = 0;
  /** @type {number[]} of the limits whose nodes were published */
  nodes = [];
  /** What it has come to so far: the limit, nodes and seconds, those of the limit that is searched apart. */
  limit = 0;
  before = 0;
  now = 0;
  secondsBefore = 0;
  secondsNow = 0;

  /** @param {PublishedResult} classic @param {number} index of its row */
  constructor(classic, index) {
    this.classic = classic;
    this.index = index;
  }

  /** Nothing is known of it. @param {State} state */
  begin(state) {
    this.state = state;
    this.outcome = null;
    this.why = this.detail = "";
    this.when = 0;
    this.nodes = [];
    this.limit = this.before = this.now = this.secondsBefore = this.secondsNow = 0;
  }

  /** Nodes so far. */
  get entered() {
    return this.before + this.now;
  }

  get seconds() {
    return this.secondsBefore + this.secondsNow;
  }

  get isDone() {
    return this.state === "agrees" || this.state === "differs";
  }

  /** @param {Outcome} outcome */
  finish(outcome) {
    this.outcome = outcome;
    this.state = agrees(this.classic, outcome) ? "agrees" : "differs";
  }

  /** What came out on an earlier visit; what another version of the solver found is to be seen, but has to be run again.
   * @param {import("../ui/storage.js").PublishedRun} kept @param {string} present version */
  recall({ outcome, engine, when }, present) {
    this.finish(outcome);
    this.when = when;
    if (engine !== present) this.state = "old";
  }

  /** @param {"skipped" | "failed"} state @param {string} why @param {string} [detail] */
  leave(state, why, detail = "") {
    [this.state, this.why, this.detail] = [state, why, detail];
  }

  /** @param {SearchEvent} event */
  take(event) {
    if (event.type === "lost" || event.type === "again") this.isLost = event.type === "lost";
    else if (event.type === "progress" && event.limit > 0) [this.limit, this.now, this.secondsNow] = [event.limit, event.nodes, event.seconds];
    else if (event.type === "exhausted" || event.type === "solved") this.#count(event);
    if (event.type === "solved") this.finish({ moves: event.limit, count: event.count, nodes: this.nodes, seconds: this.seconds });
    if (event.type === "unsolvable") this.finish({ moves: null, count: 0, nodes: this.nodes, seconds: event.seconds });
    if (event.type === "failed") this.leave("failed", `failed.${event.error.code}`, event.error.message);
    if (event.type === "stopped") this.#stopped(event.reason);
  }

  /** @param {{ limit: number, nodes: number, seconds: number }} row */
  #count({ limit, nodes, seconds }) {
    [this.limit, this.now, this.secondsNow] = [limit, 0, 0];
    this.before += nodes;
    this.secondsBefore += seconds;
    if (limit >= this.classic.lowest) this.nodes.push(nodes);
  }

  /** A full server may have given away the place of a search that rested: then it has to begin again. @param {string} reason */
  #stopped(reason) {
    if (reason === "replaced") this.begin("waiting");
    else this.leave("skipped", reason === "asked" ? "classics.skipped" : `stopped.${reason}`);
  }
}

export class ResultQueue {
  hasRun = false;
  isRunning = false;
  isHeld = false;
  /** @type {Task | undefined} the one that runs, or rests */
  task;
  /** @type {Search | null} */
  #search = null;
  #release = () => {};

  /** @param {PublishedResult[]} classics @param {() => void} changed called whenever there is something new to show */
  constructor(classics, changed) {
    const tasks = classics.map((classic, index) => new Task(classic, index));
    this.tasks = tasks.sort((a, b) => a.classic.seconds - b.classic.seconds || a.index - b.index);
    this.changed = changed;
  }

  /** Those with a result. */
  get done() {
    return this.tasks.filter(({ isDone }) => isDone);
  }

  /** Run what has no result yet, or everything again. */
  async run() {
    const all = this.done.length === this.tasks.length;
    for (const task of this.tasks) if (all || !task.isDone) task.begin("waiting");
    this.hasRun = this.isRunning = true;
    while ((this.task = this.tasks.find(({ state }) => state === "waiting"))) {
      await this.#do(this.task);
      if (this.task.state === "failed") break;
      if (this.isHeld) await new Promise((resolve) => (this.#release = () => resolve(null)));
    }
    this.isRunning = this.isHeld = false;
    this.changed();
  }

  stop() {
    this.isHeld = true;
    this.#search?.pause();
    this.changed();
  }

  goOn() {
    this.isHeld = false;
    this.#search?.resume();
    this.#release();
    this.changed();
  }

  /** Leave the present result out. */
  skip() {
    this.#search?.stop();
  }

  /** @param {Task} task */
  async #do(task) {
    task.begin("running");
    this.changed();
    try {
      await (task.classic.farthest === null ? this.#searched(task) : this.#counted(task));
    } catch (error) {
      task.leave("failed", "failed.other", String(error));
    }
    this.#search = null;
    this.changed();
  }

  /** @param {Task} task */
  async #counted(task) {
    const { puzzle, goal } = task.classic;
    const began = performance.now();
    const { counts } = await fetched(`/api/puzzles/${encodeURIComponent(puzzle)}/distribution?${new URLSearchParams({ goal })}`);
    task.finish({ moves: counts.length - 1, count: null, nodes: [], seconds: (performance.now() - began) / 1000 });
  }

  /** @param {Task} task */
  async #searched(task) {
    const { puzzle, start, goal, method, first_move, count } = task.classic;
    const wanted = /** @type {"first" | "all"} */ (count === null ? "first" : "all");
    const request = { puzzle, position: start, goal, method, find: wanted, ...(first_move ? { first_move } : {}) };
    const search = (this.#search = new Search(connected(), request));
    for await (const event of search.events()) {
      task.take(event);
      this.changed();
    }
  }
}
