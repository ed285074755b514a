/**
 * The position editor: a tap changes the content of a hole, or the position is typed as text. It shows the
 * verdict after every change.
 *
 * @typedef {import("../game/session.js").Session} Session
 */
import * as api from "../game/api.js";
import { begin, positionAt } from "../game/line.js";
import { button, element, find, moveFocus, write } from "../ui/dom.js";
import { cellsOf } from "../game/cells.js";
import { puzzle } from "../game/position.js";
import * as texts from "../ui/i18n.js";

/** What may stand between the signs of a position, as in server/hoppers/core/notation.py. */
const SEPARATORS = /[\s,;|/[\](){}]/g;

/** The editor with which the player sets up a position. */
export class PositionEditor {
  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.root = find("#editor", HTMLFormElement);
    this.input = find("#edited", HTMLInputElement);
    this.playButton = button("play-edited");
    /** Characters that a tap puts into a hole, in turn; none if all pieces are different. */
    this.kinds = [...puzzle.alphabet].filter((cell) => !puzzle.unique.includes(cell));
    button("all-same").addEventListener("click", () => this.#fillBoard());
    button("edit").addEventListener("click", () => this.open());
    button("leave-editor").addEventListener("click", () => session.goTo(session.state.line.at));
    this.input.addEventListener("input", () => this.#evaluate(this.input.value.trim()));
    this.input.addEventListener("paste", (event) => this.#pasteRows(event));
    this.root.addEventListener("submit", (event) => (event.preventDefault(), this.#play()));
    session.follow(["edit"], ({ edit }) => (this.root.hidden = edit === null));
  }

  get isOpen() {
    return this.session.state.edit !== null;
  }

  /** @param {string} [text] text to begin with, instead of the position on the board */
  open(text) {
    const cells = this.#cells; // as shown on the board, which may be a position of a solution
    this.#show(cells, null);
    this.#change(text ?? cells);
    moveFocus(find(".say", HTMLElement, this.root)); // what to do comes first, then the field
  }

  /** Swap the pressed hole with the selected hole, select it, or change its content. What is unique can only be
   * swapped. @param {number} hole */
  press(hole) {
    const { selected } = this.session.state;
    const cells = [...this.#cells];
    if (selected === null && puzzle.unique.includes(cells[hole]))
      return this.session.update({ selected: hole });
    if (selected !== null) [cells[hole], cells[selected]] = [cells[selected], cells[hole]];
    else cells[hole] = this.#nextCell(cells[hole]);
    this.#change(cells.join(""));
  }

  get #cells() {
    return cellsOf(positionAt(this.session.shown).position);
  }

  /** @param {string} cell */
  #nextCell(cell) {
    return this.kinds[(this.kinds.indexOf(cell) + 1) % this.kinds.length];
  }

  /** Content for `#fillBoard`: the cell after that of the first piece on the board, in the order of the alphabet. */
  get #fillCell() {
    const [empty] = puzzle.alphabet;
    return this.#nextCell(
      [...this.#cells].find((cell) => cell !== empty && this.kinds.includes(cell)) ?? empty,
    );
  }

  /** Give all holes the same content, except those of unique pieces and of a single gap. */
  #fillBoard() {
    const same = this.#fillCell;
    this.#change([...this.#cells].map((cell) => (puzzle.unique.includes(cell) ? cell : same)).join(""));
  }

  /** Label the fill button with the content it would give all holes. Hide it if all pieces are different. */
  #showFillButton() {
    const fillButton = button("all-same");
    const [kind, side] = (puzzle.glyphs[this.#fillCell] ?? "empty").split("-");
    fillButton.hidden = !this.kinds.length;
    if (this.kinds.length)
      write(fillButton, texts.get(`level.${kind}`, { side: side ? texts.get(`side.${side}`) : "" }));
  }

  /** @param {string} text */
  #change(text) {
    this.input.value = text;
    this.#evaluate(text);
  }

  /** Paste rows with blanks between them: an input field would join the rows. @param {ClipboardEvent} event */
  #pasteRows(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[\r\n]/.test(text.trim())) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = this.input;
    this.input.setRangeText(text.replace(/\s+/g, " "), selectionStart ?? 0, selectionEnd ?? 0, "end");
    this.#evaluate(this.input.value.trim());
  }

  /** Show the text on the board if it is a position, and request its verdict unless the board is empty. A text in another
   * notation is read by the server, as soon as it has enough signs.
   * @param {string} text */
  async #evaluate(text) {
    const [cells, { alphabet, start }] = [[...cellsOf(text)], puzzle];
    const isPosition = cells.length === start.length && cells.every((cell) => alphabet.includes(cell));
    this.#show(isPosition ? text : this.#cells, null);
    this.#showFillButton();
    const { length } = cellsOf(text).replace(SEPARATORS, "");
    if (length < start.length)
      return this.#showFault(
        texts.get("edit.signs", { text, length, n: start.length, signs: [...alphabet].join(" ") }),
      );
    if (isPosition && cells.every((cell) => cell === alphabet[0]))
      return this.#showFault(texts.get("edit.none"));
    try {
      const verdict = await api.analysis(text);
      if (this.input.value.trim() === text) this.#show(verdict.position, verdict);
    } catch (error) {
      if (this.input.value.trim() === text) this.#showFault(texts.forCode("fault", api.faultOf(error)));
    }
  }

  /** @param {string} position @param {import("../game/line.js").PositionVerdict | null} verdict null until the server answers */
  #show(position, verdict) {
    const edit = begin(verdict ?? { position, verdict: "checking", moves_left: null });
    this.session.update({
      edit,
      solution: null,
      analysis: null,
      hint: null,
      note: null,
      selected: null,
      travel: [],
    });
    this.#showFault("");
    this.playButton.disabled = verdict === null;
  }

  /** @param {string} message */
  #showFault(message) {
    write(element(".edit-fault"), message);
    if (message)
      this.session.update({ edit: begin({ position: this.#cells, verdict: "unknown", moves_left: null }) });
  }

  #play() {
    const { edit } = this.session.state;
    if (edit && !this.playButton.disabled) this.session.restore(edit);
  }
}
