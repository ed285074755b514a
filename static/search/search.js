/**
 * A search on the server as a stream of events, over Socket.IO.
 *
 * @typedef {import("socket.io-client").Socket} Socket
 * @typedef {{ puzzle: string, position: string, goal: string, method: string, find: "first" | "all",
 *   race?: string, first_move?: [number, number] }} Request
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {{ limit: number, nodes: number }} Proved that this limit is too small, and the nodes it took
 * @typedef {{ type: "progress", limit: number, nodes: number, seconds: number }
 *   | { type: "found", limit: number, seconds: number, moves: number[][] }
 *   | { type: "exhausted", limit: number, nodes: number, cut: number, seconds: number }
 *   | { type: "solved", limit: number, nodes: number, seconds: number, moves: number[][], count: number | null,
 *       total_nodes: number }
 *   | { type: "unsolvable", reason: string, total_nodes: number, seconds: number }
 *   | { type: "stopped", reason: string, limit: number, total_nodes: number, seconds: number }
 *   | { type: "failed", error: Fault }
 *   | { type: "queued", ahead: number }
 *   | { type: "lost" } | { type: "again" } | { type: "anew" }} SearchEvent `progress` at limit 0: none has begun yet; `lost`: the connection, not the search; `again`: it is
 *   back; `anew`: the server has to search once more what is shown already
 */

const NAMES = /** @type {const} */ (["queued", "progress", "found", "exhausted", "solved", "unsolvable", "stopped", "failed"]);
const LAST = new Set(["solved", "unsolvable", "stopped", "failed"]);
/** What a paused search keeps to itself, though it was under way already. */
const FOUND = new Set(["progress", "found", "exhausted", "solved", "unsolvable"]);
/** What is told at once, whatever stands before it. */
const GIVEN_UP = new Set(["stopped", "failed"]);
const PATIENCE = 8000;
/** Milliseconds within which it is noticed that the connection is lost. */
const SHORT = 50;

export class Search {
  /** @type {SearchEvent[]} */
  #waiting = [];
  #wake = () => {};
  #lost = false;
  /** The last limit of which the server has told under this ticket, and ever. */
  #told = 0;
  #shown = 0;
  /** Nodes of the limits told of. */
  #nodes = 0;
  /** Whether it rests as soon as one limit more is done. */
  #single = false;
  paused = false;
  stopped = false;

