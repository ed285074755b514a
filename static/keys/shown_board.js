/**
 * A board on a page without a game: it shows what the page hands it, and answers the keys that ask about a board.
 *
 * @typedef {import("../game/board_view.js").BoardView} BoardView
 * @typedef {{ from: number, to: number }} Step
 *
 * @typedef {object} Acts what a reader can do on the board
 * @property {(hole: number) => void} [press] on a hole; without it a press says what is there
 * @property {(from: number, to: number | null) => void} [drop] of a dragged piece; without it no piece can be dragged
 * @property {(hole: number) => void} [lift] of a piece that is being dragged
 * @property {() => Promise<readonly Step[] | undefined>} [steps] legal steps of the position on the board; undefined if they are
 *   not known. Without it the server is asked
 * @property {import("../speech/voice.js").Voice} [voice] the voice of answers, where it has more to say
 */
import { Board } from "../board/board.js";
import { showHoleNumbers } from "../board/hover.js";
import { listenForPointers } from "../board/pointer.js";
import { faultOf, steps as stepsOf } from "../game/api.js";
import { cellsOf } from "../game/cells.js";
import { goal, puzzle } from "../game/position.js";
import { selectionText, sentence, spoken } from "../speech/sentences.js";
import { voiceOf } from "../speech/voice.js";
import { element } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { offerLetterSettings } from "../ui/shortcuts.js";
import { focusWithArrows } from "./arrows.js";
import { listenForShortcuts, openHelp } from "./keyboard.js";
import { questionsAbout } from "./questions.js";

/** The board of the page, see `templates/parts/shown_board.html`. */
export class ShownBoard {
  /** The position on the board. */
  position = element("main").dataset.position ?? "";
  /** What it shows besides the position. @type {Partial<BoardView>} */
  #marks = {};

  /** @param {Acts} [acts] */
  constructor({
    press,
    drop,
    lift = () => {},
    steps = () => this.#ask(),
    voice = voiceOf("#answered"),
  } = {}) {
    this.voice = voice;
    this.board = new Board(element(".board"), { puzzle, goal, texts });
    const questions = questionsAbout(this.board, {
      position: () => this.position,
      steps,
      answer: (text) => this.say(text),
      note: (key, values) => this.say(texts.get(key, values)),
    });
    const act = press ?? (() => void questions.hole());
    if (drop)
      listenForPointers(this.board, {
        press: act,
        lift,
        hop: async () => false,
        drop: async (from, to) => drop(from, to),
        cancel: () => {},
      });
    else this.board.spots.forEach((spot, hole) => spot.addEventListener("click", () => act(hole)));
    focusWithArrows(
      this.board,
      () => false,
      () => this.say(texts.get("say.edge")),
    );
    showHoleNumbers(this.board);
    listenForShortcuts({ ...questions, "?": openHelp });
    offerLetterSettings();
  }

  /** Show a position, with marks. @param {string} position @param {Partial<BoardView>} [marks] */
  show(position, marks = {}) {
    this.position = position;
    this.#marks = marks;
    this.board.show({ ...marks, cells: cellsOf(position) });
  }

  /** Show further marks, or others in place of those of the same name. @param {Partial<BoardView>} marks */
  mark(marks) {
    this.show(this.position, { ...this.#marks, ...marks });
  }

  /** Move the focus to the board. */
  focus() {
    this.board.spots.find(({ tabIndex }) => tabIndex === 0)?.focus({ preventScroll: true });
  }

  /** Say an answer. @param {string} text */
  say(text) {
    this.voice.say(sentence(texts, spoken(texts, text)));
  }

  /** Say that a piece is selected, and where it can go. @param {number} hole @param {readonly Step[]} targets */
  saySelected(hole, targets) {
    this.say(selectionText(texts, hole, targets));
  }

  /** Ask the server for the legal steps; if it fails, say why. */
  async #ask() {
    try {
      return (await stepsOf(this.position)).steps;
    } catch (error) {
      this.say(texts.forCode("fault", faultOf(error)));
    }
  }
}
