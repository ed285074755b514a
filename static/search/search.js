/**
 * A search on the server as a stream of events, over Socket.IO.
 *
 * @typedef {import("socket.io-client").Socket} Socket
 * @typedef {{ puzzle: string, position: string, goal: string, method: string, find: "first" | "all",
 *   race?: string, first_move?: [number, number], fresh?: boolean }} Request "fresh": ignore answers that are known
 * @typedef {"table" | "kept" | "atlas"} Proof proof of an answer that was known without a search
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {{ limit: number, nodes: number }} Proved the highest limit ruled out, and its nodes
 * @typedef {{ type: "progress", limit: number, nodes: number, seconds: number, memory?: number, replayed?: boolean }
 *   | { type: "found", limit: number, seconds: number, moves: number[][] }
 *   | { type: "exhausted", limit: number, nodes: number, cut: number, seconds: number, known?: Proof, memory?: number }
 *   | { type: "solved", limit: number, nodes: number, seconds: number, moves: number[][], count: number | null,
 *       total_nodes: number, known?: Proof, memory?: number }
 *   | { type: "unsolvable", reason: string, total_nodes: number, seconds: number, known?: Proof }
 *   | { type: "stopped", reason: string, limit: number, total_nodes: number, seconds: number }
 *   | { type: "failed", error: Fault }
 *   | { type: "queued", ahead: number }
 *   | { type: "lost" } | { type: "again" } | { type: "anew" }} SearchEvent
 * @typedef {Extract<SearchEvent, { type: "exhausted" | "solved" }>} RowEvent an event with a finished row
 *
 * The events of the server, and three more: "lost" and "again" report that the connection is lost and back, "anew" that the
 * server starts again and repeats limits that are already shown. `progress` at limit 0 comes before the first limit; `replayed`: this
 * limit is finished, and its nodes are counted once more for the player.
 */
import { hasReducedMotion } from "../board/animation.js";

const EVENTS = /** @type {const} */ ([
  "queued",
  "progress",
  "found",
  "exhausted",
  "solved",
  "unsolvable",
  "stopped",
  "failed",
]);
const FINAL_EVENTS = new Set(["solved", "unsolvable", "stopped", "failed"]);
/** Events that are held back while the search is paused. */
const HELD_WHILE_PAUSED = new Set(["progress", "found", "exhausted", "solved", "unsolvable"]);
/** Events that are delivered at once, even while others are held back. */
const URGENT_EVENTS = new Set(["stopped", "failed"]);
/** Milliseconds to wait for the acknowledgement of a command. */
const ACK_TIMEOUT = 8000;
/** Milliseconds without an event before a page reports a delay. */
export const SILENCE = 5000;
/** Milliseconds from one row to the next where both arrive together. @satisfies {Record<string, (row: RowEvent) => number>} */
const PACES = {
  none: () => 0,
  quick: ({ limit }) => 70 / (1 + limit / 12),
  film: ({ nodes, type }) => (type === "solved" ? 1500 : nodes > 1 ? 800 : 500),
};
/** Milliseconds between two checks for a lost connection, and two steps of a replayed count. */
const POLL_INTERVAL = 50;

/** One search on the server. */
export class Search {
  /** @type {SearchEvent[]} */
  #events = [];
  #wake = () => {};
  /** Last limit received from the server under this ticket, and last limit delivered. */
  #lastReceived = -1;
  #lastShown = 0;
  /** Nodes of the delivered limits. */
  #shownNodes = 0;
  paused = false;
  stopped = false;
  /** Whether the search will pause after the next limit. */
  pausesAfterLimit = false;
  /** Whether the connection is lost, even if the event was not delivered yet. */
  isLost = false;
  /** How fast rows that arrive together are delivered by `paced`. @type {keyof typeof PACES} */
  pace = hasReducedMotion() ? "none" : "quick";

  /** @param {Socket} socket @param {Request} request @param {Proved} [proved] limits that an earlier search ruled out */
  constructor(socket, request, proved) {
    this.socket = socket;
    this.request = request;
    this.ticket = newTicket();
    if (proved) [this.#lastShown, this.#shownNodes] = [proved.limit, proved.nodes];
  }

  /** Yield events up to the one that ends the search. Leaving the loop early stops the search. */
  async *events() {
    const release = this.#listen();
    let ended = false;
    try {
      this.#start();
      while (!ended) {
        const event = await this.#next();
        ended = FINAL_EVENTS.has(event.type);
        if (this.#isRepeated(event)) continue;
        if (event.type === "exhausted") {
          this.#lastShown = event.limit;
          this.#shownNodes += event.nodes;
        }
        if (event.type === "exhausted" && !event.known) this.#pauseIfSingle();
        yield event;
      }
    } finally {
      release();
      if (!ended) this.socket.emit("stop", { ticket: this.ticket });
    }
  }

  /** Stop the search. While the connection is lost, the command is sent after the reconnect: see `#rejoin`. */
  stop() {
    this.stopped = true;
    this.#send("stop");
    this.#wake();
  }

  /** Pause the search. Results that arrive while it is paused are held back until `resume`. */
  pause() {
    this.paused = true;
    this.pausesAfterLimit = false;
    this.#send("pause");
  }

  resume() {
    this.paused = this.pausesAfterLimit = false;
    this.#send("resume");
    this.#wake();
  }

  /** Continue for one more limit and pause after it. A limit that has already arrived needs no further search. */
  runOneLimit() {
    const isKnown = this.#events.some(
      (event) =>
        FINAL_EVENTS.has(event.type) || (event.type === "exhausted" && event.limit > this.#lastShown),
    );
    if (this.paused && !isKnown) this.resume();
    this.pausesAfterLimit = true;
    this.#wake();
  }

  #pauseIfSingle() {
    if (!this.pausesAfterLimit) return;
    if (this.paused) this.pausesAfterLimit = false;
    else this.pause();
  }

  /** @param {"stop" | "pause" | "resume"} name */
  #send(name) {
    if (!this.isLost) this.socket.emit(name, { ticket: this.ticket });
  }

