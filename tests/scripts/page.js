/**
 * What modules without a view use of a page: its data, its address and history, and the storage of the browser. A test
 * that imports such a module imports this one first. The puzzle is a row of five holes.
 */
import { readFileSync } from "node:fs";

const CATALOGUE = new URL("../../server/hoppers/web/catalogue/en.json", import.meta.url);

/** The data that the server sends with a page. */
const data = {
  language: "en",
  words: JSON.parse(readFileSync(CATALOGUE, "utf8")),
  puzzle: {
    id: "row",
    multiStepMoves: true,
    arrowKeys: false,
    alphabet: ".o",
    objective: "",
    start: "oo.oo",
    goal: "..o..",
    points: [0, 1, 2, 3, 4].map((column) => [column * 100, 0]),
    glyphs: { o: "peg" },
    unique: "",
    jumps: [0, 1, 2].flatMap((hole) => [
      [hole, hole + 1, hole + 2],
      [hole + 2, hole + 1, hole],
    ]),
  },
  goal: "..o..",
  address: "/puzzles/row",
};

/** Element with the data of the page. */
class HTMLScriptElement {
  text = JSON.stringify(data);
}

/** A storage of the browser, or of a tab. */
class Storage {
  /** @type {Record<string, string>} */
  #values = {};

  /** @param {string} key */
  getItem = (key) => this.#values[key] ?? null;
  /** @param {string} key @param {string} value */
  setItem = (key, value) => void (this.#values[key] = value);
  /** @param {string} key */
  removeItem = (key) => void delete this.#values[key];
  clear = () => void (this.#values = {});
}

/** @type {Record<string, (event: unknown) => void>} */
const listeners = {};

/** Act as a page whose storage another tab has changed. @param {string} key */
export const changeFromOtherTab = (key) => listeners.storage({ key });

const page = {
  HTMLScriptElement,
  document: {
    querySelector: (/** @type {string} */ selector) =>
      selector === "#data" ? new HTMLScriptElement() : null,
    querySelectorAll: () => [],
    documentElement: { lang: "en", dataset: { motion: "none" } },
  },
  location: { pathname: "/puzzles/row", search: "" },
  history: { state: null },
  localStorage: new Storage(),
  sessionStorage: new Storage(),
  addEventListener: (/** @type {string} */ type, /** @type {(event: unknown) => void} */ act) =>
    (listeners[type] = act),
};
for (const [name, value] of Object.entries({ ...page, window: page })) {
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}
