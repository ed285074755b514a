/**
 * What all lessons share: the sentence under the figure, the guesses of the reader, the buttons in the text, and the end.
 *
 * @typedef {import("./bets.js").Judgement} Judgement
 */
import { codeOf } from "./result_code.js";
import { wordsOf } from "./result_words.js";
import { isRight } from "./bets.js";
import { copyText, showOutcome } from "../ui/clipboard.js";
import { element, find, moveFocus, pageData, write } from "../ui/dom.js";
import { saveLesson } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

const { number, seed } = pageData();
const tally = { guesses: 0, right: 0 };

/** Show a sentence, which is read out, too. @param {string} key @param {import("../ui/i18n.js").Values} [values] */
export const say = (key, values) => write(element(".verdict-line"), texts.get(key, values));

/** Show why a request or a search failed. @param {{ code: string, why?: string, message?: string }} fault */
export function sayFault({ code, why = "", message = "" }) {
  write(element(".verdict-line"), texts.forCode("fault", { code, why: why || message }));
}

/** Count a guess of a number, and return the sentence about it. @param {Judgement} judgement */
export function judged(judgement) {
  tally.guesses++;
  tally.right += Number(isRight(judgement));
  return texts.get(`lesson.guess.${judgement}`);
}

/** End the lesson: show what was learnt and the code of the result, and tick the lesson in the list. */
export function finish() {
  const end = element(".lesson-end");
  if (!end.hidden) return;
  end.hidden = false;
  element("main").dataset.done = "true";
  write(element(".result-code"), codeOf({ lesson: number, ...tally, seed }));
  write(element(".result-words"), wordsOf(tally));
  saveLesson(number, { ...tally });
}

/** Make the buttons in the text act: `name` of a button -> what it shows, by its value.
 * @param {Record<string, (value: string) => unknown>} acts */
export function drive(acts) {
  for (const button of document.querySelectorAll("[data-show]")) {
    const act = acts[button.getAttribute("data-show") ?? ""];
    button.addEventListener("click", () => {
      for (const other of document.querySelectorAll("[data-show][aria-current]"))
        other.removeAttribute("aria-current");
      button.setAttribute("aria-current", "true");
      act?.(button.getAttribute("data-value") ?? "");
    });
  }
}

/** Ask for a guess with the form of the lesson. @param {string} question @param {(text: string) => unknown} act */
export function askGuess(question, act) {
  const form = find(".bet", HTMLFormElement);
  const field = find("input", HTMLInputElement, form);
  write(find(".bet-question", HTMLElement, form), question);
  form.hidden = false;
  field.value = "";
  form.onsubmit = (event) => {
    event.preventDefault();
    act(field.value);
  };
}

/** Hide the form of the guess, or block it while the engine works. @param {boolean} [only] block it only */
export function closeGuess(only = false) {
  const form = find(".bet", HTMLFormElement);
  form.hidden = !only;
  if (form.hidden && document.activeElement === document.body)
    moveFocus(/** @type {HTMLElement} */ (document.querySelector("[data-hole]") ?? element("h1")));
}

find("#copy-code", HTMLButtonElement).addEventListener("click", ({ currentTarget }) =>
  showOutcome(
    /** @type {HTMLElement} */ (currentTarget),
    copyText("text", element(".result-code").textContent ?? ""),
  ),
);
