/**
 * The search panel: starts, pauses and stops a search, and shows its rows and what is proved.
 *
 * @typedef {import("./search.js").SearchEvent} SearchEvent
 * @typedef {import("./search.js").Request} Request
 * @typedef {import("./search.js").Proved} Proved
 *
 * @typedef {object} Page what the page around the panel does
 * @property {() => void} onStart
 * @property {() => void} onEnd
 * @property {(position: string, moves: number[][], proved: boolean) => void} onSolution shows a solution on the board
 */
import { boundsOf, stepsTo, positionAt } from "../game/line.js";
import { goal, puzzle } from "../game/position.js";
import { sentence } from "../speech/sentences.js";
import { SHOWN } from "../game/session.js";
import { button, create, element, find, write } from "../ui/dom.js";
import { chosenMethod, saveMethod } from "../ui/storage.js";
import { scrollToButtons } from "./auto_scroll.js";
import { connected, loadClient, rest, showBanner, showUntilOnline } from "./connection.js";
import { LimitTable } from "./limit_table.js";
import { proofSentences, ruledOut } from "./proof_text.js";
import { duration, rowOf } from "./rows.js";
import { SearchRun, stateKey } from "./run.js";
import { Search, SILENCE } from "./search.js";
import { soundRow } from "./tones.js";
import * as texts from "../ui/i18n.js";
import { voiceOf } from "../speech/voice.js";

/** The search panel of the game page. */
export class SearchPanel {
  /** Moves of the best solution found, if it is not proved to be shortest; otherwise 0. */
  #foundMoves = 0;
  /** Lower bound of the fewest moves that this search has proved; 0 if none. */
  #lowerBound = 0;
  /** Bounds of the fewest moves that were known before this search. @type {import("../game/line.js").Bounds} */
  #known = { least: 0, most: null };
  /** Whether a solution that is known and proved is offered, whatever this search finds. */
  #isAnswered = false;
  /** Highest limit ruled out by the last search, its nodes, and its request as JSON. `Infinity`: no limit is left to search.
   * @type {(Proved & { of: string }) | null} */
  #lastResult = null;
  /** Method of the rows, or of those to come. */
  #methodOfRows = "";

