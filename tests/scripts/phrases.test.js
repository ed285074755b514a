/** Japanese texts in phrases, between which lines may break. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { phrasesOf } from "../../static/ui/phrases.js";

test("phrases end with particles, endings and marks, and compound verbs stay whole", () => {
  /** @type {[text: string, phrases: string][]} */
  const expected = [
    ["跳び越したペグは取り除きます。", "跳び越した|ペグは|取り除きます。"],
    ["ペグを1本だけ残しましょう。", "ペグを|1本だけ|残しましょう。"],
    ["「穴」の中と、お互いの順番", "「穴」の|中と、お互いの|順番"],
    ["穴", "穴"],
    ["Hoppers 13", "Hoppers 13"],
  ];
  for (const [text, phrases] of expected) assert.equal(phrasesOf(text).join("|"), phrases);
});

test("no sign gets lost, and none of a line's wrong beginnings begins a phrase", () => {
  const text = "1枚ずらすと2つのマスが入れ替わり、隙間は（暗い）マスを行き来するので、一緒に変わります。";
  assert.equal(phrasesOf(text).join(""), text);
  for (const phrase of phrasesOf(text).slice(1)) assert.doesNotMatch(phrase, /^[、。）」ーっゃぁ]/);
  assert.ok(phrasesOf(text).every((phrase) => phrase.length <= 10));
});
