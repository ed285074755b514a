/**
 * Setting up a position by hand: a tap changes what a hole holds, or the text is typed; the verdict follows.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {{ alphabet: string, start: string, chains: boolean, glyphs: Record<string, string> }} Kinds `chains`: any number of
 *   places may be empty; else one is
 */
import { begin, positionAt } from "../game/line.js";
import { button, element, find, write } from "../ui/dom.js";
import { cellsOf } from "../game/position.js";

export class PositionEditor {
  /** @param {Session} session @param {Kinds} kinds @param {import("../ui/i18n.js").Texts} texts */
  constructor(session, kinds, texts) {
    this.session = session;
    this.kinds = kinds;
    this.texts = texts;
    this.root = find("#editor", HTMLFormElement);
    this.input = find("#edited", HTMLInputElement);
    this.playButton = button("play-edited");
    /** Whether every piece is there once: then a tap cannot change a hole, but two taps swap two. */
    this.swaps = new Set(kinds.start).size === kinds.start.length;
    button("all-same").addEventListener("click", () => this.#fillBoard());
    button("edit").addEventListener("click", () => this.open());
    button("leave-editor").addEventListener("click", () => session.goTo(session.state.line.at));
    this.input.addEventListener("input", () => this.#evaluate(this.input.value.trim()));
    this.root.addEventListener("submit", (event) => (event.preventDefault(), this.#play()));
    session.subscribe(({ edit }) => (this.root.hidden = edit === null));
  }

  get isOpen() {
    return this.session.state.edit !== null;
  }

  /** @param {string} [text] what was typed before */
  open(text) {
    const cells = this.#cells; // what is seen, also where that is a solution
    this.#show(cells, null);
    this.#change(text ?? cells);
  }

  /** A press on a hole. @param {number} hole */
  press(hole) {
    const { selected } = this.session.state;
    const cells = [...this.#cells];
    const [empty] = this.kinds.alphabet;
    const takes = this.swaps || (!this.kinds.chains && cells[hole] === empty);
    if (takes && selected === null) return this.session.update({ selected: hole });
    if (selected !== null) [cells[hole], cells[selected]] = [cells[selected], cells[hole]];
    else cells[hole] = this.#nextCell(cells[hole]);
    this.#change(cells.join(""));
  }

  get #cells() {
    return cellsOf(positionAt(this.session.shown).position);
  }

  /** @param {string} cell */
  #nextCell(cell) {
    const kinds = this.kinds.chains ? this.kinds.alphabet : this.kinds.alphabet.slice(1);
    return kinds[(kinds.indexOf(cell) + 1) % kinds.length];
  }

  /** What comes after the first piece there is. */
  get #fillCell() {
    const [empty] = this.kinds.alphabet;
    return this.#nextCell([...this.#cells].find((cell) => cell !== empty) ?? empty);
  }

  /** Every hole holds the same; an only gap stays. */
  #fillBoard() {
    const gap = this.kinds.chains ? "" : this.kinds.alphabet[0];
    const same = this.#fillCell;
    this.#change([...this.#cells].map((cell) => (cell === gap ? cell : same)).join(""));
  }

  /** The key tells what it would make of the board. */
  #showFillButton() {
    const key = button("all-same");
    const [kind, side] = (this.kinds.glyphs[this.#fillCell] ?? "empty").split("-");
    key.hidden = this.swaps;
    if (!this.swaps) write(key, this.texts.get(`level.${kind}`, { side: this.texts.get(`side.${side}`) }));
  }

  /** @param {string} text */
  #change(text) {
    this.input.value = text;
    this.#evaluate(text);
  }

  /** Draw the text if it can be drawn, and ask what it is worth if anything stands there. @param {string} text */
  async #evaluate(text) {
    const [cells, { alphabet, start }] = [[...cellsOf(text)], this.kinds];
    const drawable = cells.length === start.length && cells.every((cell) => alphabet.includes(cell));
    this.#show(drawable ? text : this.#cells, null);
    this.#showFillButton();
    if (!drawable) return this.#showFault(this.texts.get("edit.signs", { text, length: cells.length, n: start.length, signs: [...alphabet].join(" ") }));
    if (cells.every((cell) => cell === alphabet[0])) return this.#showFault(this.texts.get("edit.none"));
    try {
      const judged = await this.session.api.position(text);
      if (this.input.value.trim() === text) this.#show(judged.position, judged);
    } catch (error) {
      if (this.input.value.trim() === text) this.#showFault(error instanceof Error ? error.message : "");
    }
  }

  /** @param {string} position @param {import("../game/line.js").PositionVerdict | null} judged null while the server is asked */
  #show(position, judged) {
    const edit = begin(judged ?? { position, verdict: "checking", moves_left: null });
    this.session.update({ edit, solution: null, analysis: null, hint: null, note: null, selected: null, travel: [] });
    this.#showFault("");
    this.playButton.disabled = judged === null;
  }

  /** @param {string} message */
  #showFault(message) {
    write(element(".edit-fault"), message);
    if (message) this.session.update({ edit: begin({ position: this.#cells, verdict: "unknown", moves_left: null }) });
  }

  #play() {
    const { edit } = this.session.state;
    if (edit && !this.playButton.disabled) this.session.restore(edit);
  }
}
