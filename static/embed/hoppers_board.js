/**
 * `<hoppers-board>`: a puzzle to play on a page of any site, by pointer, keyboard and ear (see docs/embed.md). The board is that
 * of our own pages; what it shows, says and sends is one state, which changes only when the answer about it is there.
 *
 * Attributes, which are properties as well: `puzzle`, `position` and `goal` (where the game begins), `lang`, `theme`,
 * `numbers`. Events: `hoppers-move` and `hoppers-solved`.
 *
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../game/line.js").Step} Step
 * @typedef {import("../game/chains.js").Chain} Chain
 * @typedef {{ puzzle: import("../game/position.js").Puzzle, title: string, words: Record<string, import("../ui/i18n.js").Entry>,
 *   drawing: import("./drawing.js").Tree, style: string, table: import("./answers.js").TableData }} Data what the server sends
 * @typedef {Pick<import("../game/session.js").State, "line" | "selected" | "chains" | "hint" | "travel"> & { analysis:
 *   import("../game/api.js").Analysis, hints: number }} Game
 * @typedef {{ puzzle: Data["puzzle"], texts: Texts, answers: BoardAnswers, board: Board }} Loaded
 */
import { focusWithArrows } from "../keys/arrows.js";
import { Board } from "../board/board.js";
import { namesOnAnyKeyboard } from "../keys/key_names.js";
import { listenForPointers } from "../board/pointer.js";
import { nextMovable, chainsFrom, viewOf } from "../game/board_view.js";
import { cellsOf } from "../game/cells.js";
import {
  activeHole,
  begin,
  isMoveOpen,
  isWon,
  lineText,
  movedTo,
  movesMade,
  played,
  positionAt,
  travelBetween,
  undoTarget,
} from "../game/line.js";
import { drop, press } from "../game/press.js";
import { choices } from "../game/chains.js";
import { movesBetween, selectionText, sentence } from "../speech/sentences.js";
import { BoardAnswers } from "./answers.js";
import { commandOf, holeText, obey, obeyLine, typedLine } from "./commands.js";
import { buildBoard } from "./drawing.js";
import * as server from "./server.js";
import { STYLE } from "./style.js";
import { faults, Texts } from "./texts.js";

export { faults };

const ATTRIBUTES = ["puzzle", "position", "goal", "lang", "theme", "numbers"];
/** Names of the buttons, which are those of methods, too. */
const BUTTONS = /** @type {const} */ (["undo", "restart", "hint"]);
const DARK = matchMedia("(prefers-color-scheme: dark)");
/** Milliseconds until a board whose server could not be reached is loaded again. */
const RETRY = 4000;
/** What a board shows of a game besides its own state. */
const PLAIN = { solution: null, edit: null, note: null, movable: false, assistance: "off" };

class HoppersBoard extends HTMLElement {
  static observedAttributes = ATTRIBUTES;

  #root = this.attachShadow({ mode: "open" });
  #frame = document.createElement("div");
  #place = document.createElement("div");
  #controls = document.createElement("div");
  #note = document.createElement("p");
  /** @type {HTMLFormElement | null} */
  #line = null;
  /** What was said of the last move. */
  #lastReport = "";
  #boardStyle = "";
  /** Ends the requests of the game before, when another begins. */
  #current = new AbortController();
  #isBegun = false;
  /** Work so far; the next press waits for it. @type {Promise<unknown>} */
  #last = Promise.resolve();
  /** The board with its texts and answers, once it is loaded. @type {Loaded | null} */
  #loaded = null;
  /** @type {Game | null} */
  #game = null;
  #keyNames = namesOnAnyKeyboard();

  constructor() {
    super();
    this.#frame.className = "root";
    this.#frame.setAttribute("role", "group");
    this.#controls.className = "controls";
    this.#note.className = "note";
    this.#note.setAttribute("role", "status");
    this.#frame.append(this.#place, this.#controls, this.#note);
    this.#frame.addEventListener("keydown", (event) => this.#pressLetter(event));
    this.#root.append(this.#frame);
    this.#dress();
    for (const name of ATTRIBUTES.filter((name) => Object.hasOwn(this, name))) {
      const own = /** @type {any} */ (this);
      const value = own[name]; // set before this script was there
      delete own[name];
      own[name] = value;
    }
  }

