/**
 * The solver's panel: start and stop a search, show its rows, and say what is proved.
 *
 * @typedef {import("./search.js").SearchEvent} SearchEvent
 * @typedef {import("./search.js").Request} Request
 * @typedef {import("./search.js").Proved} Proved
 */
import { isCalm } from "../board/animation.js";
import { placeIn, positionAt } from "../game/line.js";
import { button, element, find, write } from "../ui/dom.js";
import { chosenMethod, saveMethod } from "../ui/storage.js";
import { raise } from "./auto_scroll.js";
import { Banner, sayOffline } from "./connection.js";
import { LimitTable, SearchTotals } from "./limit_table.js";
import { endOf, paced, Search, stateOf } from "./search.js";

/** Milliseconds between rows, and of silence after which something is said. */
const [GAP, LATE] = [70, 5000];

export class SearchPanel {
  /** @type {Search | null} */
  #search = null;
  #end = "state.idle";
  /** Fewest moves found, though not proved (0: none), and moves that are needed: by this search, and as was known before. */
  #found = 0;
  #least = 0;
  #bound = 0;
  /** What the search before has proved, all of it (`Infinity`) or up to where it was stopped, and which that was. @type {(Proved & { of: string }) | null} */
  #left = null;

  /**
   * @param {import("../ui/i18n.js").Words} words
   * @param {{ puzzle: string, socket: () => import("socket.io-client").Socket, request: () => Omit<Request, "method" | "find">,
   *   found: (request: Request, moves: number[][], proved: boolean) => void,
   *   learned: (position: string, told: { least?: number, moves?: number }) => void, bound: () => number, opened: () => void, ended: () => void, isSolved: () => boolean,
   *   at: (searched: import("../game/session.js").RunningSearch | null) => void }} page `at` which limit a search is that runs
   */
  constructor(words, page) {
    this.words = words;
    this.page = page;
    this.rows = new LimitTable(find(".limits", HTMLTableElement), words);
    this.tally = new SearchTotals(words, this.rows);
    this.method = new MethodSelect(page.puzzle, () => this.#leave());
    this.all = find("#count-all", HTMLInputElement);
    this.root = element("#solver");
    this.say = find(".say", HTMLElement, this.root);
    this.banner = new Banner(words, "search.lost");
    this.state = element(".state");
    button("search").addEventListener("click", () => this.start());
    button("stop").addEventListener("click", () => this.#search?.stop());
    button("pause").addEventListener("click", () => this.#togglePause());
    button("deeper").addEventListener("click", () => this.#deeper());
  }

  /** A search of the position on the board; one that runs is given up. */
  start() {
    return this.#begin(false);
  }

  /** @param {boolean} single whether to rest after one limit, the next one where the same search was stopped */
  async #begin(single) {
    this.page.opened();
    if (!navigator.onLine) return sayOffline(this.say, this.words.say("search.offline"));
    if (this.page.isSolved()) return this.#tell(this.words.say("search.over"));
    const find = this.all.checked ? "all" : "first";
    const request = { ...this.page.request(), method: this.method.value, find: /** @type {"first" | "all"} */ (find) };
    const proved = single && this.#left?.of === JSON.stringify(request) ? this.#left : undefined;
    if (proved?.limit === Infinity) return this.#tell(this.words.say("search.nothingDeeper"));
    this.#search?.stop();
    const search = (this.#search = new Search(this.page.socket(), request, proved));
    this.#open(request, proved);
    if (single) search.deeper();
    const silence = setTimeout(() => this.#search === search && write(this.say, this.words.say("search.late")), LATE);
    for await (const event of paced(search, isCalm() ? 0 : GAP)) {
      clearTimeout(silence);
      if (this.#search !== search) return;
      this.#take(event, request);
      this.#end = endOf(event);
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
    const [key, values] = [this.#search?.paused ? "search.rests" : "search.proved", { n: this.#least - 1, next: this.#least }];
    if (this.#least) write(this.say, this.words.say(key, values));
  }

  /** Another method's end is not that of the one now chosen. */
  #leave() {
    if (!this.#search) write(find("span", HTMLElement, this.state), this.words.say((this.#end = "state.idle")));
  }

  /** @param {Request} request @param {Proved} [proved] by rows that stay */
  #open(request, proved) {
    this.#left = null;
    if (proved) this.rows.dropUnfinished();
    else this.#clear();
    this.#bound = this.page.bound();
    this.root.dataset.searched = request.position;
    this.banner.show(false);
    const key = proved ? "search.goesOn" : "search.begun";
    write(this.say, this.words.say(key, { position: request.position, n: (proved?.limit ?? 0) + 1 }));
    this.#show();
    raise(element(".run-on"), this.root);
  }

  #clear() {
    this.rows.clear();
    this.tally.clear();
    this.#found = this.#least = this.#bound = 0;
    element(".found").hidden = true;
  }

  /** What the search is doing, and what the keys will do. @param {number} [ahead] searches that come before it, if it waits */
  #show(ahead = -1) {
    const [search, paused] = [this.#search, this.#search?.paused ?? false];
    button("stop").disabled = button("pause").disabled = !search;
    write(button("pause"), this.words.say(paused ? "search.resume" : "search.pause"));
    button("pause").ariaLabel = this.words.say(paused ? "search.resume.named" : "search.pause.named"); // a player has such a key, too
    this.rows.rest(paused);
    write(find("span", HTMLElement, this.state), this.words.say(search ? stateOf(search, ahead) : this.#end, { n: ahead }));
    this.root.setAttribute("aria-busy", String(search !== null && !paused));
    this.root.toggleAttribute("data-under", search !== null);
    this.page.at(search && !paused && !search.isLost && ahead < 0 ? { position: search.request.position, limit: this.rows.current } : null);
  }

  /** @param {SearchEvent} event @param {Request} request */
  #take(event, request) {
    this.#show(event.type === "queued" ? event.ahead : -1);
    switch (event.type) {
      case "progress": return this.#progress(event);
      case "found": return this.#foundOne(event, request);
      case "exhausted":
        this.page.learned(request.position, { least: event.limit + 1 });
        return this.#exhausted(event);
      case "solved": return this.#solved(event, request);
      case "queued": return;
      case "anew": return write(this.say, this.words.say("search.anew"));
      case "lost": return this.banner.show(true);
      case "again":
        this.banner.show(false);
        return this.rows.dropUnfinished();
      default: return this.#ended(event, request);
    }
  }

  /** @param {Extract<SearchEvent, { type: "progress" }>} event */
  #progress(event) {
    if (event.limit === 0) return this.#found || this.#least || write(this.say, this.words.say("search.preparing"));
    this.rows.put({ ...event, cut: null, whole: false, state: "searching" });
    this.tally.show("search.least", Math.max(1, this.#least));
  }

  /** @param {Extract<SearchEvent, { type: "found" }>} event @param {Request} request */
  #foundOne({ limit, moves }, request) {
    this.#found = limit;
    this.page.learned(request.position, { moves: limit });
    this.#offer(request, moves, false);
    write(this.say, this.words.say("search.found", { n: limit }));
  }

  /** Let a way be shown, and say what is proved about it. @param {Request} request @param {number[][]} moves @param {boolean} proved */
  #offer(request, moves, proved) {
    element(".found").hidden = moves.length === 0;
    button("show-found").onclick = () => this.page.found(request, moves, proved);
    if (proved) this.#found = 0;
    this.#compare();
  }

  /** What is found beside what is proved. */
  #compare() {
    const values = { n: this.#found, least: Math.max(1, this.#bound, this.#least) };
    write(find(".found-note", HTMLElement), this.#found ? this.words.say("found.open", values) : "");
  }

  /** @param {Extract<SearchEvent, { type: "exhausted" }>} event */
  #exhausted(event) {
    this.rows.put({ ...event, whole: true, state: "exhausted" });
    this.#least = event.limit + 1;
    this.#compare();
    this.#sayProved();
    this.tally.show("search.least", this.#least);
  }

  /** @param {Extract<SearchEvent, { type: "solved" }>} event @param {Request} request */
  #solved(event, request) {
    const { limit, nodes, count, total_nodes, moves } = event;
    this.rows.put({ limit, nodes, cut: null, whole: count !== null, seconds: event.seconds, state: "solved" });
    const sentences = [this.words.say(total_nodes ? "search.solved" : "search.table", { n: limit })];
    if (count !== null) sentences.push(this.words.say("search.count", { n: count }));
    write(this.say, sentences.join(this.words.say("sentence.gap")));
    this.tally.show("search.exactly", limit, { nodes: total_nodes });
    this.#offer(request, moves, true);
    this.#left = { of: JSON.stringify(request), limit: Infinity, nodes: total_nodes };
    element(".tally").scrollIntoView({ block: "nearest" });
  }

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event @param {Request} request */
  #ended(event, request) {
    const last = event.type === "unsolvable" ? Infinity : Math.max(0, this.#least - 1);
    if (event.type !== "failed") this.#left = { of: JSON.stringify(request), limit: last, nodes: this.rows.proved };
    if (event.type === "stopped") this.rows.leave(event.total_nodes);
    else this.rows.dropUnfinished();
    this.#tell(this.#ending(event));
    if (!("total_nodes" in event)) return;
    const nodes = Math.max(event.total_nodes, this.rows.nodes);
    this.tally.show(event.type === "stopped" ? "search.least" : "search.never", Math.max(1, this.#least), { nodes, seconds: event.seconds });
  }

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event */
  #ending(event) {
    if (event.type === "failed") return this.words.named("failed", { code: event.error.code, why: event.error.message });
    if (event.type === "unsolvable") return this.words.named("unsolvable", { code: event.reason, why: "" });
    const least = Math.max(event.limit + 1, this.#least); // it may have begun anew below the rows that stay
    const why = this.words.named("stopped", { code: event.reason, why: "" });
    if (least < 2) return why;
    return this.words.say("search.stopped", { why, bound: this.words.say("search.bound", { n: least }) });
  }
}

class MethodSelect {
  /** @param {string} puzzle @param {() => void} changed told when another one is chosen */
  constructor(puzzle, changed) {
    this.field = find("#method", HTMLSelectElement);
    this.value = chosenMethod(puzzle) ?? "";
    this.field.addEventListener("change", () => (saveMethod(puzzle, this.value), this.#describe(), changed()));
    addEventListener("pageshow", () => this.#describe()); // the way back finds the method that was chosen
  }

  get value() {
    return this.field.value;
  }

  /** @param {string} name one that this puzzle has not changes nothing */
  set value(name) {
    const choice = [...this.field.options].find(({ value }) => value === name);
    if (choice) choice.selected = true;
    this.#describe();
  }

  #describe() {
    write(element(".method-note"), this.field.selectedOptions[0]?.dataset.note ?? "");
  }
}

/** @param {import("../game/session.js").Session} session */
export function tellWhose(session) {
  const solver = element("#solver");
  const tell = () => {
    const { searched } = solver.dataset;
    element(".elsewhere").hidden = searched === undefined || isShown(session, searched);
    button("back-there").hidden = placeIn(session.state.line, searched ?? "") < 0;
  };
  session.subscribe(tell);
  new MutationObserver(tell).observe(solver, { attributeFilter: ["data-searched"] });
  button("back-there").addEventListener("click", () => session.goTo(placeIn(session.state.line, solver.dataset.searched ?? "")));
  button("search-here").addEventListener("click", () => button("search").click());
}

/** Whether a position is on the board, or what a solution on the board begins from.
 * @param {import("../game/session.js").Session} session @param {string} position */
function isShown({ shown, state: { show } }, position) {
  return [shown, ...(show ? [{ ...show.line, at: show.base }] : [])].some((line) => positionAt(line).position === position);
}