  /** @param {import("../game/session.js").Session} session @param {Page} page */
  constructor(session, page) {
    this.session = session;
    this.page = page;
    this.table = new LimitTable(find(".limits", HTMLTableElement));
    this.run = new SearchRun(this.table);
    this.method = find("#method", HTMLSelectElement);
    this.all = find("#count-all", HTMLInputElement);
    this.root = element("#solver");
    this.message = find(".say", HTMLElement, this.root);
    this.stateLine = element(".state");
    this.voice = voiceOf("#search-says");
    this.proof = find("#in-sentences", HTMLDetailsElement);
    this.proof.addEventListener("toggle", () => this.#showSentences());
    for (const kind of ["click", "keydown"]) addEventListener(kind, () => this.#hurry(), { capture: true });
    button("search").addEventListener("click", () => this.#start());
    button("fresh").addEventListener("click", () => this.#start({ fresh: true }));
    button("stop").addEventListener("click", () => this.run.running?.stop());
    button("pause").addEventListener("click", () => this.#togglePause());
    button("deeper").addEventListener("click", () => this.#runOneLimit());
    this.method.addEventListener(
      "change",
      () => (
        saveMethod(puzzle.id, this.method.value),
        this.#describeMethod(),
        this.#resetState(),
        this.#captionRows()
      ),
    );
    addEventListener("pageshow", () => this.#describeMethod()); // the browser restores the chosen method when the player comes back
    this.#chooseMethod(chosenMethod(puzzle.id) ?? "");
    noteOtherPosition(session);
  }

  /** Start a search of the position on the board and stop the running one. If the server knows a shortest solution without
   * a search, show it and search from nothing below it.
   * @param {object} how
   * @param {boolean} [how.single] whether to pause after one limit; a stopped search of the same request continues
   * @param {boolean} [how.fresh] whether to search even if the server knows the answer; below it, if it is shown
   * @param {boolean} [how.isFilm] whether the rows come slowly enough to be watched, with a sentence each
   * @param {() => void} [how.onStarted] is called when it can be paused
   * @returns {Promise<void>} */
  async #start({ single = false, fresh = false, isFilm = false, onStarted = () => {} } = {}) {
    this.page.onStart();
    if (!navigator.onLine) return showUntilOnline(this.message, texts.get("search.offline"));
    const { position, verdict } = positionAt(this.session.shown);
    if (verdict === "solved") return this.#showMessage(texts.get("search.over"));
    const find = /** @type {"first" | "all"} */ (this.all.checked ? "all" : "first");
    const asked = { puzzle: puzzle.id, position, goal, method: this.method.value, find };
    const anew = { ...asked, fresh: true };
    const request = fresh || (single && this.#isLast(anew)) ? anew : asked;
    const proved = single && this.#isLast(request) ? (this.#lastResult ?? undefined) : undefined;
    if (proved?.limit === Infinity) return this.#showMessage(texts.get("search.nothingDeeper"));
    this.root.toggleAttribute("data-film", isFilm);
    this.root.toggleAttribute("data-under", true); // with the press, so that nothing moves once the client is loaded
    if (!isFilm) scrollToButtons(element(".run-on"), this.root);
    try {
      await loadClient(this.root.dataset.client ?? "");
    } catch {
      this.#show();
      return showUntilOnline(this.message, texts.get("search.offline"));
    }
    const search = new Search(connected(), request, proved);
    const events = this.run.begin(search);
    if (isFilm && search.pace !== "none") search.pace = "film";
    this.#prepare(request, proved);
    onStarted();
    if (single) search.runOneLimit();
    const silence = setTimeout(
      () => this.run.search === search && this.#tell(texts.get("search.late")),
      SILENCE,
    );
    let isKnown = false;
    for await (const event of events) {
      clearTimeout(silence);
      this.#handle(event, request);
      this.#showSentences();
      isKnown = event.type === "solved" && event.known !== undefined;
    }
    if (this.run.search !== search) return;
    if (isKnown) return this.#start({ single, fresh: true });
    rest();
    this.#show();
    this.page.onEnd();
    this.session.analyse(); // the server stores the proved results of a search
  }

  /** Return whether the last search had this request. @param {Request} request */
  #isLast(request) {
    return this.#lastResult?.of === JSON.stringify(request);
  }

  /** Show a message and scroll to it. @param {string} text */
  #showMessage(text) {
    this.#tell(text);
    this.message.scrollIntoView({ block: "nearest" });
  }

  /** Write a message and say it. @param {string} text @param {string} [said] what is said in its place */
  #tell(text, said = text) {
    write(this.message, text);
    this.voice.say(said);
  }

  /** Write a message of a search that goes on; only now and then is one said. @param {string} text */
  #mention(text) {
    write(this.message, text);
    this.voice.mention(text);
  }

  /** Say how the search stands. */
  sayState() {
    const sentences = [element(".state").textContent?.trim() ?? "", this.message.textContent ?? ""];
    this.voice.say(sentences.map((text) => sentence(texts, text)).join(texts.get("sentence.gap")));
  }

  /** Start a search of the position on the board with the strongest method. @param {() => void} onStarted */
  startProof(onStarted) {
    this.#chooseMethod("best");
    return this.#start({ onStarted });
  }

  /** Show the proof of the position on the board as a film. */
  startFilm() {
    this.#chooseMethod("best");
    return this.#start({ fresh: true, isFilm: true });
  }

  get #isFilm() {
    return this.root.hasAttribute("data-film");
  }

  /** Show the rest of a film at once. */
  #hurry() {
    const { running } = this.run;
    if (running?.pace === "film") running.pace = "none";
  }

  /** @param {string} name unknown methods are ignored */
  #chooseMethod(name) {
    const choice = [...this.method.options].find(({ value }) => value === name);
    if (choice) choice.selected = true;
    this.#describeMethod();
  }

