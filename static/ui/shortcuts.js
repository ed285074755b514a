/** What the letters mean: as the page has them, unless the player has chosen others. No letter means two things. */
import { button, element, write } from "./dom.js";
import { saveSettings, settings } from "./storage.js";

const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-letter]")]);

/** By what they mean; the page brings them. @type {Record<string, string>} */
const DEFAULT_LETTERS = Object.fromEntries(boxes.map((box) => [box.dataset.letter ?? "", box.defaultValue]));

const isLetter = (/** @type {unknown} */ text) => typeof text === "string" && /^\p{Ll}$|^\p{Lo}$/u.test(text);

/** The letters in force; what a file of settings holds may be anything. */
function letters() {
  const own = Object.entries(settings().keys ?? {}).filter(([name, letter]) => name in DEFAULT_LETTERS && isLetter(letter));
  const all = { ...DEFAULT_LETTERS, ...Object.fromEntries(own) };
  return new Set(Object.values(all)).size === boxes.length ? all : DEFAULT_LETTERS;
}

/** What a key means; `y` redoes as well, as long as it is free. @param {string} key */
export function actionOf(key) {
  const name = Object.entries(letters()).find(([, letter]) => letter === key)?.[0];
  return name ?? (key === "y" ? "redo" : key);
}

/** Let letters be changed in the list of keys. @param {import("./i18n.js").Texts} texts */
export function offerLetterSettings(texts) {
  const note = element(".letter-note");
  const show = () => boxes.forEach((box) => (box.value = letters()[box.dataset.letter ?? ""]));
  const choose = (/** @type {HTMLInputElement} */ box) => {
    const letter = box.value.toLowerCase();
    const fault = letter && problemWith(box, letter, texts);
    if (letter && !fault) saveSettings({ keys: { ...letters(), [box.dataset.letter ?? ""]: letter } });
    write(note, fault);
    if (letter) show();
  };
  for (const box of boxes) {
    box.addEventListener("focus", () => box.select());
    box.addEventListener("input", (event) => event instanceof InputEvent && event.isComposing ? undefined : choose(box));
    box.addEventListener("compositionend", () => choose(box)); // how Japanese is typed: no other event tells of its end
    box.addEventListener("blur", show); // nothing typed: the letter stays
  }
  button("usual-letters").addEventListener("click", () => (saveSettings({ keys: {} }), write(note, ""), show()));
  show();
}

/** Why a letter cannot be had, or nothing. @param {HTMLInputElement} box @param {string} letter
 * @param {import("./i18n.js").Texts} texts */
function problemWith(box, letter, texts) {
  if (!isLetter(letter)) return texts.get("letter.none", { letter });
  const other = boxes.find((one) => one !== box && letters()[one.dataset.letter ?? ""] === letter);
  const meaning = other && element(`#letter-${other.dataset.letter}`).textContent;
  return meaning ? texts.get("letter.taken", { letter, meaning }) : "";
}