  connectedCallback() {
    DARK.addEventListener("change", this.#showTheme);
    addEventListener("online", this.#reload);
    if (!this.#isBegun) this.#begin();
  }

  /** End the game, unless the element is only moved to another place. */
  disconnectedCallback() {
    queueMicrotask(() => {
      if (this.isConnected) return;
      DARK.removeEventListener("change", this.#showTheme);
      removeEventListener("online", this.#reload);
      this.#current.abort();
      this.#isBegun = false;
    });
  }

  /** Keep everything when the element is moved. */
  connectedMoveCallback() {}

  adoptedCallback() {
    this.#dress();
  }

  /** @param {string} name @param {string | null} before @param {string | null} now */
  attributeChangedCallback(name, before, now) {
    if (before === now || !this.isConnected || !this.#isBegun) return;
    if (name === "theme") this.#showTheme();
    else if (name === "numbers") this.#showNumbers();
    else this.#begin();
  }

  /** The position on the board. @returns {string} */
  get current() {
    return this.#game ? positionAt(this.#game.line).position : "";
  }

  /** The moves played, such as `0-6.9-3`. @returns {string} */
  get moves() {
    return this.#game ? lineText(this.#game.line) : "";
  }

  /** Whether the board is solved. @returns {boolean} */
  get solved() {
    return this.#game !== null && isWon(this.#game.line);
  }

  /** Take the last move back. */
  undo() {
    this.#play(({ line }) => (line.at ? this.#goTo(undoTarget(line), "embed.undone") : undefined));
  }

  /** Go back to the start. */
  restart() {
    this.#play(() => this.#goTo(0, "embed.restarted"));
  }

  /** Show the next move of the best known solution. */
  hint() {
    this.#play(async ({ line, hints }, { answers, texts }) => {
      const { verdict, step, move, proved } = await answers.hint(positionAt(line).position);
      if (!step) return this.#say(texts.get(`embed.hint.${verdict}`));
      this.#show({
        hint: { stage: 2, ...step, move, proved },
        selected: null,
        chains: null,
        hints: hints + 1,
      });
      this.#say(texts.get("embed.hint", { move: move.join("–") }));
    });
  }

  /** Put the styles on, in whichever document the element is. */
  #dress() {
    const view = this.ownerDocument.defaultView;
    if (!view) return;
    this.#root.adoptedStyleSheets = [STYLE, this.#boardStyle].map((text) => {
      const sheet = new view.CSSStyleSheet(); // which a policy of the page against inline styles allows
      sheet.replaceSync(text);
      return sheet;
    });
  }

  #language() {
    const nearest = this.closest("[lang]")?.getAttribute("lang") ?? document.documentElement.lang;
    const asked = `${nearest || navigator.language}-`;
    return Object.keys(faults).find((language) => asked.startsWith(`${language}-`)) ?? "en";
  }

  #showTheme = () => {
    const theme = this.getAttribute("theme");
    this.#frame.classList.toggle("dark", theme === "dark" || (theme !== "light" && DARK.matches));
  };

  #showNumbers() {
    this.#place.querySelector("svg")?.classList.toggle("numbered", this.hasAttribute("numbers"));
  }

  /** Load the board again, if it could not be loaded. */
  #reload = () => {
    if (!this.#loaded && this.isConnected) this.#begin();
  };

  /** Begin the game that the attributes describe; the one before ends. */
  #begin() {
    this.#current.abort();
    this.#current = new AbortController();
    this.#isBegun = true;
    this.#last = Promise.resolve();
    queueMicrotask(() => this.#do(() => this.#load().catch((error) => this.#fail(error)))); // after all attributes
  }

  /** Show no board, since the attributes describe none or the server is away. @param {Error} error */
  #fail(error) {
    const { signal } = this.#current;
    if (signal.aborted) return;
    [this.#loaded, this.#game] = [null, null];
    this.#place.replaceChildren();
    this.#controls.replaceChildren();
    this.#line?.remove();
    if (error instanceof server.Unreachable) setTimeout(() => signal.aborted || this.#reload(), RETRY);
    throw error;
  }

  async #load() {
    const [id, lang] = [this.getAttribute("puzzle"), this.#language()];
    const { signal } = this.#current;
    this.#frame.lang = lang;
    this.#showTheme();
    if (!id) throw new server.Refused(0, faults[lang].missing);
    const goal = this.getAttribute("goal");
    const path = `/embed/${encodeURIComponent(id)}.json`;
    /** @type {Data} */
    const data = await server.json(path, { lang, ...(goal === null ? {} : { goal }) }, signal);
    const answers = new BoardAnswers(id, goal ?? data.puzzle.goal, lang, signal);
    const { steps: _, ...start } = await answers.analysis(this.getAttribute("position") ?? data.puzzle.start);
    this.#build(data, answers, new Texts(lang, data.words));
    this.#game = null;
    await this.#goOn(begin(start));
    this.#showControls(data.title, answers.values.goal);
    this.#say(data.puzzle.objective);
    void answers.buildTable(data.table).catch(() => {}); // without it the server goes on answering
  }

  /** Build the board at the puzzle's own start. @param {Data} data @param {BoardAnswers} answers @param {Texts} texts */
  #build({ puzzle, title, drawing, style }, answers, texts) {
    const root = buildBoard(drawing, puzzle.points, cellsOf(puzzle.start));
    this.#boardStyle = style;
    this.#dress();
    this.#place.replaceChildren(root);
    this.#frame.setAttribute("aria-label", title);
    this.#showNumbers();
    const board = new Board(root, { puzzle, goal: answers.values.goal, texts });
    const edge = () => this.#say(sentence(texts, texts.get("say.edge")));
    focusWithArrows(board, undefined, edge);
    const grid = /** @type {HTMLElement} */ (root.querySelector(".spots"));
    Object.assign(grid, { ariaLabel: title, ariaDescription: texts.get("embed.keys") });
    this.#line?.remove();
    this.#line = typedLine(
      texts.get("embed.type"),
      (text) => void obeyLine(text, this.#player, texts),
      () => this.#closeLine(),
    );
    this.#line.hidden = true;
    this.#controls.after(this.#line);
    listenForPointers(board, {
      press: (hole) => this.#play((game) => this.#press(game, hole)),
      lift: (hole) =>
        this.#play(({ analysis }) => {
          if (analysis.steps.some(({ from }) => from === hole)) this.#show({ selected: hole, chains: null });
        }),
      hop: (from, to) => this.#hop(from, to),
      drop: (from, to) => this.#play((game) => this.#drop(game, from, to)),
      cancel: () => this.#play(() => this.#show({ selected: null, chains: null })),
    });
    this.#loaded = { puzzle, texts, answers, board };
  }

  /** Do something after all that was asked before. What fails is said. @param {() => unknown} action */
  #do(action) {
    const { signal } = this.#current;
    const turn = this.#last.then(() => (signal.aborted ? undefined : action()));
    return (this.#last = turn.catch((error) => {
      if (!signal.aborted) this.#say(this.#sentence(error), true);
    }));
  }

  /** Act on the game, once it is loaded. @param {(game: Game, loaded: Loaded) => unknown} action
   * @returns {Promise<void>} */
  #play(action) {
    return this.#do(() => this.#game && this.#loaded && action(this.#game, this.#loaded)).then(() => {});
  }

  /** Return what is said of an error. One that the server did not send is a fault of this script, for the console.
   * @param {Error} error */
  #sentence(error) {
    const { unreachable, refused } = faults[this.#language()];
    if (error instanceof server.Unreachable)
      return this.#loaded ? this.#loaded.texts.get("embed.offline") : unreachable;
    if (error instanceof server.Refused)
      return error.message || refused.replace("{status}", String(error.status));
    reportError(error);
    return String(error);
  }

  /** Change the game, and all that shows it at once. @param {Partial<Game>} changed */
  #show(changed) {
    const game = (this.#game = /** @type {Game} */ ({ ...this.#game, ...changed }));
    const { board, puzzle } = /** @type {Loaded} */ (this.#loaded);
    this.toggleAttribute("solved", this.solved);
    board.show(viewOf(puzzle, /** @type {any} */ ({ ...PLAIN, ...game }), game.line));
    for (const button of this.#controls.querySelectorAll("button"))
      button.setAttribute("aria-disabled", String(button.value !== "hint" && !game.line.at));
  }

  /** Go on with another line, as soon as the answer about it is there; if it fails, nothing changes.
   * @param {Line} line @param {import("../game/cells.js").Travel[]} [travel] */
  async #goOn(line, travel = []) {
    const analysis = await this.#loaded?.answers.analysis(positionAt(line).position);
    const hints = this.#game?.hints ?? 0;
    this.#show({ line, analysis, travel, selected: activeHole(line), chains: null, hint: null, hints });
  }

  /** Go to another place of the line. @param {number} at number of steps @param {string} note key of what to say */
  async #goTo(at, note) {
    const { line } = /** @type {Game} */ (this.#game);
    await this.#goOn(movedTo(line, at), travelBetween(line, line, at));
    this.#say(this.#loaded?.texts.get(note) ?? "");
  }

  /** @param {Game} game @param {number} hole */
  #press({ line, analysis, selected, chains: choice }, hole) {
    const { puzzle, board, texts } = /** @type {Loaded} */ (this.#loaded);
    if (isWon(line)) return;
    const chains = choice ? choices(choice).get(hole) : chainsFrom(puzzle, analysis, selected).get(hole);
    if (chains) return this.#run(chains);
    const meaning = press(analysis.steps, selected, hole, {
      empty: !(analysis.position[hole] in puzzle.glyphs),
      atOnce: !puzzle.multiStepMoves,
      taken: selected === hole && activeHole(line) !== hole,
    });
    if (meaning.kind === "play") return this.#advance([meaning.step]);
    if (meaning.kind === "refuse") return this.#say(texts.get("embed.refused", { rules: puzzle.objective }));
    this.#show({ selected: meaning.kind === "select" ? hole : activeHole(line), chains: null, travel: [] });
    this.#say(
      meaning.kind === "select"
        ? sentence(texts, selectionText(texts, hole, board.view.targets ?? []))
        : sentence(texts, texts.get("say.unselected", { hole })),
    );
  }

  /** Play a chain, or let the player choose between several. @param {Chain[]} chains */
  async #run(chains) {
    const { texts, answers } = /** @type {Loaded} */ (this.#loaded);
    const [{ holes }] = chains;
    const to = holes[holes.length - 1];
    if (chains.length > 1) {
      this.#show({ chains, travel: [] });
      return this.#say(texts.get("note.ways", { to, list: [...choices(chains).keys()].join(" / ") }));
    }
    const steps = await answers.steps(this.current, [holes]);
    await this.#advance(steps, [{ from: holes[0], to, path: holes }]);
  }

  /** @param {Game} game @param {number} from @param {number | null} to */
  #drop({ line, analysis }, from, to) {
    const { puzzle, texts } = /** @type {Loaded} */ (this.#loaded);
    if (isWon(line)) return;
    const chains = to === null ? undefined : chainsFrom(puzzle, analysis, from).get(to);
    if (chains) return this.#run(chains);
    const meaning = drop(analysis.steps, from, to);
    if (meaning.kind === "play") return this.#advance([meaning.step]);
    if (meaning.kind === "refuse") this.#say(texts.get("embed.refused", { rules: puzzle.objective }));
    this.#show({ selected: activeHole(line), chains: null, travel: [] });
  }

  /** Take a jump of a drag that goes on. @param {number} from @param {number} to */
  async #hop(from, to) {
    let isMade = false;
    await this.#play(async ({ analysis }) => {
      const step = analysis.steps.find((step) => step.from === from && step.to === to);
      if (!step) return;
      await this.#advance([step]);
      isMade = true;
    });
    return isMade;
  }

  /** Play steps. @param {Step[]} steps @param {import("../game/cells.js").Travel[]} [travel] */
  async #advance(steps, travel = steps) {
    const before = /** @type {Game} */ (this.#game).line;
    const line = steps.reduce(played, before);
    await this.#goOn(line, travel);
    this.#say((this.#lastReport = this.#report(before)));
    steps.forEach(({ from, to, position }, index) =>
      this.#tell("hoppers-move", { from, to, position, moves: movesMade(line, before.at + 1 + index) }),
    );
    if (!this.solved) return;
    const { current: position } = this;
    const fewest = line.start.moves_left;
    this.#tell("hoppers-solved", { position, moves: movesMade(line), fewest, hints: this.#game?.hints });
  }

  /** Return what is said after steps. @param {Line} before the line without them */
  #report(before) {
    const { line, analysis } = /** @type {Game} */ (this.#game);
    const { puzzle, texts } = /** @type {Loaded} */ (this.#loaded);
    const n = movesMade(line);
    if (isWon(line)) return texts.get(n === line.start.moves_left ? "embed.fewest" : "embed.solved", { n });
    const move = movesBetween(puzzle, texts, line, before.at, line.at).join(texts.get("say.then"));
    const report = texts.get("embed.move", { n, move });
    const more = isMoveOpen(positionAt(line)) ? "embed.open" : analysis.steps.length ? "" : "embed.stuck";
    return [report, more && texts.get(more)].filter(Boolean).join(texts.get("sentence.gap"));
  }

  /** @param {string} name @param {object} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
  }

  /** @param {string} title of the puzzle @param {string} goal */
  #showControls(title, goal) {
    const link = document.createElement("a");
    const position = this.#game?.line.start.position ?? "";
    link.href = server.address(`/puzzles/${this.#loaded?.puzzle.id}`, { position, goal });
    link.textContent = title;
    const buttons = BUTTONS.map((name) => {
      const button = document.createElement("button");
      [button.type, button.value] = ["button", name];
      button.textContent = this.#loaded?.texts.get(`embed.button.${name}`) ?? name;
      button.setAttribute("aria-disabled", String(name !== "hint"));
      button.addEventListener("click", () => this[name]());
      return button;
    });
    this.#controls.replaceChildren(...buttons, link);
  }

  /** What letters and typed lines can do. @returns {import("./commands.js").Player} */
  get #player() {
    const { puzzle } = /** @type {Loaded} */ (this.#loaded);
    return {
      asked: () => {
        const { line, analysis } = /** @type {Game} */ (this.#game);
        return { puzzle, position: positionAt(line).position, steps: analysis.steps, moves: movesMade(line) };
      },
      act: (name) => this[name](),
      hop: (from, to) => this.#hop(from, to),
      press: (hole) => void this.#play((game) => this.#press(game, hole)),
      say: (text) => this.#say(text),
      last: () => this.#lastReport,
    };
  }

  /** @param {KeyboardEvent} event */
  #pressLetter(event) {
    if (event.altKey || !this.#game || !this.#loaded) return;
    const { texts, board } = this.#loaded;
    const names = this.#keyNames(event);
    const command = names.map(commandOf).find(Boolean);
    const at = board.spots.findIndex((spot) => spot.tabIndex === 0);
    if (command) obey(command, "", [], this.#player, texts);
    else if (names.includes("?")) this.#say(texts.get("embed.keys"));
    else if (names.includes("o")) this.#say(holeText(board.spots[at], this.#player.asked(), texts));
    else if (names.includes("j")) this.#focusMovable(at);
    else if (names.includes("t")) this.#openLine();
    else return;
    event.preventDefault();
  }

  /** Move the focus to the next piece that can move. @param {number} at hole */
  #focusMovable(at) {
    const { texts, board } = /** @type {Loaded} */ (this.#loaded);
    const next = nextMovable(board.view.movable, at);
    if (next === undefined) this.#say(sentence(texts, texts.get("say.noneMovable")));
    else board.spots[next].focus();
  }

  #openLine() {
    if (!this.#line) return;
    this.#line.hidden = false;
    this.#line.querySelector("input")?.focus();
  }

  #closeLine() {
    if (this.#line) this.#line.hidden = true;
    this.#loaded?.board.spots.find((spot) => spot.tabIndex === 0)?.focus();
  }

  /** @param {string} text @param {boolean} [isFault] */
  #say(text, isFault = false) {
    this.#note.classList.toggle("fault", isFault);
    const said = document.createElement("span"); // a new one, so that the same sentence is heard again
    said.textContent = text;
    this.#note.replaceChildren(said);
  }
}

for (const name of ATTRIBUTES.filter((name) => name !== "lang"))
  Object.defineProperty(HoppersBoard.prototype, name, {
    /** @this {HTMLElement} */
    get() {
      return name === "numbers" ? this.hasAttribute(name) : this.getAttribute(name);
    },
    /** @this {HTMLElement} @param {string | boolean | null} value */
    set(value) {
      if (name === "numbers") this.toggleAttribute(name, Boolean(value));
      else if (value === null) this.removeAttribute(name);
      else this.setAttribute(name, String(value));
    },
  });

if (!customElements.get("hoppers-board")) customElements.define("hoppers-board", HoppersBoard);
