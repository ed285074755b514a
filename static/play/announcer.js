/**
 * What a game says: one live region for what happens on the board, one for answers. The rules stand on the page, and are no answer.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../board/board.js").Board} Board
 */
import { nextMovable, viewOf } from "../game/board_view.js";
import { isWon, positionAt } from "../game/line.js";
import { inNotation, puzzle } from "../game/position.js";
import * as sentences from "../speech/sentences.js";
import * as texts from "../ui/i18n.js";
import { voiceOf } from "../speech/voice.js";
import { StatusLine } from "./status.js";

/** The voices of a game, and its answers to keys. */
export class Announcer {
  /** Verdict that was said last, or went without saying. */
  #verdict = "";
  /** Called with whatever is said. @type {((text: string) => void) | null} */
  heard = null;

  /** @param {Session} session @param {Board} board @param {StatusLine} status */
  constructor(session, board, status) {
    const heard = (/** @type {string} */ text) => this.heard?.(text);
    this.session = session;
    this.board = board;
    this.status = status;
    this.events = voiceOf("#happened", heard);
    this.answers = voiceOf("#answered", heard);
  }

  /** Say what changes from now on. */
  start() {
    this.#verdict = this.status.verdict;
    this.session.subscribe([...StatusLine.fields, "selected"], (state, before) => {
      this.#sayChange(state, before);
      this.#sayAnswer(state, before);
    });
  }

  /** Say an answer. @param {string} text */
  answer(text) {
    this.answers.say(sentences.sentence(texts, sentences.spoken(texts, text)));
  }

  /** @param {State} state @param {State} before */
  #sayChange(state, before) {
    const [was, now] = [before, state].map(({ edit, solution, line }) => edit ?? solution?.line ?? line);
    const happened = state.edit
      ? ""
      : sentences.changeSentence(puzzle, texts, was, now, state.solution !== null);
    const verdict = this.status.verdict;
    const isNews = verdict !== "" && (happened !== "" || verdict !== this.#verdict);
    this.events.say(happened);
    // a solution says its moves alone, and the result of a game is announced by its sheet
    const isTyped = document.activeElement?.matches("input"); // then the focus stays there
    const isTold = state.solution ? !isWon(now) : isWon(now) && this.status.hasResult && !isTyped;
    if (isNews && !isTold) this.events.say(sentences.sentence(texts, verdict));
    if (happened || verdict) this.#verdict = verdict;
  }

  /** @param {State} state @param {State} before */
  #sayAnswer(state, before) {
    const { note, selected, solution } = state;
    const isOther = note !== before.note && note !== null;
    if (isOther && !(note.key === "note.chain" && before.note?.key === note.key))
      return this.answer(this.status.spokenNote(state));
    if (selected === before.selected || state.line !== before.line || solution || state.edit) return;
    if (selected === null) this.answer(texts.get("say.unselected", { hole: before.selected ?? "" }));
    else this.answer(this.#selection(state, selected));
  }

  /** @param {State} state @param {number} hole */
  #selection(state, hole) {
    const { targets = [] } = viewOf(puzzle, state, this.session.shown);
    return sentences.selectionText(texts, hole, targets);
  }

  /** Return the actions of the keys that ask something, by name. */
  get actions() {
    return {
      moves: () => this.#sayMoves(),
      hole: () => this.#sayHole(),
      counts: () => this.answer(document.querySelector(".count")?.textContent ?? ""),
      board: () =>
        this.answer(sentences.boardSentence(puzzle, texts, positionAt(this.session.shown).position)),
      last: () => this.answer(this.events.last || texts.get("say.nothing")),
      "next-peg": () => this.#toNextMovable(),
    };
  }

  /** The position on the board and its legal steps. */
  async #steps() {
    const { position } = positionAt(this.session.shown);
    const answer = await this.session.stepsOf(position);
    return answer && { position, steps: answer.steps };
  }

  async #sayMoves() {
    const found = await this.#steps();
    if (!found) return;
    const list = found.steps.flatMap(({ from, to }) => inNotation(found.position, [[from, to]]));
    const joined = list.join(texts.get("comma")).replaceAll("–", "–\u2060");
    this.session.showNote("note.steps", { n: list.length, list: joined });
  }

  /** Say what is in the focused hole, and where its piece can go. */
  async #sayHole() {
    const { spots } = this.board;
    const focused = spots.find((spot) => spot === document.activeElement);
    const spot = focused ?? spots.find(({ tabIndex }) => tabIndex === 0);
    const found = await this.#steps();
    const targets = found?.steps.filter(({ from }) => from === Number(spot?.dataset.hole)) ?? [];
    const label = spot?.getAttribute("aria-label") ?? "";
    this.session.showNote("note.read", {
      text: [label, sentences.targetsText(texts, targets)].filter(Boolean).join(": "),
    });
  }

  /** Move the focus to the next hole whose piece can move; from the last one to the first. */
  #toNextMovable() {
    const { spots, view } = this.board;
    const next = nextMovable(
      view.movable,
      spots.findIndex((spot) => spot === document.activeElement),
    );
    if (next === undefined) return this.answer(texts.get("say.noneMovable"));
    spots[next].focus({ preventScroll: true });
  }
}
