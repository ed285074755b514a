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

const EVENTS = /** @type {const} */ (["queued", "progress", "found", "exhausted", "solved", "unsolvable", "stopped", "failed"]);
const FINAL_EVENTS = new Set(["solved", "unsolvable", "stopped", "failed"]);
/** What a paused search keeps to itself, though it was under way already. */
const HELD_WHILE_PAUSED = new Set(["progress", "found", "exhausted", "solved", "unsolvable"]);
/** What is told at once, whatever stands before it. */
const URGENT_EVENTS = new Set(["stopped", "failed"]);
const ACK_TIMEOUT = 8000;
/** Milliseconds within which it is noticed that the connection is lost. */
const POLL_INTERVAL = 50;

export class Search {
  /** @type {SearchEvent[]} */
  #events = [];
  #wake = () => {};
  #lost = false;
  /** The last limit of which the server has told under this ticket, and ever. */
  #lastReceived = 0;
  #lastShown = 0;
  /** Nodes of the limits told of. */
  #shownNodes = 0;
  /** Whether it rests as soon as one limit more is done. */
  #pausesAfterNext = false;
  paused = false;
  stopped = false;

  /** @param {Socket} socket @param {Request} request @param {Proved} [proved] what need not be told again */
  constructor(socket, request, proved) {
    this.socket = socket;
    this.request = request;
    this.ticket = newTicket();
    if (proved) [this.#lastShown, this.#shownNodes] = [proved.limit, proved.nodes];
  }

  /** Events until one that ends the search; leaving early stops it. */
  async *events() {
    const release = this.#listen();
    let ended = false;
    try {
      this.#start();
      while (!ended) {
        const event = await this.#next();
        ended = FINAL_EVENTS.has(event.type);
        if (!this.#isNew(event)) continue;
        if (event.type === "exhausted") this.#pauseIfSingle();
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
    this.#send("stop");
    this.#wake();
  }

  /** Nothing more is searched until `resume`, and what was found meanwhile is not told. */
  pause() {
    this.paused = true;
    this.#pausesAfterNext = false;
    this.#send("pause");
  }

  resume() {
    this.paused = this.#pausesAfterNext = false;
    this.#send("resume");
    this.#wake();
  }

  /** Go on until one limit more is done, and rest behind it. Where that is known already nothing need be searched. */
  runOneLimit() {
    const isKnown = this.#events.some((event) => FINAL_EVENTS.has(event.type) || (event.type === "exhausted" && event.limit > this.#lastShown));
    if (this.paused && !isKnown) this.resume();
    this.#pausesAfterNext = true;
    this.#wake();
  }

  /** Whether it will rest behind the next limit. */
  get pausesAfterLimit() {
    return this.#pausesAfterNext;
  }

  #pauseIfSingle() {
    if (!this.#pausesAfterNext) return;
    if (this.paused) this.#pausesAfterNext = false;
    else this.pause();
  }

  /** @param {"stop" | "pause" | "resume"} name */
  #send(name) {
    if (!this.#lost) this.socket.emit(name, { ticket: this.ticket });
  }

  /** Whether the connection is lost, and perhaps not told of yet. */
  get isLost() {
    return this.#lost;
  }

  #start() {
    const message = { ...this.request, ticket: this.ticket };
    this.socket.timeout(ACK_TIMEOUT).emit("search", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
      if (this.#lost) return;
      if (late) this.#enqueue({ type: "failed", error: { code: "no_answer", message: "" } });
      else if (!answer?.ok) this.#enqueue({ type: "failed", error: answer.error });
    });
  }

  /** A search lives on at the server for a while when the connection is lost. */
  #listen() {
    /** @type {[string, (data?: any) => void][]} */
    const handlers = EVENTS.map((type) => [type, (data) => data.ticket === this.ticket && this.#enqueue({ ...data, type })]);
    handlers.push(["disconnect", () => this.#handleDisconnect()], ["connect", () => this.#rejoin()]);
    for (const [name, handler] of handlers) this.socket.on(name, handler);
    return () => handlers.forEach(([name, handler]) => this.socket.off(name, handler));
  }

  #handleDisconnect() {
    this.#lost = true;
    this.#enqueue({ type: "lost" });
  }

  /** The connection is back: the server tells what was missed, or knows nothing of the search any more. */
  #rejoin() {
    if (!this.#lost) return;
    this.#lost = false;
    this.#enqueue({ type: "again" });
    this.#send(this.stopped ? "stop" : this.paused ? "pause" : "resume"); // whatever was pressed meanwhile
    const message = { ticket: this.ticket, limit: this.#lastReceived };
    this.socket.timeout(ACK_TIMEOUT).emit("rejoin", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
      if (this.#lost || answer?.ok) return;
      if (answer?.error.code === "unknown_ticket") this.#restart();
      else this.#enqueue({ type: "failed", error: late ? { code: "no_answer", message: "" } : answer.error });
    });
  }

  /** What the page shows is proved all the same, but not to the server: it starts from the first limit. */
  #restart() {
    if (this.stopped) return this.#enqueue({ type: "stopped", reason: "asked", limit: this.#lastShown, total_nodes: this.#shownNodes, seconds: 0 });
    this.ticket = newTicket();
    this.#lastReceived = 0;
    this.#enqueue({ type: "anew" });
    this.#start();
    if (this.paused) this.pause();
  }

  /** No row comes twice. @param {SearchEvent} event */
  #isNew(event) {
    if (event.type === "progress") return event.limit > this.#lastShown || event.limit === 0;
    if (event.type !== "exhausted") return true;
    if (event.limit <= this.#lastShown) return false;
    this.#lastShown = event.limit;
    this.#shownNodes += event.nodes;
    return true;
  }

  /** @param {SearchEvent} event */
  #enqueue(event) {
    if (event.type === "exhausted") this.#lastReceived = event.limit;
    this.#events.push(event);
    this.#wake();
  }

  /** Whether what comes next has to wait. A lost connection is told at once. */
  get #isBlocked() {
    if (!this.paused || this.#pausesAfterNext || this.stopped || this.#lost) return false;
    return HELD_WHILE_PAUSED.has(this.#events[0].type) && !this.#events.some(({ type }) => URGENT_EVENTS.has(type));
  }

  /** @returns {Promise<SearchEvent>} */
  async #next() {
    while (!this.#events.length || this.#isBlocked) await new Promise((resolve) => (this.#wake = () => resolve(null)));
    return /** @type {SearchEvent} */ (this.#events.shift());
  }
}

/** What it is doing, as a key of the catalogue. @param {Search | null} search @param {number} ahead searches that come before it; -1: it does not wait */
export function stateKey(search, ahead) {
  if (search?.isLost) return search.paused ? "search.lostPaused" : "search.reconnecting";
  if (search?.paused) return "search.paused";
  if (ahead >= 0) return ahead ? "search.queued" : "search.next";
  return search?.pausesAfterLimit ? "search.single" : "search.running";
}

/** How a search ended, for the same place: an entry of the catalogue. @param {SearchEvent} event */
export function endKey(event) {
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
    while (until > performance.now() && !search.isLost) await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_INTERVAL, until - performance.now())));
  }
}
