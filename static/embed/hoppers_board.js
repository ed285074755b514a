/**
 * `<hoppers-board>`: a puzzle to play on a page of any site, by pointer, keyboard and ear (see docs/embed.md).
 *
 * Attributes, which are properties as well: `puzzle`, `position` and `goal` (where the game begins), `lang`, `theme`,
 * `numbers`. Events: `hoppers-move` and `hoppers-solved`.
 *
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../game/line.js").PositionVerdict & { steps: import("../game/line.js").Step[] }} Analysis
 * @typedef {{ id: string, multiStepMoves: boolean, points: [number, number][], glyphs: Record<string, string>, start: string,
 *   goal: string, objective: string }} Puzzle
 */
import {
  activeHole,
  begin,
  isMoveOpen,
  isWon,
  lastMove,
  lineText,
  movedTo,
  movesMade,
  movesText,
  played,
  positionAt,
  undoTarget,
} from "../game/line.js";
import { press } from "../game/press.js";
import { BoardPicture } from "./board_picture.js";
import * as server from "./server.js";
import { STYLE } from "./style.js";
import { faults, Texts } from "./texts.js";

export { faults };

const ATTRIBUTES = ["puzzle", "position", "goal", "lang", "theme", "numbers"];
/** Letters that press a button while the focus is inside the element. @type {Record<string, string>} */
const LETTERS = { u: "undo", r: "restart", h: "hint" };
/** Mark of a hole -> key of what it means. @type {Record<string, string>} */
const STATES = { selected: "cell.active", target: "cell.target", advised: "embed.advised" };
const DARK = matchMedia("(prefers-color-scheme: dark)");

