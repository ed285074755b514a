/** The settings dialog of every page. Changes are stored at once and announced by a `settings` event. */
import "./sheet_history.js";
import { button, element, find, keepFocusInRow, write } from "./dom.js";
import { listenForHeldButtons } from "./held_buttons.js";
import { registerServiceWorker } from "./offline.js";
import { markPhrases } from "./phrases.js";
import { clearData, isDark, onForeignChange, saveSettings, settings, takeImported } from "./storage.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} Field a checkbox or a list */

/** @type {Field[]} */
const fields = [...document.querySelectorAll("[data-setting]")].filter(
  (field) => field instanceof HTMLInputElement || field instanceof HTMLSelectElement,
);

/** Hole numbers are shown by default, because texts speak of them, but not on numbered tiles: see `play.css`. */
const showsNumbersByDefault = () => !document.querySelector(".spot.square");

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
  root.dataset.motion = stored.calm ? "none" : stored.motion;
  root.toggleAttribute("data-calm", stored.calm);
  if (stored.numbers === null) delete root.dataset.numbers;
  else root.dataset.numbers = String(stored.numbers);
  if (chosen.theme === "auto") delete root.dataset.theme;
  else root.dataset.theme = chosen.theme;
}

/** Announce that the settings have changed, here or in another page. */
const apply = () => document.dispatchEvent(new Event("settings"));

/** Store changed settings, and apply them. @param {Partial<import("./stored_kinds.js").Settings>} changed */
export function change(changed) {
  saveSettings(changed);
  apply();
}

/** Return the module of the player's data, which few visits need. */
const ownData = () => import("./own_data.js");

/** Let a file that the player chooses be read. @param {string} field @param {(file: File) => Promise<void>} act */
function listenForFiles(field, act) {
  const chosen = find(field, HTMLInputElement);
  chosen.addEventListener("change", async () => {
    const [file] = chosen.files ?? [];
    if (file) await act(file);
    chosen.value = ""; // the same file can be chosen again
  });
}

for (const field of fields) {
  field.addEventListener("change", () => {
    const value = field instanceof HTMLInputElement ? field.checked : field.value;
    change({ [field.dataset.setting ?? ""]: value });
  });
}

button("theme").addEventListener("click", () => change({ theme: isDark() ? "light" : "dark" }));
for (const key of ["export-data", "export-before"])
  button(key).addEventListener("click", async () => (await ownData()).exportData());
listenForFiles("#import-data", async (file) => (await ownData()).importFile(file));
listenForFiles("#replace-data", async (file) => (await ownData()).replaceByFile(file));

const clearButton = button("clear-data");
clearButton.addEventListener("click", async () => {
  if (!(await ownData()).tellFault()) return;
  if (clearButton.dataset.sure === undefined) return (clearData(), location.reload());
  write(clearButton, clearButton.dataset.sure);
  delete clearButton.dataset.sure;
  clearButton.scrollIntoView({ block: "nearest" }); // longer words may need a second line
});

const imported = takeImported();
if (imported !== null) {
  element("#settings").showPopover();
  void ownData().then(({ tellImported }) => tellImported(imported));
}

document.addEventListener("settings", show);
onForeignChange("settings", apply);
show();
document.documentElement.dataset.started = ""; // see without_modules.js
keepFocusInRow();
if (document.documentElement.lang === "ja") markPhrases();
listenForHeldButtons();
registerServiceWorker();
