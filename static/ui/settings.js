/** The settings dialog that every page has: what is chosen is kept at once, and `settings` events tell of it. */
import "./sheet_history.js";
import { button, find, keepFocusInRow, write } from "./dom.js";
import { isDark, PREFIX, saveSettings, settings } from "./storage.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

/** @type {Field[]} */
const fields = [...document.querySelectorAll("[data-setting]")].filter(
  (field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
);

const FILE_KIND = "classic-puzzles";

/** @param {Field} field */
const isSwitch = (field) => field.type === "checkbox";

/** Numbers in the holes are usual where there is room, but numbered tiles have names of their own: see `play.css`. */
const roomy = matchMedia("(min-width: 1024px)");
const isNumbered = () => roomy.matches && !document.querySelector(".spot.square");

/** Show in the dialog and on the page what is chosen. */
function show() {
  const kept = settings();
  const chosen = /** @type {Record<string, any>} */ ({ ...kept, numbers: kept.numbers ?? isNumbered() });
  for (const field of fields) {
    const value = chosen[field.dataset.setting ?? ""];
    if (field instanceof HTMLInputElement && isSwitch(field)) field.checked = value;
    else field.value = value;
  }
  const root = document.documentElement;
  root.dataset.motion = chosen.motion;
  if (kept.numbers !== null) root.dataset.numbers = String(kept.numbers);
  if (chosen.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = chosen.theme;
}

/** @param {Partial<import("./storage.js").Settings>} changed */
function choose(changed) {
  saveSettings(changed);
  show();
  document.dispatchEvent(new Event("settings"));
}

/** @param {Storage} storage */
const ownKeys = (storage) => Object.keys(storage).filter((key) => key.startsWith(PREFIX));

/** @returns {Record<string, string>} */
const ownData = () => Object.fromEntries(ownKeys(localStorage).map((key) => [key, localStorage.getItem(key) ?? ""]));

function exportData() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify({ kind: FILE_KIND, data: ownData() })], { type: "application/json" }));
  link.download = `${FILE_KIND}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Take over what a file holds, and show the page anew. @param {string} text @returns {boolean} whether it held any */
function importData(text) {
  const data = readable(text);
  if (!data) return false;
  for (const [key, value] of data) localStorage.setItem(key, value);
  location.reload();
  return true;
}

/** The entries of a file, if every one of them is ours. @param {string} text @returns {[string, string][] | null} */
function readable(text) {
  try {
    const { kind, data } = JSON.parse(text);
    const entries = /** @type {[string, string][]} */ (Object.entries(data));
    entries.forEach(([, value]) => JSON.parse(value));
    return kind === FILE_KIND && entries.every(([key]) => key.startsWith(PREFIX)) ? entries : null;
  } catch {
    return null;
  }
}

/** Nothing is left, nor what only this tab keeps. */
function clearData() {
  for (const storage of [localStorage, sessionStorage]) ownKeys(storage).forEach((key) => storage.removeItem(key));
  location.reload();
}

for (const field of fields) {
  field.addEventListener("change", () => {
    const value = field instanceof HTMLInputElement && isSwitch(field) ? field.checked : field.value;
    choose({ [field.dataset.setting ?? ""]: value });
  });
}

button("theme").addEventListener("click", () => choose({ theme: isDark() ? "light" : "dark" }));
button("export-data").addEventListener("click", exportData);

const clear = button("clear-data");
clear.addEventListener("click", () => {
  if (clear.dataset.sure === undefined) return clearData();
  write(clear, clear.dataset.sure);
  delete clear.dataset.sure;
  clear.scrollIntoView({ block: "nearest" }); // longer words may need a line of their own
});

find("#import-data", HTMLInputElement).addEventListener("change", async (event) => {
  const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
  const note = find("#data-note", HTMLElement);
  if (file && !importData(await file.text())) write(note, note.dataset.bad ?? "");
});

roomy.addEventListener("change", show);
show();
keepFocusInRow();
navigator.serviceWorker?.register("/sw.js").catch(() => {}); // without one the page only needs the network
