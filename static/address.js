/**
 * The address of the page says what is on the board and how it came; the browser's history keeps the whole
 * line, also what could be redone.
 *
 * @typedef {import("./game.js").Line} Line
 */
import { lineText, positionAt } from "./game.js";

/** Longer addresses are refused by servers on the way. */
const LONGEST = 1500;

/** @param {Line} line @param {string} goal @param {string} usual the puzzle's own start */
export function addressOf(line, goal, usual) {
  const { position } = positionAt(line);
  const parts = [`position=${position}`, `goal=${goal}`];
  const text = lineText(line);
  if (text && text.length < LONGEST) parts.push(`line=${text}`);
  if (text && line.start.position !== usual) parts.push(`start=${line.start.position}`);
  return `?${parts.join("&")}`;
}

/** @param {Line} line @param {string} address @param {boolean} asNew whether Back shall lead here */
export function remember(line, address, asNew) {
  if (asNew) history.pushState({ line }, "", address);
  else history.replaceState({ line }, "", address);
  for (const link of document.querySelectorAll("a[data-language]")) {
    if (link instanceof HTMLAnchorElement) link.search = `${address}&lang=${link.lang}`;
  }
}

/** The line that the browser kept for this entry of its history. @param {unknown} state @returns {Line | null} */
export function remembered(state) {
  const line = /** @type {{ line?: Line } | null} */ (state)?.line;
  return line && Array.isArray(line.steps) ? line : null;
}
