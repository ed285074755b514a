/**
 * What a game says: one live region for what happens on the board, one for answers. The rules stand on the page, and are no answer.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../board/board.js").Board} Board
 * @typedef {Pick<import("./status.js").StatusLine, "fields" | "verdict" | "hasResult" | "spokenNote">} Status what is written
 *   about the game
 */
import { viewOf } from "../game/board_view.js";
import { isWon, positionAt } from "../game/line.js";
import { puzzle } from "../game/position.js";
import { questionsAbout } from "../keys/questions.js";
import * as sentences from "../speech/sentences.js";
import * as texts from "../ui/i18n.js";
import { voiceOf } from "../speech/voice.js";

/** The voices of a game, and its answers to keys. */
export class Announcer {
  /** Verdict that was said last, or went without saying. */
  #verdict = "";
  /** Called with whatever is said. @type {((text: string) => void) | null} */
  heard = null;

  /** @param {Session} session @param {Board} board @param {Status} status
   * @param {import("../speech/voice.js").Voice} [answers] the voice of answers, where it has more to say */
  constructor(session, board, status, answers = voiceOf("#answered")) {
    this.session = session;
    this.board = board;
    this.status = status;
    this.events = voiceOf("#happened");
    this.answers = answers;
    this.events.heard = this.answers.heard = (text) => this.heard?.(text);
  }

  /** Say what changes from now on. */
  start() {
    this.#verdict = this.status.verdict;
    this.session.subscribe([...this.status.fields, "selected"], (state, before) => {
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
    else {
      const { targets = [] } = viewOf(puzzle, state, this.session.shown);
      this.answer(sentences.selectionText(texts, selected, targets));
    }
  }

  /** Return the actions of the keys that ask something, by name. */
  get actions() {
    const position = () => positionAt(this.session.shown).position;
    return {
      ...questionsAbout(this.board, {
        position,
        steps: async () => (await this.session.stepsOf(position()))?.steps,
        answer: (text) => this.answer(text),
        note: (key, values) => this.session.showNote(key, values),
      }),
      counts: () => this.answer(document.querySelector(".count")?.textContent ?? ""),
      last: () => this.answer(this.events.last || texts.get("say.nothing")),
    };
  }
}
