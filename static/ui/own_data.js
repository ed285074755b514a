/** Export, import and replacement of the player's data, as the settings dialog offers them. */
import { localDay } from "../days/dates.js";
import { element, saveFile, write } from "./dom.js";
import { whatCame } from "./imported.js";
import * as store from "./storage.js";
import { isWellFormed } from "./stored_kinds.js";
import { streakOf } from "../days/streak.js";

/** Kind and name of an exported file. */
const FILE_KIND = "classic-puzzles";

/** Show a sentence about the player's data, one of the `data-` attributes of the note. @param {string} name
 * @param {string} [value] what replaces its sign # */
function tell(name, value = "") {
  const note = element("#data-note");
  write(
    note,
    (note.dataset[name] ?? "").replace("#", () => value),
  );
}

/** Say why the browser keeps nothing, if so. Return whether it can keep data at all. */
export function tellFault() {
  const fault = store.storageFault();
  if (fault) tell(fault);
  return fault !== "refused";
}

export function exportData() {
  const text = JSON.stringify({ kind: FILE_KIND, data: store.allData() });
  if (tellFault()) saveFile(`${FILE_KIND}.json`, "application/json", text);
}

/** Return the entries of a file, or null unless it is a file of this site with at least one.
 * @param {string} text @returns {[string, string][] | null} */
function parseData(text) {
  try {
    const { kind, data } = JSON.parse(text);
    const entries = /** @type {[string, string][]} */ (Object.entries(data));
    return kind === FILE_KIND && entries.length && entries.every(([key]) => key.startsWith(store.PREFIX))
      ? entries
      : null;
  } catch {
    return null;
  }
}

/** @param {[string, string]} entry */
function isRight([key, text]) {
  try {
    return typeof text === "string" && isWellFormed(key.slice(store.PREFIX.length), JSON.parse(text));
  } catch {
    return false;
  }
}

/** Return the entries of a file, or null and say why. @param {File} file */
async function entriesOf(file) {
  const entries = parseData(await file.text());
  const wrong = entries?.find((entry) => !isRight(entry));
  if (!entries) tell("bad");
  else if (wrong) tell("wrong", wrong[0]);
  return wrong ? null : entries;
}

/** Merge a file with what is here, or nothing of it and say why. @param {File} file */
export async function importFile(file) {
  const entries = await entriesOf(file);
  if (entries) change(() => store.mergeData(entries));
}

/** Offer what is here as a file, and put a file in its place once the player is sure. @param {File} file */
export async function replaceByFile(file) {
  const entries = await entriesOf(file);
  const sure = element("#replace-sure");
  sure.hidden = !entries;
  if (!entries) return;
  tell("before");
  element("#replace-now").onclick = () => ((sure.hidden = true), change(() => store.replaceData(entries)));
  sure.scrollIntoView({ block: "nearest" });
}

/** Change the stored data, and say what came, after a reload; or say why nothing did. @param {() => boolean} act */
function change(act) {
  const before = store.allData();
  if (!act()) return tell(store.storageFault() === "refused" ? "refused" : "small");
  const came = {
    ...whatCame(before, store.allData()),
    streak: streakOf(store.cardResults(), localDay()).days,
  };
  if (store.saveImported(came)) return location.reload();
  document.dispatchEvent(new Event("settings")); // a page without storage of its tab would say nothing after a reload
  tellImported(came);
}

/** Say what an import has brought. @param {import("./stored_kinds.js").Imported} came */
export function tellImported({ streak, ...counts }) {
  const { lang } = document.documentElement;
  const words = JSON.parse(element("#data-note").dataset.words ?? "{}");
  const rules = new Intl.PluralRules(lang);
  const counted = (/** @type {string} */ name, /** @type {number} */ n) =>
    (words[`data.${name}`][rules.select(n)] ?? words[`data.${name}`].other).replace("{n}", String(n));
  const list = Object.entries(counts).flatMap(([name, n]) => (n ? [counted(name, n)] : []));
  const what = list.length ? list.join(words.comma) : words["data.nothing"];
  const text = words["data.came"].replace("{list}", what).replace("{streak}", counted("streak", streak));
  write(element("#data-note"), text);
}
