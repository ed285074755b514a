/** Copying to the clipboard. Every attempt returns a catalogue key for its outcome, `copied.*` or `refused.*`. */
import { create, find, write } from "./dom.js";
import * as texts from "./i18n.js";

/** Original labels of the buttons. @type {WeakMap<Element, string>} */
const labels = new WeakMap();

/** Show the outcome of a copy on its button, and the details in the note next to the button.
 * @param {HTMLElement} button @param {Promise<string>} outcome
 * @param {boolean} [isFar] whether the note may be out of sight, so that the button has the details, too */
export async function showOutcome(button, outcome, isFar = false) {
  if (!labels.has(button)) labels.set(button, button.textContent ?? "");
  const note = find(".copy-note", HTMLElement, button.closest(".share, .dialog, .result-card") ?? document);
  button.style.minWidth = `${button.offsetWidth}px`; // "Copied" is shorter: keep the width, so that nothing moves
  write(note, "");
  write(button, texts.get("copied.wait"));
  const result = await outcome;
  const done = result.startsWith("copied.");
  write(button, texts.get(isFar ? result : done ? "copied" : "copied.not"));
  write(note, texts.get(result));
  setTimeout(() => write(button, labels.get(button) ?? ""), isFar ? 4000 : 2000);
}

/** Copy a text. @param {string} kind what the text is: the end of the key `copied.*` @param {string} text */
export async function copyText(kind, text) {
  const done = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  return done || copyWithCommand(text) ? `copied.${kind}` : "refused.text";
}

/** Copy with `execCommand`, because the clipboard API needs HTTPS; return whether it succeeded. @param {string} text */
function copyWithCommand(text) {
  const field = create("textarea", { value: text, className: "hush" });
  const focused = document.activeElement;
  (document.querySelector(":popover-open") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** Share by the sheet of the device, or by `copy` where there is none; never both.
 * @param {ShareData} what @param {() => Promise<string>} copy @returns {Promise<string>} key of the outcome */
export async function shareOrCopy(what, copy) {
  if (!navigator.canShare?.(what)) return copy();
  try {
    await navigator.share(what);
    return "copied.shared";
  } catch (error) {
    return error instanceof DOMException && error.name === "AbortError" ? "refused.closed" : copy();
  }
}

/** Copy a picture. @param {string} address of a PNG */
export async function copyPicture(address) {
  if (!("ClipboardItem" in window)) return "refused.unable";
  const picture = fetch(address).then((answer) =>
    answer.ok ? answer.blob() : Promise.reject(new Error(String(answer.status))),
  );
  const isThere = picture.then(
    () => true,
    () => false,
  );
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return "copied.picture";
  } catch {
    return (await isThere) ? "refused.picture" : "refused.unreachable";
  }
}
