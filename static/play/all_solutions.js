/**
 * All shortest solutions: their number, a small picture of each, and which of them the player has found. Successive
 * solutions mostly begin alike, so each picture shows the position where its solution differs from the one before.
 *
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../game/api.js").SolutionPage} Answer
 */
import * as api from "../game/api.js";
import { lineText, movesText, positionAt } from "../game/line.js";
import { goal, inNotation, puzzle } from "../game/position.js";
import { create, element, find, write } from "../ui/dom.js";
import * as store from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

const PAGE_SIZE = 20;
/** Most solutions listed. More are only counted. */
const MAX_LISTED = 10_000;
/** Width of a picture, in pixels. */
const PICTURE_WIDTH = 96;
/** Most moves drawn as arrows in one picture. */
const MAX_ARROWS = 3;
/** Milliseconds between two requests while the server counts. */
const COUNTING_PAUSE = 800;
/** Milliseconds until the next request to a busy server. */
const BUSY_PAUSE = 5000;

/** The list of all shortest solutions. */
export class AllSolutions {
  /** Index of the first solution on the page, from 0. */
  #offset = 0;
  /** Number of the player's own line among all solutions, from 1; 0 if it is not one of them, or not known. */
  #number = 0;
  /** Start, filter and offset of the last request. Answers to earlier requests are ignored. */
  #request = "";
  /** Timer of the next request while the server counts, or 0. */
  #timer = 0;
  /** Whether the last request failed. */
  #hasFailed = false;
  /** Height of a board divided by its width. @type {number} */
  #aspect;

