/** The list of lessons: ticks of those that are done, and the check of a result code. */
import "../ui/settings.js";
import { resultOf } from "../lessons/result_code.js";
import { wordsOf } from "../lessons/result_words.js";
import { element, enableButtons, find, write } from "../ui/dom.js";
import { lessonsDone } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

for (const [number, result] of Object.entries(lessonsDone())) {
  const mark = document.querySelector(`[data-lesson="${number}"] .lesson-tick`);
  if (mark) write(mark, `✓ ${wordsOf(result)}`);
}

const form = find(".code-check", HTMLFormElement);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = find("input", HTMLInputElement, form).value;
  const result = resultOf(text);
  const kind = result && result.guesses === 0 ? "done" : "right";
  const key = !result ? "lesson.code.wrong" : `lesson.code.${kind}${result.seed === null ? "" : ".seed"}`;
  write(
    element(".code-meaning"),
    texts.get(key, {
      text: text.slice(0, 40),
      lesson: result?.lesson ?? 0,
      n: result?.guesses ?? 0,
      right: result?.right ?? 0,
      seed: result?.seed ?? 0,
    }),
  );
});
enableButtons();