  #start() {
    const message = { ...this.request, ticket: this.ticket };
    this.socket
      .timeout(ACK_TIMEOUT)
      .emit("search", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
        if (this.isLost) return;
        if (late) this.#enqueue({ type: "failed", error: { code: "no_answer", message: "" } });
        else if (!answer?.ok) this.#enqueue({ type: "failed", error: answer.error });
      });
  }

  /** Register the event handlers, and return a function that removes them. */
  #listen() {
    /** @type {[string, (data?: any) => void][]} */
    const handlers = EVENTS.map((type) => [
      type,
      (data) => data.ticket === this.ticket && this.#enqueue({ ...data, type }),
    ]);
    handlers.push(["disconnect", () => this.#handleDisconnect()], ["connect", () => this.#rejoin()]);
    for (const [name, handler] of handlers) this.socket.on(name, handler);
    return () => handlers.forEach(([name, handler]) => this.socket.off(name, handler));
  }

  #handleDisconnect() {
    this.isLost = true;
    this.#enqueue({ type: "lost" });
  }

  /** Resume after a reconnect: the server sends the missed events. Start again if it no longer knows the search. */
  #rejoin() {
    if (!this.isLost) return;
    this.isLost = false;
    this.#enqueue({ type: "again" });
    this.#send(this.stopped ? "stop" : this.paused ? "pause" : "resume"); // the last command given while the connection was lost
    const message = { ticket: this.ticket, limit: this.#lastReceived };
    this.socket
      .timeout(ACK_TIMEOUT)
      .emit("rejoin", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
        if (this.isLost || answer?.ok) return;
        if (answer?.error.code === "unknown_ticket") this.#restart();
        else
          this.#enqueue({ type: "failed", error: late ? { code: "no_answer", message: "" } : answer.error });
      });
  }

  /** Start again from the first limit, because the server no longer knows the search. The rows shown remain proved. */
  #restart() {
    if (this.stopped)
      return this.#enqueue({
        type: "stopped",
        reason: "asked",
        limit: this.#lastShown,
        total_nodes: this.#shownNodes,
        seconds: 0,
      });
    this.ticket = newTicket();
    this.#lastReceived = -1;
    this.#enqueue({ type: "anew" });
    this.#start();
    if (this.paused) this.pause();
  }

  /** Return whether an event is about a limit that was delivered before. @param {SearchEvent} event */
  #isRepeated(event) {
    if (event.type === "progress") return event.limit <= this.#lastShown && event.limit !== 0;
    return event.type === "exhausted" && event.limit <= this.#lastShown;
  }

  /** @param {SearchEvent} event */
  #enqueue(event) {
    if (event.type === "exhausted") this.#lastReceived = event.limit;
    this.#events.push(event);
    this.#wake();
  }

  /** Whether the server has ended the search, even if the event was not delivered yet. */
  get isOver() {
    return this.#events.some(({ type }) => FINAL_EVENTS.has(type));
  }

  /** Whether the next event is held back. A lost connection is reported at once. */
  get #isBlocked() {
    if (!this.paused || this.pausesAfterLimit || this.stopped || this.isLost) return false;
    return (
      HELD_WHILE_PAUSED.has(this.#events[0].type) && !this.#events.some(({ type }) => URGENT_EVENTS.has(type))
    );
  }

  /** @returns {Promise<SearchEvent>} */
  async #next() {
    while (!this.#events.length || this.#isBlocked)
      await new Promise((resolve) => (this.#wake = () => resolve(null)));
    return /** @type {SearchEvent} */ (this.#events.shift());
  }
}

const newTicket = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;

/** Yield the events of a search, with a pause between rows that arrive together, so that they can be watched. The server does
 * not wait for it.
 * @param {Search} search @returns {AsyncGenerator<SearchEvent>} */
export async function* paced(search) {
  let last = search.pace === "film" ? performance.now() : -Infinity;
  let told = { limit: 0, nodes: 0 };
  for await (const event of search.events()) {
    if (event.type === "progress") told = event;
    if ((event.type === "exhausted" || event.type === "solved") && !event.known) {
      yield* replay(search, event, last, event.limit === told.limit ? told.nodes : 0);
      last = performance.now();
    }
    yield event;
  }
}

/** Wait until a row may follow the one before; in a film, yield meanwhile how its nodes add up. A lost connection ends the wait.
 * @param {Search} search @param {RowEvent} row @param {number} last time of the row before
 * @param {number} first nodes that the server has told @returns {AsyncGenerator<SearchEvent>} */
async function* replay(search, row, last, first) {
  const { limit, nodes, seconds } = row;
  for (;;) {
    const [passed, pause] = [performance.now() - last, PACES[search.pace](row)];
    if (passed >= pause || search.isLost) return;
    const share = passed / pause;
    if (search.pace === "film")
      yield {
        type: "progress",
        limit,
        nodes: Math.round((first + 1) ** (1 - share) * (nodes + 1) ** share) - 1,
        seconds: seconds * share,
        replayed: true,
      };
    await new Promise((resolve) => setTimeout(resolve, Math.min(POLL_INTERVAL, pause - passed)));
  }
}
