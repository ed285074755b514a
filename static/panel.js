/**
 * The solver's panel: start and stop a search, show its rows, and say what is proved.
 *
 * @typedef {import("./solver.js").SearchEvent} SearchEvent
 * @typedef {import("./solver.js").Request} Request
 * @typedef {import("./solver.js").Proved} Proved
 */
import { isCalm } from "./motion.js";
import { button, element, find, write } from "./page.js";
import { Rows } from "./rows.js";
import { Search, paced, stateOf } from "./solver.js";

/** Milliseconds between rows, and of silence after which something is said. */
const [GAP, LATE] = [70, 5000];

export class Panel {
  /** @type {Search | null} */
  #search = null;
  #total = 0;
  /** Fewest moves found, though not proved; 0: none. */
  #found = 0;
  #least = 0;
  /** What the search that was stopped has proved, and which that was. @type {(Proved & { of: string }) | null} */
  #left = null;

  /**
   * @param {import("./words.js").Words} words
   * @param {{ socket: () => import("socket.io-client").Socket, request: () => Omit<Request, "method" | "find">,
   *   found: (request: Request, moves: number[][], proved: boolean) => void, opened: () => void, ended: () => void }} page
   */
  constructor(words, page) {
    this.words = words;
    this.page = page;
    this.rows = new Rows(find(".limits", HTMLTableElement), words);
    this.method = find("#method", HTMLSelectElement);
    this.all = find("#count-all", HTMLInputElement);
    this.root = element("#solver");
    this.say = find(".say", HTMLElement, this.root);
    this.banner = element(".banner");
    this.state = element(".state");
    button("search").addEventListener("click", () => this.start());
    button("stop").addEventListener("click", () => this.#search?.stop());
    button("pause").addEventListener("click", () => this.#togglePause());
    button("deeper").addEventListener("click", () => this.#deeper());
    this.method.addEventListener("change", () => this.#describe());
  }

  /** A search of the position on the board; one that runs is given up. */
  start() {
    return this.#begin(false);
  }

  /** @param {boolean} single whether to rest after one limit, the next one where the same search was stopped */
  async #begin(single) {
    this.page.opened();
    if (!navigator.onLine) return this.#tell(this.words.say("search.offline"));
    const find = this.all.checked ? "all" : "first";
    const request = { ...this.page.request(), method: this.method.value, find: /** @type {"first" | "all"} */ (find) };
    const proved = single && this.#left?.of === JSON.stringify(request) ? this.#left : undefined;
    this.#search?.stop();
    const search = (this.#search = new Search(this.page.socket(), request, proved));
    this.#open(request, proved);
    if (single) search.deeper();
    const silence = setTimeout(() => this.#search === search && write(this.say, this.words.say("search.late")), LATE);
    for await (const event of paced(search, isCalm() ? 0 : GAP)) {
      clearTimeout(silence);
      if (this.#search !== search) return;
      this.#take(event, request);
    }
    this.#search = null;
    this.#show();
    this.page.ended();
  }

  /** Say it where it is seen. @param {string} text */
  #tell(text) {
    write(this.say, text);
    this.say.scrollIntoView({ block: "nearest" });
  }

  /** Prove the position on the board by the strongest method. */
  prove() {
    this.method.value = "best";
    this.#describe();
    return this.start();
  }

  #togglePause() {
    if (this.#search?.paused) this.#search.resume();
    else this.#search?.pause();
    this.#show();
    this.#sayProved();
  }

  /** One limit more of the search under way, of the one that was stopped, or of a new one. */
  #deeper() {
    if (!this.#search) return this.#begin(true);
    this.#search.deeper();
    this.#show();
    this.#sayProved();
  }

  /** How far the proof has come, and whether anything is done about the next limit. */
  #sayProved() {
    const values = { n: this.#least - 1, next: this.#least };
    if (this.#least) write(this.say, this.words.say(this.#search?.paused ? "search.rests" : "search.proved", values));
  }

  #describe() {
    write(element(".method-note"), this.method.selectedOptions[0]?.dataset.note ?? "");
  }

  /** @param {Request} request @param {Proved} [proved] by rows that stay */
  #open(request, proved) {
    this.#left = null;
    if (!proved) this.#clear();
    this.banner.hidden = true;
    const key = proved ? "search.goesOn" : "search.begun";
    write(this.say, this.words.say(key, { position: request.position, n: (proved?.limit ?? 0) + 1 }));
    this.#show();
  }

  #clear() {
    this.rows.clear();
    this.#total = this.#found = this.#least = 0;
    element(".tally").hidden = element(".found").hidden = true;
    write(element("#pace"), "");
  }

  /** What the search is doing, and what the keys will do. @param {number} [ahead] searches that come before it */
  #show(ahead = 0) {
    const search = this.#search;
    const paused = search?.paused ?? false;
    button("stop").disabled = button("pause").disabled = !search;
    write(button("pause"), this.words.say(paused ? "search.resume" : "search.pause"));
    button("pause").ariaLabel = this.words.say(paused ? "search.resume.named" : "search.pause.named"); // a player has such a key, too
    this.state.hidden = !search;
    write(find("span", HTMLElement, this.state), this.words.say(stateOf(search, ahead), { n: ahead }));
    this.root.setAttribute("aria-busy", String(search !== null && !paused));
  }

  /** @param {SearchEvent} event @param {Request} request */
  #take(event, request) {
    this.#show(event.type === "queued" ? event.ahead : 0);
    switch (event.type) {
      case "progress":
        return this.rows.put({ ...event, cut: null, whole: false, state: "searching" });
      case "found":
        return this.#foundOne(event, request);
      case "exhausted":
        return this.#exhausted(event);
      case "solved":
        return this.#solved(event, request);
      case "queued":
        return;
      case "anew":
        return write(this.say, this.words.say("search.anew"));
      case "lost":
      case "again":
        return this.#connection(event.type === "lost");
      default:
        return this.#ended(event, request);
    }
  }

  /** @param {Extract<SearchEvent, { type: "found" }>} event @param {Request} request */
  #foundOne({ limit, moves }, request) {
    this.#found = limit;
    this.#offer(request, moves, false);
    write(this.say, this.words.say("search.found", { n: limit }));
  }