  #describeMethod() {
    write(element(".method-note"), this.method.selectedOptions[0]?.dataset.note ?? "");
  }

  /** Name the method of the rows, while another one is chosen, and say what its nodes are. */
  #captionRows() {
    const method = [...this.method.options].find(({ value }) => value === this.#methodOfRows);
    const caption = find("caption", HTMLElement, this.root);
    caption.hidden = !method || method.selected;
    write(caption, texts.get("search.rowsOf", { method: method?.text ?? "" }));
    write(element(".node-note"), method?.dataset.node ?? "");
  }

  #togglePause() {
    this.run.togglePause();
    this.#show();
    this.#showProved();
    this.sayState();
  }

  /** Search one more limit: in the running search, by continuing a stopped search, or in a new search. */
  #runOneLimit() {
    const { running } = this.run;
    if (!running) return this.#start({ single: true });
    running.runOneLimit();
    this.#show();
    this.#showProved();
  }

  /** Show the proved bound, and whether the next limit is being searched. */
  #showProved() {
    const [key, values] = [
      this.run.isPaused ? "search.rests" : "search.proved",
      { n: this.#lowerBound - 1, next: this.#lowerBound },
    ];
    if (this.#lowerBound) this.#mention(texts.get(key, values));
  }

  /** Clear the state line after another method was chosen, unless a search is running. */
  #resetState() {
    if (this.run.running) return;
    this.run.detach();
    this.#showState();
  }

  /** @param {Request} request @param {Proved} [proved] proved by the rows that remain */
  #prepare(request, proved) {
    const isBelow =
      this.#isAnswered && request.fresh === true && this.root.dataset.searched === request.position;
    this.#lastResult = null;
    if (proved) this.table.dropUnfinished();
    else this.#clear(isBelow);
    this.#showKnown(boundsOf(this.session.shown, this.session.state.known));
    this.root.dataset.searched = request.position;
    this.#methodOfRows = request.method;
    this.#captionRows();
    showBanner("search.lost", false);
    const key = proved ? "search.goesOn" : this.#isFilm ? "film.begun" : "search.begun";
    const method = this.method.selectedOptions[0]?.text ?? "";
    this.#tell(
      texts.get(key, { position: request.position, n: (proved?.limit ?? 0) + 1 }),
      texts.get("say.search", { method }),
    );
    this.#show();
  }

  /** Show the bounds known before the search. @param {import("../game/line.js").Bounds} bounds */
  #showKnown(bounds) {
    this.#known = bounds;
    this.#showKnownFigure();
    const { most } = bounds;
    if (most === null || this.#isAnswered) return;
    this.#foundMoves = this.#foundMoves || most;
    button("show-found").hidden = button("show-found").onclick === null;
    element(".found").hidden = false;
    this.#showFoundNote();
  }

  /** Show what was known before this search next to what it has proved itself. */
  #showKnownFigure() {
    const { least, most } = this.#known;
    element(".known-figure").hidden = least < 2;
    write(element("#known"), texts.get(least === most ? "search.exactly" : "search.least", { n: least }));
  }

  /** @param {boolean} keepsAnswer whether the known answer stays */
  #clear(keepsAnswer) {
    this.table.clearRows(this.#isFilm);
    this.#showSentences();
    this.#foundMoves = this.#lowerBound = 0;
    if (keepsAnswer) return;
    this.table.clearKnown();
    this.#isAnswered = false;
    button("show-found").onclick = null;
    element(".found").hidden = button("fresh").hidden = true;
  }

  #showState() {
    write(find("span", HTMLElement, this.stateLine), texts.get(stateKey(this.run), { n: this.run.ahead }));
  }

  /** Update the state and the buttons. */
  #show() {
    const { running, isPaused: paused, state, ahead } = this.run;
    button("stop").disabled = button("pause").disabled = !running;
    write(button("pause"), texts.get(paused ? "search.resume" : "search.pause"));
    button("pause").ariaLabel = texts.get(paused ? "search.resume.named" : "search.pause.named"); // the solution player has a button of that name, too
    this.table.showPaused(paused);
    element(".replay").hidden = running?.pace !== "film" || !running.isOver;
    this.#showState();
    this.root.setAttribute("aria-busy", String(running !== null && !paused));
    this.root.toggleAttribute("data-under", running !== null);
    this.session.setSearch(
      running && state === "running" && ahead < 0
        ? { position: running.request.position, limit: this.table.current }
        : null,
    );
  }

  /** @param {SearchEvent} event @param {Request} request */
  #handle(event, request) {
    if (!this.run.ending) this.#show();
    switch (event.type) {
      case "progress":
        return this.#handleProgress(event);
      case "found":
        return this.#handleFound(event, request);
      case "exhausted":
        this.session.addBounds(request.position, { least: event.limit + 1 });
        return event.known ? undefined : this.#handleExhausted(event);
      case "solved":
        return this.#handleSolved(event, request);
      case "queued":
        return;
      case "anew":
        return this.#tell(texts.get("search.anew"));
      case "lost":
        return showBanner("search.lost", true);
      case "again":
        return showBanner("search.lost", false);
      default:
        return this.#handleEnd(event, request);
    }
  }

  /** Tell the rows in sentences, if they are wished. */
  #showSentences() {
    const { all } = this.table.rows;
    this.proof.hidden = !all.length;
    if (!this.proof.open) return;
    const list = find("ol", HTMLOListElement, this.proof);
    const sentences = proofSentences(
      all.filter(({ replayed }) => !replayed),
      texts,
    );
    sentences.forEach((text, index) => write(list.children[index] ?? list.appendChild(create("li")), text));
    while (list.children.length > sentences.length) list.lastChild?.remove();
  }

  /** @param {Extract<SearchEvent, { type: "progress" }>} event */
  #handleProgress(event) {
    if (event.limit === 0)
      return this.#foundMoves || this.#lowerBound || this.#mention(texts.get("search.preparing"));
    this.table.showTotals("search.least", this.#provedHere);
  }

  /** @param {Extract<SearchEvent, { type: "found" }>} event @param {Request} request */
  #handleFound({ limit, moves }, request) {
    if (this.#isAnswered || (this.#foundMoves && limit > this.#foundMoves)) return; // a shorter solution is known
    this.#foundMoves = limit;
    this.session.addBounds(request.position, { most: limit });
    this.#offerSolution(request, moves, false);
    this.#mention(texts.get("search.found", { n: limit }));
  }

  /** Offer to show a solution, and say whether it is proved to be shortest.
   * @param {Request} request @param {number[][]} moves @param {boolean} proved */
  #offerSolution(request, moves, proved) {
    element(".found").hidden = button("show-found").hidden = moves.length === 0;
    button("show-found").onclick = () => this.page.onSolution(request.position, moves, proved);
    if (proved) this.#foundMoves = 0;
    this.#showFoundNote();
  }

  /** Lower bound of the fewest moves that this search has proved; at least 1. */
  get #provedHere() {
    return Math.max(1, this.#lowerBound);
  }

  /** Lower bound of the fewest moves, proved by this search or known before; at least 1. */
  get #least() {
    return Math.max(1, this.#known.least, this.#lowerBound);
  }

  /** Show the best solution found next to the proved lower bound. */
  #showFoundNote() {
    const values = { n: this.#foundMoves, least: this.#least };
    const key = this.#foundMoves > this.#least ? "found.open" : "found.proved";
    write(find(".found-note", HTMLElement), this.#foundMoves ? texts.get(key, values) : "");
  }

  /** @param {Extract<SearchEvent, { type: "exhausted" }>} event */
  #handleExhausted(event) {
    soundRow(rowOf(event));
    this.#lowerBound = event.limit + 1;
    this.#showFoundNote();
    if (this.#isFilm) this.#mention(ruledOut(event, texts));
    else this.#showProved();
    this.table.showTotals("search.least", this.#provedHere);
  }

  /** @param {Extract<SearchEvent, { type: "solved" }>} event @param {Request} request */
  #handleSolved(event, request) {
    const { limit, count, total_nodes, moves, known } = event;
    if (!known) soundRow(rowOf(event));
    this.#isAnswered ||= known !== undefined;
    const sentences = [texts.get(known ? `search.known.${known}` : "search.solved", { n: limit })];
    if (count !== null) sentences.push(texts.get("search.count", { n: count }));
    else if (request.find === "all") sentences.push(texts.get("search.uncounted"));
    const text = sentences.join(texts.get("sentence.gap"));
    this.#tell(text, known ? text : [text, this.#effort(total_nodes)].join(texts.get("sentence.gap")));
    if (!known) this.table.showTotals("search.exactly", limit, { nodes: total_nodes });
    element(".known-figure").hidden = !known; // now this search has proved as much
    this.#offerSolution(request, moves, true);
    this.#lastResult = { of: JSON.stringify(request), limit: Infinity, nodes: total_nodes };
    button("fresh").hidden = !known;
    if (!known) requestAnimationFrame(() => element(".tally").scrollIntoView({ block: "nearest" })); // after the last row
  }

  /** Return what the search has cost, in words. @param {number} nodes */
  #effort = (nodes) => texts.get("say.effort", { nodes, time: duration(this.table.rows.seconds) });

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event @param {Request} request */
  #handleEnd(event, request) {
    const last = event.type === "unsolvable" ? Infinity : Math.max(0, this.#lowerBound - 1);
    if (event.type !== "failed")
      this.#lastResult = { of: JSON.stringify(request), limit: last, nodes: this.table.provedNodes };
    if (event.type === "stopped") this.table.endStopped(event.total_nodes);
    this.#showMessage(this.#endText(event));
    const isKnown = event.type === "unsolvable" && event.known !== undefined;
    button("fresh").hidden = !isKnown && !this.#isAnswered;
    if (!("total_nodes" in event) || isKnown) return;
    const nodes = Math.max(event.total_nodes, this.table.rows.nodes);
    this.table.showTotals(event.type === "stopped" ? "search.least" : "search.never", this.#provedHere, {
      nodes,
      seconds: event.seconds,
    });
  }

  /** @param {Extract<SearchEvent, { type: "unsolvable" | "stopped" | "failed" }>} event */
  #endText(event) {
    if (event.type === "failed")
      return texts.forCode("failed", { code: event.error.code, why: event.error.message });
    if (event.type === "unsolvable" && event.known) return texts.get("unsolvable.known");
    if (event.type === "unsolvable") return texts.forCode("unsolvable", { code: event.reason });
    const ruledOut = Math.max(event.limit, this.#lowerBound - 1); // a restarted search may be below the rows shown
    const sentences = [texts.forCode("stopped", { code: event.reason })];
    if (ruledOut > 0) sentences.push(texts.get("search.bound", { n: ruledOut }));
    const { least, most } = this.#known;
    if (least > ruledOut + 1)
      sentences.push(texts.get(least === most ? "search.knownMoves" : "search.knownBound", { n: least }));
    return sentences.join(texts.get("sentence.gap"));
  }
}

/** Show a note while the rows of the search belong to another position than that on the board.
 * @param {import("../game/session.js").Session} session */
function noteOtherPosition(session) {
  const solver = element("#solver");
  const update = () => {
    const { searched } = solver.dataset;
    element(".elsewhere").hidden = searched === undefined || isShown(session, searched);
    button("back-there").hidden = stepsTo(session.state.line, searched ?? "") < 0;
  };
  session.follow(SHOWN, update);
  new MutationObserver(update).observe(solver, { attributeFilter: ["data-searched"] });
  button("back-there").addEventListener("click", () =>
    session.goTo(stepsTo(session.state.line, solver.dataset.searched ?? "")),
  );
  button("search-here").addEventListener("click", () => button("search").click());
}

/** Return whether a position is on the board, or belongs to the solution that plays there.
 * @param {import("../game/session.js").Session} session @param {string} position */
function isShown({ shown, state: { solution } }, position) {
  return (
    positionAt(shown).position === position || (solution !== null && stepsTo(solution.line, position) >= 0)
  );
}
