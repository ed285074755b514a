/** The share dialog: the position on the board as link, picture, text, data, and as a board for other pages. */
import { cellsOf } from "../game/position.js";
import { positionAt } from "../game/line.js";
import { element, find, write } from "../ui/dom.js";

/** Connect the share dialog with a session.
 * @param {import("../game/session.js").Session} session @param {import("../ui/i18n.js").Texts} texts
 * @param {{ id: string, points: [number, number][] }} puzzle @param {string} goal */
export function offerSharing(session, texts, puzzle, goal) {
  const here = () => positionAt(session.shown).position;
  const place = `/puzzles/${puzzle.id}`;
  const query = () => new URLSearchParams({ position: here(), goal });
  const height = document.querySelector(".strip") ? 360 : 600;
  /** @type {Record<string, () => string>} */
  const copies = {
    link: () => location.href,
    text: () => diagram(cellsOf(here()), puzzle.points),
    embed: () => `<iframe src="${location.origin}${place}?${query()}&embed=1" width="480" height="${height}" style="max-width: 100%; border: 0" title="${document.title}"></iframe>`,
  };
  /** @type {Record<string, () => string>} */
  const addresses = {
    svg: () => `${place}/board.svg?${query()}`,
    png: () => `${place}/board.png?${query()}&size=1024`,
    json: () => `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(here())}?${new URLSearchParams({ goal })}`,
  };
  for (const key of document.querySelectorAll("[data-copy]")) {
    const kind = key.getAttribute("data-copy") ?? "link";
    key.addEventListener("click", () => showOutcome(key, kind in copies ? copy(kind, copies[kind]()) : copyPicture(addresses.png()), texts));
  }
  offerSending(element("#send"));
  session.subscribe(() => {
    for (const [kind, address] of Object.entries(addresses)) {
      document.querySelectorAll(`[data-share="${kind}"]`).forEach((link) => link.setAttribute("href", address()));
    }
  });
  element("#share").addEventListener("toggle", () => (find("#embed", HTMLTextAreaElement).value = copies.embed()));
}

/** Labels of the buttons when nothing was just copied. @type {WeakMap<Element, string>} */
const labels = new WeakMap();

/** Show the outcome on the button, and the details in the note next to it.
 * @param {Element} key @param {Promise<string>} outcome @param {import("../ui/i18n.js").Texts} texts */
async function showOutcome(key, outcome, texts) {
  if (!labels.has(key)) labels.set(key, key.textContent ?? "");
  const note = find(".copy-note", HTMLElement, key.closest(".share, .dialog") ?? document);
  if (key instanceof HTMLElement) key.style.minWidth = `${key.offsetWidth}px`; // "Copied" is shorter: keep the width, so that nothing moves
  write(note, "");
  write(key, texts.get("copied.wait"));
  const result = await outcome;
  const done = result.startsWith("copied.");
  write(key, texts.get(done ? "copied" : "copied.not"));
  write(note, texts.get(result));
  setTimeout(() => write(key, labels.get(key) ?? ""), 2000);
}

/** @param {string} kind @param {string} text */
async function copy(kind, text) {
  const done = await navigator.clipboard?.writeText(text).then(() => true, () => false);
  return done || copyWithCommand(text) ? `copied.${kind}` : "refused.text";
}

/** Copy a picture of the board to the clipboard. @param {string} address */
async function copyPicture(address) {
  if (!("ClipboardItem" in window)) return "refused.unable";
  const picture = fetch(address).then((answer) => (answer.ok ? answer.blob() : Promise.reject(new Error(answer.statusText))));
  const isThere = picture.then(() => true, () => false);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture })]);
    return "copied.picture";
  } catch {
    return (await isThere) ? "refused.picture" : "refused.unreachable";
  }
}

/** Offer the share function of the device, if it has one. @param {HTMLElement} key */
function offerSending(key) {
  key.hidden = !navigator.share;
  key.addEventListener("click", () => navigator.share({ title: document.title, url: location.href }).catch(() => {}));
}

/** Copy with the old command: pages without HTTPS may not use the clipboard. @param {string} text */
function copyWithCommand(text) {
  const field = document.createElement("textarea");
  const focused = document.activeElement;
  field.value = text;
  field.className = "hush";
  (document.querySelector(":popover-open") ?? document.body).append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return done;
}

/** Return the cells as lines of text, each at its place on the board.
 * @param {string} cells @param {[number, number][]} points */
export function diagram(cells, points) {
  const unit = Math.min(...points.flatMap(([x], a) => points.slice(a + 1).map((other) => Math.abs(x - other[0])).filter((gap) => gap > 1)));
  const left = Math.min(...points.map(([x]) => x));
  /** @type {Map<number, string>} */
  const rows = new Map();
  points.forEach(([x, y], hole) => {
    const row = Math.round(y);
    const column = Math.round((x - left) / unit) * (unit < 90 ? 1 : 2);
    rows.set(row, (rows.get(row) ?? "").padEnd(column) + cells[hole]);
  });
  return [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]) => row).join("\n");
}