  /** Let a way be shown, and say what is proved about it. @param {Request} request @param {number[][]} moves
   * @param {boolean} proved */
  #offer(request, moves, proved) {
    element(".found").hidden = moves.length === 0;
    button("show-found").onclick = () => this.page.found(request, moves, proved);
    if (proved) this.#found = 0;
    this.#compare();
  }

  /** What is found beside what is proved. */
  #compare() {
    const words = this.#found ? this.words.say("found.open", { n: this.#found, least: Math.max(1, this.#least) }) : "";
    write(find(".found-note", HTMLElement), words);
  }

  /** @param {Extract<SearchEvent, { type: "exhausted" }>} event */
  #exhausted(event) {
    this.rows.put({ ...event, whole: true, state: "exhausted" });
    this.#total = this.rows.list.reduce((sum, row) => sum + row.nodes, 0);
    this.#least = event.limit + 1;
    this.#compare();
    this.#sayProved();
    this.#tally(this.#total, "search.least", this.#least, null);
  }

  /** @param {Extract<SearchEvent, { type: "solved" }>} event @param {Request} request */
  #solved(event, request) {
    const { limit, nodes, count, total_nodes, moves } = event;
    this.rows.put({ limit, nodes, cut: null, whole: count !== null, seconds: event.seconds, state: "solved" });
    const sentences = [this.words.say(total_nodes ? "search.solved" : "search.table", { n: limit })];
    if (count !== null) sentences.push(this.words.say("search.count", { n: count }));
    write(this.say, sentences.join(this.words.say("sentence.gap")));
    this.#tally(total_nodes, "search.exactly", limit, null);
    this.#offer(request, moves, true);
    element(".tally").scrollIntoView({ block: "nearest" });
  }

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event @param {Request} request */
  #ended(event, request) {
    this.rows.dropUnfinished();
    this.#tell(this.#ending(event));
    if (event.type === "stopped") this.#left = { of: JSON.stringify(request), limit: Math.max(0, this.#least - 1), nodes: this.#total };
    if (!("total_nodes" in event)) return;
    const proof = event.type === "stopped" ? "search.least" : "search.never";
    this.#tally(Math.max(event.total_nodes, this.#total), proof, Math.max(1, this.#least), event.seconds);
  }

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event */
  #ending(event) {
    if (event.type === "failed") return this.words.named("failed", { code: event.error.code, why: event.error.message });
    if (event.type === "unsolvable") return this.words.named("unsolvable", { code: event.reason, why: "" });
    const least = Math.max(event.limit + 1, this.#least); // it may have begun anew below the rows that stay
    const why = this.words.named("stopped", { code: event.reason, why: "" });
    if (least < 2) return why;
    const bound = this.words.say("search.bound", { n: least });
    return this.words.say("search.stopped", { why, bound });
  }

  /** @param {boolean} lost */
  #connection(lost) {
    this.banner.hidden = !lost;
    write(this.banner, this.words.say("search.lost"));
    if (lost) this.banner.scrollIntoView({ block: "nearest" });
    if (!lost) this.rows.dropUnfinished();
  }

  /** @param {number} nodes @param {string} proof @param {number} n
   * @param {number | null} seconds null: what all rows took together */
  #tally(nodes, proof, n, seconds) {
    element(".tally").hidden = false;
    const spent = seconds ?? this.rows.list.reduce((sum, row) => sum + row.seconds, 0);
    write(element("#total"), this.words.number.format(nodes));
    write(element("#proved"), this.words.say(proof, { n }));
    write(element("#spent"), this.rows.duration(spent));
    const { speed } = this.rows;
    write(element("#pace"), speed ? this.words.say("search.pace", { n: speed }) : "");
  }
}
