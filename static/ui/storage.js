/**
 * What the browser keeps: the unfinished game and the best result of each puzzle, and the settings. It is read
 * when a page opens and never again, so two open pages cannot disturb each other; results only ever get better.
 *
 * @typedef {{ url: string, moves: number, when: number, line?: unknown }} Unfinished
 * @typedef {{ moves: number, best: number | null }} Result
 * @typedef {{ moves: number | null, count: number | null, nodes: number[], seconds: number }} Outcome
 * @typedef {{ outcome: Outcome, engine: string, when: number }} PublishedRun a published result run again
 * @typedef {{ theme: "auto" | "light" | "dark", letters: boolean, numbers: boolean | null, arrows: "walk" | "tile" | "gap",
 *   assistance: "off" | "verdict" | "marks", sounds: boolean, motion: "auto" | "none",
 *   large: boolean, atOnce: boolean, movable: boolean, keys: Record<string, string> }} Settings `numbers`: null is as the
 *   page has them, see `play.css`; `atOnce`: a peg with a single jump makes it
 *   when it is pressed; `movable`: pieces that can move are marked; `keys`: letters of the player's own, by what they do
 */

export const PREFIX = "puzzles/";

/** @type {Settings} */
const DEFAULTS = {
  theme: "auto", letters: true, numbers: null, arrows: "walk", assistance: "verdict", sounds: false, motion: "auto", large: false,
  atOnce: false, movable: false, keys: {},
};

/** @param {string} key @returns {any} null where nothing readable is kept */
function read(key) {
  try {
    return JSON.parse(localStorage.getItem(PREFIX + key) ?? "null");
  } catch {
    return null;
  }
}

/** A full or forbidden storage loses the record, never the game. @param {string} key @param {unknown} value */
function write(key, value) {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // nothing depends on it
  }
}

/** @returns {Settings} */
export const settings = () => ({ ...DEFAULTS, ...read("settings") });

/** What was never chosen is not kept: it may be meant otherwise on another screen. @param {Partial<Settings>} changed */
export const saveSettings = (changed) => write("settings", { ...read("settings"), ...changed });

/** Whether the page is dark now. */
export function isDark() {
  const { theme } = settings();
  return theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

/** Whether nothing is kept at all: a first visit. */
export function isFirstVisit() {
  try {
    return !Object.keys(localStorage).some((key) => key.startsWith(PREFIX));
  } catch {
    return false;
  }
}

export const saveVisit = () => isFirstVisit() && write("visited", true);

/** @param {string} puzzle @returns {Unfinished | null} */
export const unfinished = (puzzle) => read(`game/${puzzle}`);

/** @param {string} puzzle @param {Unfinished | null} game */
export const saveUnfinished = (puzzle, game) => write(`game/${puzzle}`, game);

/** The address of the game that was on this tab, for pages about its position; '' if there is none. */
export function savedGameAddress() {
  try {
    return sessionStorage.getItem(`${PREFIX}here`) ?? "";
  } catch {
    return "";
  }
}

/** @param {string} address */
export function saveGameAddress(address) {
  try {
    sessionStorage.setItem(`${PREFIX}here`, address);
  } catch {} // then a way back begins at the position
}

/** Return the stored bounds of positions, or an empty record. @param {string} about puzzle and goal @returns {any} */
export function storedBounds(about) {
  try {
    return JSON.parse(sessionStorage.getItem(`${PREFIX}known/${about}`) ?? "{}");
  } catch {
    return {};
  }
}

/** Store bounds of positions for as long as the tab is open. @param {string} about puzzle and goal @param {unknown} bounds */
export function saveBounds(about, bounds) {
  try {
    sessionStorage.setItem(`${PREFIX}known/${about}`, JSON.stringify(bounds));
  } catch {} // a full storage only loses what can be computed again
}

/** Results by `start|goal`. @param {string} puzzle @returns {Record<string, Result>} */
export const results = (puzzle) => read(`results/${puzzle}`) ?? {};

/** @param {string} puzzle @param {string} start @param {string} goal @param {Result} result */
export function saveResult(puzzle, start, goal, result) {
  const kept = results(puzzle);
  const key = `${start}|${goal}`;
  if (!kept[key] || result.moves < kept[key].moves) write(`results/${puzzle}`, { ...kept, [key]: result });
}

/** The search method that was chosen last. @param {string} puzzle @returns {string | null} */
export const chosenMethod = (puzzle) => read(`method/${puzzle}`);

/** @param {string} puzzle @param {string} name */
export const saveMethod = (puzzle, name) => write(`method/${puzzle}`, name);

/** The published results that were run again. @returns {Record<string, PublishedRun>} */
export const publishedRuns = () => read("classics") ?? {};

/** @param {string} name @param {PublishedRun} kept */
export const savePublishedRun = (name, kept) => write("classics", { ...publishedRuns(), [name]: kept });

/** @param {Record<string, Result>} kept @returns {"new" | "solved" | "best"} */
export function medalOf(kept) {
  const all = Object.values(kept);
  if (!all.length) return "new";
  return all.some((result) => result.moves === result.best) ? "best" : "solved";
}
