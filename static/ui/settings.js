/** The settings dialog of every page. Changes are stored at once and announced by a `settings` event. */
import "./sheet_history.js";
import { button, element, find, keepFocusInRow, saveFile, write } from "./dom.js";
import { listenForHeldButtons } from "./held_buttons.js";
import { registerServiceWorker } from "./offline.js";
import {
  allData,
  clearData,
  importData,
  isDark,
  onForeignChange,
  PREFIX,
  saveImported,
  saveSettings,
  settings,
  storageFault,
  takeImported,
} from "./storage.js";
import { isWellFormed } from "./stored_forms.js";

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
  const chosen = /** @type {Record<string, any>} */ ({
    ...stored,
    numbers: stored.numbers ?? showsNumbersByDefault(),
  });
  for (const field of fields) {
    const value = chosen[field.dataset.setting ?? ""];
    if (field instanceof HTMLInputElement) field.checked = value;
    else field.value = value;
  }
  const root = document.documentElement;
  root.dataset.motion = chosen.motion;
  if (stored.numbers === null) delete root.dataset.numbers;
  else root.dataset.numbers = String(stored.numbers);
  if (chosen.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = chosen.theme;
}

/** Apply the settings, and announce that they have changed, here or in another page. */
function apply() {
  show();
  document.dispatchEvent(new Event("settings"));
}

/** Store changed settings, and apply them. @param {Partial<import("./storage.js").Settings>} changed */
export function change(changed) {
  saveSettings(changed);
  apply();
}

/** Show a sentence about the player's data, one of the `data-` attributes of the note. @param {string} name
 * @param {string | number} [value] what replaces its sign # */
function tell(name, value = "") {
  const note = element("#data-note");
  write(
    note,
    (note.dataset[name] ?? "").replace("#", () => String(value)),
  );
}

/** Say why the browser keeps nothing, if so. Return whether it can keep data at all. */
function tellFault() {
  const fault = storageFault();
  if (fault) tell(fault);
  return fault !== "refused";
}

function exportData() {
  if (tellFault())
    saveFile(`${FILE_KIND}.json`, "application/json", JSON.stringify({ kind: FILE_KIND, data: allData() }));
}

/** Return the entries of a file, or null unless it is a file of this site with at least one.
 * @param {string} text @returns {[string, string][] | null} */
function parseData(text) {
  try {
    const { kind, data } = JSON.parse(text);
    const entries = /** @type {[string, string][]} */ (Object.entries(data));
    return kind === FILE_KIND && entries.length && entries.every(([key]) => key.startsWith(PREFIX))
      ? entries
      : null;
  } catch {
    return null;
  }
}

/** @param {[string, string]} entry */
function isRight([key, text]) {
  try {
    return typeof text === "string" && isWellFormed(key.slice(PREFIX.length), JSON.parse(text));
  } catch {
    return false;
  }
}

/** Import a file, or nothing of it and say why. @param {File} file */
async function importFile(file) {
  const entries = parseData(await file.text());
  const wrong = entries?.find((entry) => !isRight(entry));
  if (!entries) return tell("bad");
  if (wrong) return tell("wrong", wrong[0]);
  if (!importData(entries)) return tell(storageFault() === "refused" ? "refused" : "small");
  if (saveImported(entries.length)) return location.reload();
  apply(); // a page without storage of its tab would say nothing after a reload
  tell("done", entries.length);
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
  if (!tellFault()) return;
  if (clearButton.dataset.sure === undefined) return (clearData(), location.reload());
  write(clearButton, clearButton.dataset.sure);
  delete clearButton.dataset.sure;
  clearButton.scrollIntoView({ block: "nearest" }); // longer words may need a second line
});

const fileField = find("#import-data", HTMLInputElement);
fileField.addEventListener("change", async () => {
  const [file] = fileField.files ?? [];
  if (file) await importFile(file);
  fileField.value = ""; // the same file can be chosen again
});

const imported = takeImported();
if (imported !== null) {
  element("#settings").showPopover();
  tell("done", imported);
}

onForeignChange("settings", apply);
wideScreen.addEventListener("change", show);
show();
keepFocusInRow();
listenForHeldButtons();
registerServiceWorker();
