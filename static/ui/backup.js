/** All that these pages keep in the browser: into a file, out of one, and away. */
import { PREFIX } from "./storage.js";

const KIND = "classic-puzzles";

/** @param {Storage} storage */
const ownKeys = (storage) => Object.keys(storage).filter((key) => key.startsWith(PREFIX));

/** @returns {Record<string, string>} */
const ownData = () => Object.fromEntries(ownKeys(localStorage).map((key) => [key, localStorage.getItem(key) ?? ""]));

export function exportData() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify({ kind: KIND, data: ownData() })], { type: "application/json" }));
  link.download = `${KIND}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Take over what a file holds, and show the page anew. @param {string} text @returns {boolean} whether it held any */
export function importData(text) {
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
    return kind === KIND && entries.every(([key]) => key.startsWith(PREFIX)) ? entries : null;
  } catch {
    return null;
  }
}

/** Nothing is left, nor what only this tab keeps. */
export function clearData() {
  for (const storage of [localStorage, sessionStorage]) ownKeys(storage).forEach((key) => storage.removeItem(key));
  location.reload();
}