class HoppersBoard extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #root = this.attachShadow({ mode: "open" });
  #frame = document.createElement("div");
  #board = document.createElement("div");
  #controls = document.createElement("div");
  #note = document.createElement("p");
  /** Ends the requests of the game before, when another begins. */
  #game = new AbortController();
  /** Work so far; the next press waits for it. @type {Promise<unknown>} */
  #last = Promise.resolve();
  #isBegun = false;
  /** @type {Puzzle | undefined} */
  #puzzle;
  #texts = new Texts("en", {});
  /** @type {BoardPicture | undefined} */
  #picture;
  #line = begin({ position: "", verdict: "checking", moves_left: null });
  /** @type {Analysis | undefined} */
  #analysis;
  /** @type {number | null} */
  #selected = null;
  /** Holes of the move that a hint advises. @type {number[]} */
  #advice = [];
  #hints = 0;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [sheet];
    this.#frame.className = "root";
    this.#frame.setAttribute("role", "group");
    this.#board.className = "board";
    this.#controls.className = "controls";
    this.#note.className = "note";
    this.#note.setAttribute("role", "status");
    this.#frame.append(this.#board, this.#controls, this.#note);
    this.#frame.addEventListener("keydown", (event) => this.#pressLetter(event));
    this.#root.append(this.#frame);
  }

  connectedCallback() {
    DARK.addEventListener("change", this.#redraw);
    this.#begin();
  }

  disconnectedCallback() {
    DARK.removeEventListener("change", this.#redraw);
    this.#game.abort();
    this.#isBegun = false;
  }

  /** @param {string} name */
  attributeChangedCallback(name) {
    if (!this.isConnected || !this.#isBegun) return;
    if (name === "theme" || name === "numbers") this.#redraw();
    else this.#begin();
  }

  /** The position on the board. @returns {string} */
  get current() {
    return positionAt(this.#line).position;
  }

  /** Whether the board is solved. @returns {boolean} */
  get solved() {
    return this.hasAttribute("solved");
  }

  /** The moves played, such as `0-6.9-3`. @returns {string} */
  get moves() {
    return lineText(this.#line);
  }

  /** Take the last move back. */
  undo() {
    this.#do(() => {
      if (this.#puzzle && this.#line.at)
        return this.#goTo(movedTo(this.#line, undoTarget(this.#line)), "embed.undone");
    });
  }

  /** Go back to the start. */
  restart() {
    this.#do(() => this.#puzzle && this.#goTo(movedTo(this.#line, 0), "embed.restarted"));
  }

  /** Show the next move of the best known solution. */
  hint() {
    this.#do(async () => {
      if (!this.#puzzle) return;
      const { verdict, move } = await this.#ask("/hint");
      if (!move.length) return this.#say(this.#texts.get(`embed.hint.${verdict}`));
      [this.#advice, this.#selected] = [move, null];
      this.#hints += 1;
      await this.#draw(null);
      this.#say(this.#texts.get("embed.hint", { move: move.join("–") }));
    });
  }

  #language() {
    const nearest = this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
    const asked = `${nearest || navigator.language}-`;
    return Object.keys(faults).find((language) => asked.startsWith(`${language}-`)) ?? "en";
  }

  #isDark() {
    const theme = this.getAttribute("theme");
    return theme === "dark" || (theme !== "light" && DARK.matches);
  }

  /** Begin the game that the attributes describe; the one before ends. */
  #begin() {
    this.#game.abort();
    this.#game = new AbortController();
    this.#isBegun = true;
    this.#last = Promise.resolve();
    queueMicrotask(() => this.#do(() => this.#load().catch((error) => this.#fail(error)))); // after all attributes
  }

  /** Show no board, since the attributes describe none. @param {Error} error */
  #fail(error) {
    if (this.#game.signal.aborted) return;
    [this.#puzzle, this.#picture, this.#analysis] = [undefined, undefined, undefined];
    this.#board.replaceChildren();
    this.#controls.replaceChildren();
    throw error;
  }

  async #load() {
    const [id, lang] = [this.getAttribute("puzzle") ?? "", this.#language()];
    const { signal } = this.#game;
    const { puzzle, title, words } = await server.json(
      `/embed/${encodeURIComponent(id)}.json`,
      { lang },
      signal,
    );
    [this.#puzzle, this.#texts] = [puzzle, new Texts(lang, words)];
    this.#frame.lang = lang;
    this.#frame.setAttribute("aria-label", title);
    this.#picture = new BoardPicture(this.#board, puzzle.points, (hole) => this.#do(() => this.#press(hole)));
    this.#root.adoptedStyleSheets = [this.#root.adoptedStyleSheets[0], this.#picture.sheet];
    this.#hints = 0;
    const start = this.getAttribute("position") ?? puzzle.start;
    const { steps: _, ...known } = await this.#ask("", start);
    await this.#goTo(begin(known), null);
    this.#showControls(title);
    this.#say(puzzle.objective);
  }

  /** Do something after all that was asked before. What fails is said. @param {() => unknown} action */
  #do(action) {
    const { signal } = this.#game;
    this.#last = this.#last.then(action).catch((error) => {
      if (!signal.aborted) this.#say(this.#sentence(error), true);
    });
  }

  /** Return what is said of an error. One that is no matter of the server is a fault of this script, for the console.
   * @param {Error} error */
  #sentence(error) {
    const { unreachable, refused } = faults[this.#language()];
    if (error instanceof server.Unreachable) return unreachable;
    if (error instanceof server.Refused)
      return error.message || refused.replace("{status}", String(error.status));
    reportError(error);
    return String(error);
  }

  /** Ask the server about a position. @param {string} what @param {string} [position] by default the one on the board */
  #ask(what, position = this.current) {
    const path = `/api/puzzles/${this.#puzzle?.id}/positions/${encodeURIComponent(position)}${what}`;
    return server.json(path, { goal: this.#goal(), lang: this.#language() }, this.#game.signal);
  }

  #goal() {
    return this.getAttribute("goal") ?? this.#puzzle?.goal ?? "";
  }

  /** Show another place of a line. @param {Line} line @param {string | null} note key of what to say
   * @param {{ holes: number[], jumps: boolean } | null} [way] of the piece that moves */
  async #goTo(line, note, way = null) {
    [this.#line, this.#advice, this.#analysis] = [line, [], undefined];
    this.#selected = activeHole(line);
    this.toggleAttribute("solved", isWon(line));
    const [, analysis] = await Promise.all([this.#draw(way), this.#ask("")]);
    this.#analysis = analysis;
    this.#describe();
    if (note) this.#say(this.#texts.get(note));
  }

  /** @param {number} hole */
  async #press(hole) {
    const puzzle = /** @type {Puzzle} */ (this.#puzzle);
    if (!this.#analysis || isWon(this.#line)) return;
    const meaning = press(this.#analysis.steps, this.#selected, hole, {
      empty: !(this.current[hole] in puzzle.glyphs),
      atOnce: !puzzle.multiStepMoves,
      taken: this.#selected === hole && activeHole(this.#line) !== hole,
    });
    if (meaning.kind === "play") return this.#play(meaning.step);
    if (meaning.kind === "refuse")
      return this.#say(this.#texts.get("embed.refused", { rules: puzzle.objective }));
    this.#selected = meaning.kind === "select" ? hole : activeHole(this.#line);
    this.#describe();
    this.#say(meaning.kind === "select" ? this.#label(hole) : "");
  }

  /** @param {import("../game/line.js").Step} step */
  async #play(step) {
    const jumps = /** @type {Puzzle} */ (this.#puzzle).multiStepMoves;
    await this.#goTo(played(this.#line, step), null, { holes: [step.from, step.to], jumps });
    const made = movesMade(this.#line);
    this.#say(this.#report(step, made));
    const detail = { from: step.from, to: step.to, position: this.current, moves: made };
    this.#tell("hoppers-move", detail);
    if (!isWon(this.#line)) return;
    const fewest = this.#line.start.moves_left;
    this.#tell("hoppers-solved", { position: this.current, moves: made, fewest, hints: this.#hints });
  }

  /** Return what is said after a step. @param {import("../game/line.js").Step} step @param {number} made moves so far */
  #report(step, made) {
    if (isWon(this.#line))
      return this.#texts.get(made === this.#line.start.moves_left ? "embed.fewest" : "embed.solved", {
        n: made,
      });
    const values = { n: made, from: step.from, to: step.to };
    const report = this.#texts.get("embed.move", values);
    if (isMoveOpen(positionAt(this.#line))) return `${report} ${this.#texts.get("embed.open")}`;
    return this.#analysis?.steps.length ? report : `${report} ${this.#texts.get("embed.stuck")}`;
  }

  /** @param {string} name @param {object} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  #redraw = () => {
    this.#do(() => this.#puzzle && this.#draw(null));
  };

  /** Fetch and show the picture of the position. @param {{ holes: number[], jumps: boolean } | null} way */
  async #draw(way) {
    const isDark = this.#isDark();
    const last = lastMove(this.#line).map(({ from, to }) => [from, to]);
    const options = {
      position: this.current,
      goal: this.#goal(),
      theme: isDark ? "dark" : "light",
      lang: this.#language(),
      ...(this.hasAttribute("numbers") ? { numbers: "1" } : {}),
      ...(last.length ? { lastmove: movesText(last) } : {}),
      ...(this.#advice.length ? { arrow: movesText([this.#advice]) } : {}),
    };
    const svg = await server.text(`/puzzles/${this.#puzzle?.id}/board.svg`, options, this.#game.signal);
    this.#frame.classList.toggle("dark", isDark);
    this.#picture?.draw(svg, way);
    this.#describe();
  }

  #describe() {
    const targets = (this.#analysis?.steps ?? []).filter(({ from }) => from === this.#selected);
    this.#picture?.buttons.forEach((_, hole) => {
      const marks = [
        ...(hole === this.#selected ? ["selected"] : []),
        ...(targets.some(({ to }) => to === hole) ? ["target"] : []),
        ...(this.#advice.includes(hole) ? ["advised"] : []),
      ];
      this.#picture?.describe(hole, this.#label(hole, marks), marks);
    });
    for (const button of this.#controls.querySelectorAll("button"))
      button.setAttribute("aria-disabled", String(button.value !== "hint" && !this.#line.at));
  }

  /** @param {number} hole @param {string[]} [marks] */
  #label(hole, marks = ["selected"]) {
    const cell = this.#texts.cell(hole, this.#puzzle?.glyphs[this.current[hole]]);
    const said = marks.map((mark) => this.#texts.get(STATES[mark]));
    return [cell, ...said].join(this.#texts.get("comma"));
  }

  /** @param {string} title of the puzzle */
  #showControls(title) {
    const link = document.createElement("a");
    link.href = server.address(`/puzzles/${this.#puzzle?.id}`, {
      position: this.#line.start.position,
      goal: this.#goal(),
    });
    link.textContent = title;
    const buttons = Object.values(LETTERS).map((name) => {
      const button = document.createElement("button");
      [button.type, button.value] = ["button", name];
      button.textContent = this.#texts.get(`embed.button.${name}`);
      button.addEventListener("click", () => this.#act(name));
      return button;
    });
    this.#controls.replaceChildren(...buttons, link);
    this.#describe();
  }

  /** @param {string} name */
  #act(name) {
    if (name === "undo") this.undo();
    else if (name === "restart") this.restart();
    else this.hint();
  }

  /** @param {KeyboardEvent} event */
  #pressLetter({ key, ctrlKey, metaKey, altKey }) {
    if (key in LETTERS && this.#puzzle && !ctrlKey && !metaKey && !altKey) this.#act(LETTERS[key]);
  }

  /** @param {string} text @param {boolean} [isFault] */
  #say(text, isFault = false) {
    this.#note.classList.toggle("fault", isFault);
    this.#note.textContent = text;
  }
}

for (const name of ATTRIBUTES.filter((name) => name !== "lang" && name !== "numbers"))
  Object.defineProperty(HoppersBoard.prototype, name, {
    /** @this {HTMLElement} */
    get() {
      return this.getAttribute(name);
    },
    /** @this {HTMLElement} @param {string | null} value */
    set(value) {
      if (value === null) this.removeAttribute(name);
      else this.setAttribute(name, value);
    },
  });
Object.defineProperty(HoppersBoard.prototype, "numbers", {
  /** @this {HTMLElement} */
  get() {
    return this.hasAttribute("numbers");
  },
  /** @this {HTMLElement} @param {boolean} value */
  set(value) {
    this.toggleAttribute("numbers", Boolean(value));
  },
});

if (!customElements.get("hoppers-board")) customElements.define("hoppers-board", HoppersBoard);
