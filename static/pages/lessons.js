/** The list of lessons: ticks of those that are done, and the check of a result code. */
import "../ui/settings.js";
import { resultOf } from "../lessons/result_code.js";
import { element, enableButtons, find, write } from "../ui/dom.js";
import { lessonsDone } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

for (const [number, { guesses, right }] of Object.entries(lessonsDone())) {
  const mark = document.querySelector(`[data-lesson="${number}"] .lesson-tick`);
  if (mark) write(mark, `✓ ${texts.get("lesson.result", { n: guesses, right })}`);
}

const form = find(".code-check", HTMLFormElement);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = find("input", HTMLInputElement, form).value;
  const result = resultOf(text);
  const key = !result ? "lesson.code.wrong" : result.seed === null ? "lesson.code.right" : "lesson.code.seed";
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