  /** @param {Socket} socket @param {Request} request @param {Proved} [proved] what need not be told again */
  constructor(socket, request, proved) {
    this.socket = socket;
    this.request = request;
    this.ticket = newTicket();
    if (proved) [this.#shown, this.#nodes] = [proved.limit, proved.nodes];
  }

  /** Events until one that ends the search; leaving early stops it. */
  async *events() {
    const release = this.#listen();
    let ended = false;
    try {
      this.#begin();
      while (!ended) {
        const event = await this.#next();
        ended = LAST.has(event.type);
        if (!this.#isNew(event)) continue;
        if (event.type === "exhausted") this.#restAfterOne();
        yield event;
      }
    } finally {
      release();
      if (!ended) this.socket.emit("stop", { ticket: this.ticket });
    }
  }

  /** What is asked for while the connection is lost is carried out when it is back: see `#rejoin`. */
  stop() {
    this.stopped = true;
    this.#tell("stop");
    this.#wake();
  }

  /** Nothing more is searched until `resume`, and what was found meanwhile is not told. */
  pause() {
    this.paused = true;
    this.#single = false;
    this.#tell("pause");
  }

  resume() {
    this.paused = this.#single = false;
    this.#tell("resume");
    this.#wake();
  }

  /** Go on until one limit more is done, and rest behind it. Where that is known already nothing need be searched. */
  deeper() {
    const isKnown = this.#waiting.some((event) => LAST.has(event.type) || (event.type === "exhausted" && event.limit > this.#shown));
    if (this.paused && !isKnown) this.resume();
    this.#single = true;
    this.#wake();
  }

  /** Whether it will rest behind the next limit. */
  get isSingle() {
    return this.#single;
  }

  #restAfterOne() {
    if (!this.#single) return;
    if (this.paused) this.#single = false;
    else this.pause();
  }

  /** @param {"stop" | "pause" | "resume"} name */
  #tell(name) {
    if (!this.#lost) this.socket.emit(name, { ticket: this.ticket });
  }

  /** Whether the connection is lost, and perhaps not told of yet. */
  get isLost() {
    return this.#lost;
  }

  #begin() {
    const message = { ...this.request, ticket: this.ticket };
    this.socket.timeout(PATIENCE).emit("search", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
      if (this.#lost) return;
      if (late) this.#push({ type: "failed", error: { code: "no_answer", message: "" } });
      else if (!answer?.ok) this.#push({ type: "failed", error: answer.error });
    });
  }

  /** A search lives on at the server for a while when the connection is lost. */
  #listen() {
    /** @type {[string, (data?: any) => void][]} */
    const handlers = NAMES.map((type) => [type, (data) => data.ticket === this.ticket && this.#push({ ...data, type })]);
    handlers.push(["disconnect", () => this.#lose()], ["connect", () => this.#rejoin()]);
    for (const [name, handler] of handlers) this.socket.on(name, handler);
    return () => handlers.forEach(([name, handler]) => this.socket.off(name, handler));
  }

  #lose() {
    this.#lost = true;
    this.#push({ type: "lost" });
  }

  /** The connection is back: the server tells what was missed, or knows nothing of the search any more. */
  #rejoin() {
    if (!this.#lost) return;
    this.#lost = false;
    this.#push({ type: "again" });
    this.#tell(this.stopped ? "stop" : this.paused ? "pause" : "resume"); // whatever was pressed meanwhile
    const message = { ticket: this.ticket, limit: this.#told };
    this.socket.timeout(PATIENCE).emit("rejoin", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
      if (this.#lost || answer?.ok) return;
      if (answer?.error.code === "unknown_ticket") this.#beginAnew();
      else this.#push({ type: "failed", error: late ? { code: "no_answer", message: "" } : answer.error });
    });
  }

  /** What the page shows is proved all the same, but not to the server: it starts from the first limit. */
  #beginAnew() {
    if (this.stopped) return this.#push({ type: "stopped", reason: "asked", limit: this.#shown, total_nodes: this.#nodes, seconds: 0 });
    this.ticket = newTicket();
    this.#told = 0;
    this.#push({ type: "anew" });
    this.#begin();
    if (this.paused) this.pause();
  }

  /** No row comes twice. @param {SearchEvent} event */
  #isNew(event) {
    if (event.type === "progress") return event.limit > this.#shown || event.limit === 0;
    if (event.type !== "exhausted") return true;
    if (event.limit <= this.#shown) return false;
    this.#shown = event.limit;
    this.#nodes += event.nodes;
    return true;
  }

  /** @param {SearchEvent} event */
  #push(event) {
    if (event.type === "exhausted") this.#told = event.limit;
    this.#waiting.push(event);
    this.#wake();
  }

  /** Whether what comes next has to wait. A lost connection is told at once. */
  get #isHeld() {
    if (!this.paused || this.#single || this.stopped || this.#lost) return false;
    return FOUND.has(this.#waiting[0].type) && !this.#waiting.some(({ type }) => GIVEN_UP.has(type));
  }

  /** @returns {Promise<SearchEvent>} */
  async #next() {
    while (!this.#waiting.length || this.#isHeld) await new Promise((resolve) => (this.#wake = () => resolve(null)));
    return /** @type {SearchEvent} */ (this.#waiting.shift());
  }
}

/** What it is doing, as a key of the catalogue. @param {Search | null} search @param {number} ahead searches that come before it; -1: it does not wait */
export function stateOf(search, ahead) {
  if (search?.isLost) return search.paused ? "search.lostPaused" : "search.reconnecting";
  if (search?.paused) return "search.paused";
  if (ahead >= 0) return ahead ? "search.queued" : "search.next";
  return search?.isSingle ? "search.single" : "search.running";
}

/** How a search ended, for the same place: an entry of the catalogue. @param {SearchEvent} event */
export function endOf(event) {
  if (event.type === "stopped") return event.reason === "limit" ? "state.limit" : "state.stopped";
  return event.type === "failed" ? "state.failed" : "state.done";
}

const newTicket = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;

/**
 * LimitTable that arrive together are shown one after another, so that there is something to watch; later ones faster.
 * Where the connection is lost that is told first.
 * @param {Search} search @param {number} gap milliseconds, 0 for at once
 * @returns {AsyncGenerator<SearchEvent>}
 */
export async function* paced(search, gap) {
  for await (const event of search.events()) {
    yield event;
    if (event.type !== "exhausted") continue;
    const until = performance.now() + gap / (1 + event.limit / 12);
    while (until > performance.now() && !search.isLost) await new Promise((resolve) => setTimeout(resolve, Math.min(SHORT, until - performance.now())));
  }
}