  /** @param {import("../game/session.js").Session} session
   * @param {(moves: number[][]) => void} play plays a solution on the board */
  constructor(session, play) {
    this.session = session;
    this.play = play;
    this.root = element("#all");
    this.list = find("ol", HTMLOListElement, this.root);
    this.unique = find("#unique", HTMLInputElement);
    this.message = find(".say", HTMLElement, this.root);
    const { width, height } = find("svg", SVGSVGElement, element(".board")).viewBox.baseVal;
    this.#aspect = height / width;
    this.own = find(".own-number", HTMLButtonElement, this.root);
    this.own.addEventListener("click", () => this.#showOwn());
    this.progress = find("progress", HTMLProgressElement, this.root);
    this.stop = find(".counting button", HTMLButtonElement, this.root);
    this.stop.addEventListener("click", () =>
      this.#timer ? this.#stopCounting() : this.#openPage(this.#offset),
    );
    this.unique.addEventListener("change", () => this.#openPage(0));
    for (const turn of this.root.querySelectorAll("[data-turn]")) {
      turn.addEventListener("click", () =>
        this.#openPage(this.#offset + PAGE_SIZE * Number(turn.getAttribute("data-turn"))),
      );
    }
    element("#tab-all").addEventListener("click", () => this.#openPage(0));
    session.subscribe(["line"], ({ line }, before) => {
      if (line.start.position !== before.line.start.position) this.#reset();
      if (!this.root.hidden) this.#findOwn(line);
    });
    session.subscribe(
      ["note"],
      ({ note }) =>
        note?.key === "note.asking" &&
        !this.list.childElementCount &&
        write(this.message, texts.get(note.key)),
    );
    addEventListener("online", () => this.#hasFailed && !this.root.hidden && this.#openPage(0));
  }

  get #start() {
    return this.session.state.line.start.position;
  }

  /** Clear the list after the start has changed, and load it again if it is visible. */
  #reset() {
    this.#request = "";
    this.#clear();
    if (!this.root.hidden) this.#openPage(0);
  }

  #clear() {
    this.list.replaceChildren();
    write(this.message, "");
    this.#showPageButtons(0, 0);
    this.#showCounting(null);
  }

  /** Show the page of solutions that begins at `offset`. @param {number} offset */
  async #openPage(offset) {
    this.#hasFailed = false;
    this.#offset = offset;
    clearTimeout(this.#timer);
    const request = (this.#request = `${this.#start} ${this.unique.checked} ${offset}`);
    const page = { offset, limit: PAGE_SIZE, unique: this.unique.checked };
    const answer = await this.session.tryRequest(api.solutions(this.#start, page));
    if (request !== this.#request) return;
    if (!answer) return this.#showFailure();
    this.#describe(answer);
    this.#showCounting(answer);
    this.list.start = offset + 1;
    this.list.replaceChildren(
      ...answer.solutions.map((moves, index, all) => this.#item(moves, all[index - 1])),
    );
    find(".only-kinds", HTMLElement, this.root).hidden = answer.count === answer.unique_count;
    this.#showPageButtons(
      offset,
      answer.solutions.length ? ((this.unique.checked ? answer.unique_count : answer.count) ?? 0) : 0,
    );
    await this.#findOwn(this.session.state.line);
  }

  /** Replace the list by the reason why the request failed. */
  #showFailure() {
    this.#hasFailed = true;
    this.#clear();
    const { code, why } = this.session.state.note?.values ?? {};
    write(
      this.message,
      texts.forCode("fault", { code: String(code ?? "unreachable"), why: String(why ?? "") }),
    );
  }

  /** Show the buttons for other pages unless all solutions fit on one page.
   * @param {number} offset of this page @param {number} of number of all solutions */
  #showPageButtons(offset, of) {
    find(".ways", HTMLElement, this.root).hidden = of <= PAGE_SIZE;
    for (const turn of this.root.querySelectorAll("[data-turn]")) {
      const to = offset + PAGE_SIZE * Number(turn.getAttribute("data-turn"));
      /** @type {HTMLButtonElement} */ (turn).disabled = to < 0 || to >= Math.min(of, MAX_LISTED);
    }
  }

  /** Write the number of solutions and, if they are not listed, the reason. @param {Answer} answer */
  #describe({ moves_left, count, unique_count, counting, reason }) {
    const sentences = [];
    const values = {
      n: count ?? 0,
      unique: unique_count ?? "?",
      moves: texts.get("count.moves", { n: moves_left ?? "?" }),
    };
    const listed = (this.unique.checked ? unique_count : count) ?? 0;
    const found = store.foundKinds(puzzle.id)[`${this.#start}|${goal}`];
    if (count === 0) sentences.push(texts.get("all.none"));
    else if (count !== null)
      sentences.push(texts.get(count === unique_count ? "all.count" : "all.unique", values));
    if (found && found.of === unique_count && found.of > 1)
      sentences.push(texts.get("ended.kinds", { n: found.kinds.length, of: found.of }));
    if (counting !== null)
      sentences.push(
        texts.get(count === null ? "all.counting" : "all.listing", { n: Math.round(100 * counting) }),
      );
    else if (reason !== null) sentences.push(texts.get(`all.${reason}`));
    else if (listed > MAX_LISTED) sentences.push(texts.get("all.capped", { n: MAX_LISTED }));
    write(this.message, sentences.join(texts.get("sentence.gap")));
  }

  /** Show the progress of a count. Request again later if the server counts or is busy. @param {Answer | null} answer */
  #showCounting(answer) {
    const [counting, reason] = [answer?.counting ?? null, answer?.reason];
    const pause = counting !== null ? COUNTING_PAUSE : BUSY_PAUSE;
    const next = () => void (this.root.hidden || this.#openPage(this.#offset));
    clearTimeout(this.#timer);
    this.#timer = counting !== null || reason === "busy" ? setTimeout(next, pause) : 0;
    this.stop.parentElement?.toggleAttribute("hidden", counting === null);
    if (counting !== null) this.progress.value = counting;
    write(this.stop, texts.get("all.stop"));
  }

  /** Send no more requests until the button is pressed again. The server soon drops a count that no page requests. */
  #stopCounting() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#request = "";
    write(this.message, texts.get("all.stopped"));
    write(this.stop, texts.get("all.resume"));
  }

  /** @param {number[][]} moves @param {number[][]} [before] moves of the solution above */
  #item(moves, before) {
    const parting = firstDifference(moves, before);
    const height = Math.round(PICTURE_WIDTH * this.#aspect); // reserved before the picture loads, so that nothing moves
    const picture = create("img", {
      alt: "",
      loading: "lazy",
      width: PICTURE_WIDTH,
      height,
      src: this.#pictureOf(moves, parting),
    });
    const button = create(
      "button",
      { type: "button", className: "way" },
      picture,
      asList(inNotation(this.#start, moves), parting),
    );
    const item = create("li", {}, button);
    item.dataset.line = movesText(moves);
    button.addEventListener("click", () => this.play(moves));
    return item;
  }

  /** @param {number[][]} moves @param {number} parting */
  #pictureOf(moves, parting) {
    const place = { start: this.#start, line: movesText(moves.slice(0, parting)), goal };
    const options = {
      arrow: movesText(moves.slice(parting, parting + MAX_ARROWS)),
      size: "192",
      theme: store.isDark() ? "dark" : "light",
    };
    return `/puzzles/${puzzle.id}/board.svg?${new URLSearchParams({ ...place, ...options })}`;
  }

  /** Show the number of the player's own line among all solutions, and mark the line in the list. @param {Line} line */
  async #findOwn(line) {
    const solved = positionAt(line).verdict === "solved";
    const answer = solved
      ? await this.session.tryRequest(api.number(this.#start, lineText(line)))
      : undefined;
    if (line !== this.session.state.line) return;
    this.#number = answer?.number ?? 0;
    write(this.own, this.#number ? texts.get("all.yours", { number: this.#number }) : "");
    this.own.disabled = this.#number > MAX_LISTED;
    for (const item of this.list.children)
      item.toggleAttribute("aria-current", item.getAttribute("data-line") === lineText(line));
  }

  /** Scroll to the player's own line. If the list is reduced by symmetry, list all solutions first. */
  async #showOwn() {
    const listed = () => /** @type {HTMLElement | null} */ (this.list.querySelector("[aria-current] button"));
    if (!listed()) {
      this.unique.checked = false;
      await this.#openPage(PAGE_SIZE * Math.floor((this.#number - 1) / PAGE_SIZE));
    }
    listed()?.focus({ preventScroll: true });
    listed()?.scrollIntoView({ block: "center" });
  }
}

/** Return the index of the first move in which two solutions differ.
 * @param {number[][]} moves @param {number[][]} [other] */
const firstDifference = (moves, other) =>
  moves.findIndex((move, index) => move.join() !== other?.[index]?.join());

/** Create the move list of a solution. No move is broken over two lines; moves before `parting` are dimmed.
 * @param {string[]} moves @param {number} parting */
function asList(moves, parting) {
  const pieces = moves.map((move, index) =>
    create("span", { className: index < parting ? "whole same" : "whole" }, move),
  );
  return create("span", {}, ...pieces.flatMap((piece, index) => (index ? [" ", piece] : [piece])));
}
