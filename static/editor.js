/**
 * Setting up a position by hand: a tap changes what a hole holds, or the text is typed; the verdict follows.
 *
 * @typedef {import("./session.js").Session} Session
 * @typedef {{ alphabet: string, start: string, chains: boolean }} Kinds `chains`: any number of places may be empty; else one is
 */
import { begin, positionAt } from "./game.js";
import { button, element, find, write } from "./page.js";
import { cellsOf } from "./plan.js";

export class Editor {
  /** @param {Session} session @param {Kinds} kinds */
  constructor(session, kinds) {
    this.session = session;
    this.kinds = kinds;
    this.root = find("#editor", HTMLFormElement);
    this.input = find("#edited", HTMLInputElement);
    this.playKey = button("play-edited");
    /** Whether every piece is there once: then a tap cannot change a hole, but two taps swap two. */
    this.swaps = new Set(kinds.start).size === kinds.start.length;
    button("all-same").hidden = this.swaps;
    button("all-same").addEventListener("click", () => this.#level());
    button("edit").addEventListener("click", () => this.open());
    button("leave-editor").addEventListener("click", () => session.goTo(session.state.line.at));
    this.input.addEventListener("input", () => this.#judge(this.input.value.trim()));
    this.root.addEventListener("submit", (event) => (event.preventDefault(), this.#play()));
    session.subscribe(({ edit }) => (this.root.hidden = edit === null));
  }

  get isOpen() {
    return this.session.state.edit !== null;
  }

  /** @param {string} [text] what was typed before */
  open(text) {
    const { edit, line } = this.session.state; // the player's game, whatever solution is on the board
    const { position } = positionAt(edit ?? line);
    this.#draw(cellsOf(position), null);
    this.#change(text ?? cellsOf(position));
  }

  /** A press on a hole. @param {number} hole */
  press(hole) {
    const { selected } = this.session.state;
    const cells = [...this.#cells];
    const [empty] = this.kinds.alphabet;
    const takes = this.swaps || (!this.kinds.chains && cells[hole] === empty);
    if (takes && selected === null) return this.session.update({ selected: hole });
    if (selected !== null) [cells[hole], cells[selected]] = [cells[selected], cells[hole]];
    else cells[hole] = this.#next(cells[hole]);
    this.#change(cells.join(""));
  }

  get #cells() {
    return cellsOf(positionAt(this.session.shown).position);
  }

  /** @param {string} cell */
  #next(cell) {
    const kinds = this.kinds.chains ? this.kinds.alphabet : this.kinds.alphabet.slice(1);
    return kinds[(kinds.indexOf(cell) + 1) % kinds.length];
  }

  /** Every hole holds the same, what comes after the first one's; an only gap stays. */
  #level() {
    const gap = this.kinds.chains ? "" : this.kinds.alphabet[0];
    const cells = [...this.#cells];
    const same = this.#next(cells.find((cell) => cell !== gap) ?? "");
    this.#change(cells.map((cell) => (cell === gap ? cell : same)).join(""));
  }

  /** @param {string} text */
  #change(text) {
    this.input.value = text;
    this.#judge(text);
  }

  /** Draw the text if it can be drawn, and ask what it is worth. @param {string} text */
  async #judge(text) {
    const cells = cellsOf(text);
    const drawable = cells.length === this.kinds.start.length && [...cells].every((cell) => this.kinds.alphabet.includes(cell));
    this.#draw(drawable ? text : this.#cells, null);
    this.playKey.disabled = true;
    try {
      const judged = await this.session.api.position(text);
      if (this.input.value.trim() === text) this.#draw(judged.position, judged);
    } catch (error) {
      if (this.input.value.trim() === text) this.#fault(error instanceof Error ? error.message : "");
    }
  }

  /** @param {string} position @param {import("./game.js").Judged | null} judged null while the server is asked */
  #draw(position, judged) {
    const edit = begin(judged ?? { position, verdict: "checking", moves_left: null });
    this.session.update({ edit, show: null, graded: null, hint: null, note: null, selected: null, travel: [] });
    this.#fault("");
    this.playKey.disabled = judged === null;
  }

  /** @param {string} message */
  #fault(message) {
    write(element(".edit-fault"), message);
    if (message) this.session.update({ edit: begin({ position: this.#cells, verdict: "unknown", moves_left: null }) });
  }

  #play() {
    const { edit } = this.session.state;
    if (edit && !this.playKey.disabled) this.session.restore(edit);
  }
}
