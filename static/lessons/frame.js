/**
 * What all lessons share: the sentence under the figure, the guesses of the reader, the buttons in the text, and the end.
 *
 * @typedef {import("./bets.js").Judgement} Judgement
 */
import { codeOf } from "./result_code.js";
import { wordsOf } from "./result_words.js";
import { isRight, readGuess } from "./bets.js";
import { copyText, showOutcome } from "../ui/clipboard.js";
import { element, find, moveFocus, pageData, write } from "../ui/dom.js";
import { voiceOf } from "../speech/voice.js";
import { saveLesson } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

const { number, seed } = pageData();
const tally = { guesses: 0, right: 0 };

/** The voice of the lesson. */
export const voice = voiceOf("#answered");

/** Show sentences, which are read out, too. @param {...string} sentences */
export function tell(...sentences) {
  const text = sentences.filter(Boolean).join(texts.get("sentence.gap"));
  write(element(".verdict-line"), text);
  voice.say(text);
}

/** Add a sentence to those under the figure. @param {string} text */
export function tellMore(text) {
  const line = element(".verdict-line");
  write(line, [line.textContent, text].filter(Boolean).join(texts.get("sentence.gap")));
  voice.say(text);
}

/** Show a sentence of the catalogue. @param {string} key @param {import("../ui/i18n.js").Values} [values] */
export const say = (key, values) => tell(texts.get(key, values));

/** Show why a request or a search failed. @param {{ code: string, why?: string, message?: string }} fault */
export const sayFault = ({ code, why = "", message = "" }) =>
  tell(texts.forCode("fault", { code, why: why || message }));

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

const form = find(".bet", HTMLFormElement);
const field = find("input", HTMLInputElement, form);

/** Ask for a guess. The form stays as it is, and keeps the guess, until the answer has come: `act` asks the next question or
 * ends the guesses; if it does neither, the same is asked again. @param {string} question
 * @param {(guess: number) => void | Promise<void>} act */
export function askGuess(question, act) {
  write(find(".bet-question", HTMLElement, form), question);
  form.hidden = false;
  field.value = "";
  field.readOnly = false;
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (field.readOnly) return; // the answer is on its way
    const guess = readGuess(field.value);
    if (guess === null) return say("lesson.noNumber", { text: field.value.slice(0, 40) });
    field.readOnly = true;
    await act(guess);
    field.readOnly = false;
  };
}

/** End the guesses; the focus goes on to what comes next. @param {() => void} next moves the focus there */
export function closeGuess(next) {
  const hadFocus = form.contains(document.activeElement);
  form.hidden = true;
  if (hadFocus) next();
}

/** Move the focus to what was learnt. */
export const toEnd = () => moveFocus(find(".lesson-end h2", HTMLElement));

find("#copy-code", HTMLButtonElement).addEventListener("click", ({ currentTarget }) =>
  showOutcome(
    /** @type {HTMLElement} */ (currentTarget),
    copyText("text", element(".result-code").textContent ?? ""),
  ),
);
