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
  /** @param {Session} session @param {Kinds} kinds @param {import("../ui/i18n.js").Words} words */
  constructor(session, kinds, words) {
    this.session = session;
    this.kinds = kinds;
    this.words = words;
    this.root = find("#editor", HTMLFormElement);
    this.input = find("#edited", HTMLInputElement);
    this.playKey = button("play-edited");
    /** Whether every piece is there once: then a tap cannot change a hole, but two taps swap two. */
    this.swaps = new Set(kinds.start).size === kinds.start.length;
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
    const cells = this.#cells; // what is seen, also where that is a solution
    this.#draw(cells, null);
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

  /** What comes after the first piece there is. */
  get #same() {
    const [empty] = this.kinds.alphabet;
    return this.#next([...this.#cells].find((cell) => cell !== empty) ?? empty);
  }

  /** Every hole holds the same; an only gap stays. */
  #level() {
    const gap = this.kinds.chains ? "" : this.kinds.alphabet[0];
    const same = this.#same;
    this.#change([...this.#cells].map((cell) => (cell === gap ? cell : same)).join(""));
  }

  /** The key tells what it would make of the board. */
  #tellSame() {
    const key = button("all-same");
    const [kind, side] = (this.kinds.glyphs[this.#same] ?? "empty").split("-");
    key.hidden = this.swaps;
    if (!this.swaps) write(key, this.words.say(`level.${kind}`, { side: this.words.say(`side.${side}`) }));
  }

  /** @param {string} text */
  #change(text) {
    this.input.value = text;
    this.#judge(text);
  }

  /** Draw the text if it can be drawn, and ask what it is worth if anything stands there. @param {string} text */
  async #judge(text) {
    const [cells, { alphabet, start }] = [[...cellsOf(text)], this.kinds];
    const drawable = cells.length === start.length && cells.every((cell) => alphabet.includes(cell));
    this.#draw(drawable ? text : this.#cells, null);
    this.#tellSame();
    if (!drawable) return this.#fault(this.words.say("edit.signs", { text, length: cells.length, n: start.length, signs: [...alphabet].join(" ") }));
    if (cells.every((cell) => cell === alphabet[0])) return this.#fault(this.words.say("edit.none"));
    try {
      const judged = await this.session.api.position(text);
      if (this.input.value.trim() === text) this.#draw(judged.position, judged);
    } catch (error) {
      if (this.input.value.trim() === text) this.#fault(error instanceof Error ? error.message : "");
    }
  }

  /** @param {string} position @param {import("../game/line.js").PositionVerdict | null} judged null while the server is asked */
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
