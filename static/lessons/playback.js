/** A search of the lesson, event by event: the board, the line of code, the tree and a sentence. */
import { faultOf, fetchJson } from "../game/api.js";
import { goal, puzzle } from "../game/position.js";
import { listCode } from "../search/code_listing.js";
import { Trace } from "../search/trace_pages.js";
import { sentenceOf } from "../search/trace_sentence.js";
import { drawTree } from "../search/trace_tree.js";
import { element, find, pageData, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { say, sayFault, tell } from "./frame.js";

const STEP_TIME = 700;
const { position, methods, language } = pageData();

/** The playback of a lesson, with its two buttons. */
export class Playback {
  /** @type {Map<string, Trace>} */
  #traces = new Map();
  /** @type {Trace | null} */
  #trace = null;
  #timer = 0;
  /** Whether the search has levels in place of limits. */
  #hasLevels = false;
  /** @type {ReturnType<typeof listCode>} */
  #markLine = () => {};
  #play = find('[data-watch="play"]', HTMLButtonElement);
  #forward = find('[data-watch="forward"]', HTMLButtonElement);

  /** @param {import("../keys/shown_board.js").ShownBoard} figure
   * @param {(limit: number) => boolean} [mayTell] whether the number of nodes of a limit may be told already */
  constructor(figure, mayTell = () => true) {
    this.figure = figure;
    this.mayTell = mayTell;
    this.#play.addEventListener("click", () => (this.#timer ? this.pause() : this.play()));
    this.#forward.addEventListener("click", () => {
      this.pause();
      this.forward();
    });
  }

  /** Show the first event of a limit, and play. @param {string} method @param {number} limit
   * @param {boolean} [plays] */
  async open(method, limit, plays = true) {
    this.pause();
    this.#markLine = listCode(methods[method].code);
    this.#hasLevels = methods[method].has_levels;
    try {
      const trace = (this.#trace = this.#traces.get(method) ?? (await this.#begin(method)));
      if (!trace.limits.some((count) => count.limit === limit)) return say("lesson.noLimit", { limit });
      await trace.open(limit);
    } catch (error) {
      return sayFault(faultOf(error));
    }
    this.#show();
    this.#play.disabled = this.#forward.disabled = false;
    if (plays) this.play();
  }

  /** Return the nodes of a limit up to its first solution, or all without one; null if the figure does not show it.
   * @param {number} limit */
  nodesOf(limit) {
    return this.#trace?.limits.find((count) => count.limit === limit)?.nodes ?? null;
  }

  /** @param {string} method */
  async #begin(method) {
    const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}/trace`;
    const trace = new Trace((query) =>
      fetchJson(`${path}?${new URLSearchParams({ goal, method, lang: language, ...query })}`),
    );
    await trace.begin();
    this.#traces.set(method, trace);
    return trace;
  }

  play() {
    this.#label("trace.pause", "#i-pause");
    this.#timer = window.setTimeout(async () => {
      if (!(await this.forward())) return this.pause();
      if (this.#timer) this.play();
    }, STEP_TIME);
  }

  pause() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    this.#label("trace.play", "#i-play");
  }

  /** Show the next event; return whether the limit goes on. */
  async forward() {
    const trace = this.#trace;
    if (!trace || trace.visit?.kind === "end" || trace.isLast) return false;
    await trace.forward();
    this.#show();
    return true;
  }

  #show() {
    const trace = this.#trace;
    const visit = trace?.visit;
    if (!trace || !visit) return say("trace.nothing");
    this.figure.show(visit.position, trace.marks());
    tell(sentenceOf(visit, trace.isProved));
    this.#markLine(visit);
    drawTree(find(".tree", SVGElement), trace.page, trace.at);
    const place = { limit: visit.limit, at: trace.node, all: trace.count.nodes };
    const key = this.mayTell(visit.limit) ? "trace.place" : "lesson.at";
    write(element(".tree-note"), texts.get(this.#hasLevels ? `${key}.level` : key, place));
  }

  /** @param {string} key @param {string} picture */
  #label(key, picture) {
    this.#play.setAttribute("aria-label", texts.get(key));
    find("use", SVGUseElement, this.#play).setAttribute("href", picture);
  }
}
