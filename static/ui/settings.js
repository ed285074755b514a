/** The settings dialog of every page. Changes are stored at once and announced by a `settings` event. */
import "./sheet_history.js";
import { button, find, keepFocusInRow, saveFile, write } from "./dom.js";
import { isDark, PREFIX, saveSettings, settings } from "./storage.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} Field a checkbox or a list */

/** @type {Field[]} */
const fields = [...document.querySelectorAll("[data-setting]")].filter(
  (field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
);

/** Kind and name of an exported file. */
const FILE_KIND = "classic-puzzles";

/** Hole numbers are shown by default on wide screens, but not on numbered tiles: see `play.css`. */
const wideScreen = matchMedia("(min-width: 1024px)");
const showsNumbersByDefault = () => wideScreen.matches && !document.querySelector(".spot.square");

/** Apply the settings to the dialog and the page. */
function show() {
  const stored = settings();
  const chosen = /** @type {Record<string, any>} */ ({ ...stored, numbers: stored.numbers ?? showsNumbersByDefault() });
  for (const field of fields) {
    const value = chosen[field.dataset.setting ?? ""];
    if (field instanceof HTMLInputElement) field.checked = value;
    else field.value = value;
  }
  const root = document.documentElement;
  root.dataset.motion = chosen.motion;
  if (stored.numbers !== null) root.dataset.numbers = String(stored.numbers);
  if (chosen.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = chosen.theme;
}

/** @param {Partial<import("./storage.js").Settings>} changed */
function change(changed) {
  saveSettings(changed);
  show();
  document.dispatchEvent(new Event("settings"));
}

/** @param {Storage} storage */
const ownKeys = (storage) => Object.keys(storage).filter((key) => key.startsWith(PREFIX));

function exportData() {
  const data = Object.fromEntries(ownKeys(localStorage).map((key) => [key, localStorage.getItem(key)]));
  saveFile(`${FILE_KIND}.json`, "application/json", JSON.stringify({ kind: FILE_KIND, data }));
}

/** Return the entries of a file, or null unless all of them belong to this site.
 * @param {string} text @returns {[string, string][] | null} */
function parseData(text) {
  try {
    const { kind, data } = JSON.parse(text);
    const entries = /** @type {[string, string][]} */ (Object.entries(data));
    entries.forEach(([, value]) => JSON.parse(value));
    return kind === FILE_KIND && entries.every(([key]) => key.startsWith(PREFIX)) ? entries : null;
  } catch {
    return null;
  }
}

/** Delete all data of this site, including the data of the tab. */
function clearData() {
  for (const storage of [localStorage, sessionStorage]) ownKeys(storage).forEach((key) => storage.removeItem(key));
  location.reload();
}

for (const field of fields) {
  field.addEventListener("change", () => {
    const value = field instanceof HTMLInputElement ? field.checked : field.value;
    change({ [field.dataset.setting ?? ""]: value });
  });
}

button("theme").addEventListener("click", () => change({ theme: isDark() ? "light" : "dark" }));
button("export-data").addEventListener("click", exportData);

const clearButton = button("clear-data");
clearButton.addEventListener("click", () => {
  if (clearButton.dataset.sure === undefined) return clearData();
  write(clearButton, clearButton.dataset.sure);
  delete clearButton.dataset.sure;
  clearButton.scrollIntoView({ block: "nearest" }); // longer words may need a second line
});

find("#import-data", HTMLInputElement).addEventListener("change", async (event) => {
  const [file] = /** @type {HTMLInputElement} */ (event.target).files ?? [];
  const note = find("#data-note", HTMLElement);
  const entries = file && parseData(await file.text());
  if (file && !entries) write(note, note.dataset.bad ?? "");
  if (!entries) return;
  for (const [key, value] of entries) localStorage.setItem(key, value);
  location.reload();
});

wideScreen.addEventListener("change", show);
show();
keepFocusInRow();
// The service worker fetches all files, so it is registered after this page has loaded. The page works without it.
addEventListener("load", () => navigator.serviceWorker?.register("/sw.js").catch(() => {}));
