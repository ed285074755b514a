/** Shortcut letters: the defaults of the page, or the player's own. No letter has two meanings. */
import { button, element, write } from "./dom.js";
import { saveSettings, settings } from "./storage.js";
import * as texts from "./i18n.js";

const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("[data-letter]")]);

/** Letters by action, as the page defines them. @type {Record<string, string>} */
const DEFAULT_LETTERS = Object.fromEntries(boxes.map((box) => [box.dataset.letter ?? "", box.defaultValue]));

const isLetter = (/** @type {unknown} */ text) => typeof text === "string" && /^\p{Ll}$|^\p{Lo}$/u.test(text);

/** Return the current letters by action. Imported settings may contain anything, so they are validated. */
function letters() {
  const own = Object.entries(settings().keys ?? {}).filter(
    ([name, letter]) => name in DEFAULT_LETTERS && isLetter(letter),
  );
  const all = { ...DEFAULT_LETTERS, ...Object.fromEntries(own) };
  return new Set(Object.values(all)).size === boxes.length ? all : DEFAULT_LETTERS;
}

/** Return the action of a key, otherwise the key itself. `y` also redoes unless it is assigned. @param {string} key */
export function actionOf(key) {
  const name = Object.entries(letters()).find(([, letter]) => letter === key)?.[0];
  return name ?? (key === "y" ? "redo" : key);
}

/** Let the player change the letters in the list of keys. */
export function offerLetterSettings() {
  const note = element(".letter-note");
  const show = () => boxes.forEach((box) => (box.value = letters()[box.dataset.letter ?? ""]));
  const choose = (/** @type {HTMLInputElement} */ box) => {
    const letter = box.value.toLowerCase();
    const fault = letter && problemWith(box, letter);
    if (letter && !fault) saveSettings({ keys: { ...letters(), [box.dataset.letter ?? ""]: letter } });
    write(note, fault);
    if (letter) show();
  };
  for (const box of boxes) {
    box.addEventListener("focus", () => box.select());
    box.addEventListener("input", (event) =>
      event instanceof InputEvent && event.isComposing ? undefined : choose(box),
    );
    box.addEventListener("compositionend", () => choose(box)); // Japanese input methods send no other event at the end
    box.addEventListener("blur", show); // an empty field gets its letter back
  }
  button("usual-letters").addEventListener(
    "click",
    () => (saveSettings({ keys: {} }), write(note, ""), show()),
  );
  document.addEventListener("settings", show);
  show();
}

/** Return why a letter cannot be used, or "". @param {HTMLInputElement} box @param {string} letter */
function problemWith(box, letter) {
  if (!isLetter(letter)) return texts.get("letter.none", { letter });
  const other = boxes.find((one) => one !== box && letters()[one.dataset.letter ?? ""] === letter);
  const meaning = other && element(`#letter-${other.dataset.letter}`).textContent;
  return meaning ? texts.get("letter.taken", { letter, meaning }) : "";
}
