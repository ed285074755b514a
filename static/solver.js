/**
 * A search on the server as a stream of events, over Socket.IO.
 *
 * @typedef {import("socket.io-client").Socket} Socket
 * @typedef {{ puzzle: string, position: string, goal: string, method: string, find: "first" | "all",
 *   race?: string, first_move?: [number, number] }} Request
 * @typedef {{ code: string, message: string }} Fault
 * @typedef {{ type: "progress", limit: number, nodes: number, seconds: number }
 *   | { type: "exhausted", limit: number, nodes: number, cut: number, seconds: number }
 *   | { type: "solved", limit: number, nodes: number, seconds: number, moves: number[][], count: number | null,
 *       total_nodes: number }
 *   | { type: "unsolvable", reason: string, total_nodes: number, seconds: number }
 *   | { type: "stopped", reason: string, limit: number, total_nodes: number, seconds: number }
 *   | { type: "failed", error: Fault }
 *   | { type: "lost" } | { type: "again" }} SearchEvent
 */

const NAMES = /** @type {const} */ (["progress", "exhausted", "solved", "unsolvable", "stopped", "failed"]);
const LAST = new Set(["solved", "unsolvable", "stopped", "failed"]);
const PATIENCE = 8000;

export class Search {
  /** @type {SearchEvent[]} */
  #waiting = [];
  #wake = () => {};
  #lost = false;
  paused = false;

  /** @param {Socket} socket @param {Request} request */
  constructor(socket, request) {
    this.socket = socket;
    this.request = request;
    this.ticket = newTicket();
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
        yield event;
      }
    } finally {
      release();
      if (!ended) this.stop();
    }
  }

  stop() {
    this.socket.emit("stop", { ticket: this.ticket });
  }

  /** Nothing more is searched until `resume`. */
  pause() {
    this.paused = true;
    this.socket.emit("pause", { ticket: this.ticket });
  }

  resume() {
    this.paused = false;
    this.socket.emit("resume", { ticket: this.ticket });
  }

  #begin() {
    const message = { ...this.request, ticket: this.ticket };
    this.socket.timeout(PATIENCE).emit("search", message, (/** @type {unknown} */ late, /** @type {any} */ answer) => {
      if (this.#lost) return;
      if (late) this.#push({ type: "failed", error: { code: "no_answer", message: "" } });
      else if (!answer?.ok) this.#push({ type: "failed", error: answer.error });
    });
  }

  /** A lost connection ends the search at the server; when it is back, the same search is asked for anew. */
  #listen() {
    /** @type {[string, (data?: any) => void][]} */
    const handlers = NAMES.map((type) => [type, (data) => data.ticket === this.ticket && this.#push({ ...data, type })]);
    handlers.push(["disconnect", () => this.#lose()], ["connect", () => this.#resume()]);
    for (const [name, handler] of handlers) this.socket.on(name, handler);
    return () => handlers.forEach(([name, handler]) => this.socket.off(name, handler));
  }

  #lose() {
    this.#lost = true;
    this.#push({ type: "lost" });
  }

  #resume() {
    if (!this.#lost) return;
    this.#lost = false;
    this.ticket = newTicket();
    this.#push({ type: "again" });
    this.#begin();
    if (this.paused) this.pause();
  }

  /** @param {SearchEvent} event */
  #push(event) {
    this.#waiting.push(event);
    this.#wake();
  }

  /** @returns {Promise<SearchEvent>} */
  async #next() {
    while (!this.#waiting.length) await new Promise((resolve) => (this.#wake = () => resolve(null)));
    return /** @type {SearchEvent} */ (this.#waiting.shift());
  }
}

const newTicket = () => `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 10)}`;

/**
 * Rows that arrive together are shown one after another, so that there is something to watch; later ones faster.
 * @param {AsyncIterable<SearchEvent>} events @param {number} gap milliseconds, 0 for at once
 * @returns {AsyncGenerator<SearchEvent>}
 */
export async function* paced(events, gap) {
  let free = 0;
  for await (const event of events) {
    if (event.type === "exhausted" || event.type === "solved") {
      const wait = free - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      free = performance.now() + gap / (1 + event.limit / 12);
    }
    yield event;
  }
}
