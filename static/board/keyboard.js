/** Keyboard control: arrow keys move the focus over the board or move pieces; letters are shortcuts, which can be
 * switched off. */
import { actionOf } from "../ui/shortcuts.js";
import { settings } from "../ui/storage.js";
import { holeRows, puzzle } from "../game/position.js";
import { namesOnAnyKeyboard } from "./key_names.js";
import { pointOf } from "./overlays.js";

const ROW_KEYS = new Set(["ArrowUp", "ArrowDown"]);

/** @type {Record<string, [number, number]>} */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Return the direction in which an arrow key moves a piece; y points down. With the setting "gap" the arrows move the gap,
 * so pieces move in the opposite direction.
 * @param {string} key @returns {[number, number]} */
export const directionOf = (key) => {
  const [x, y] = DIRECTIONS[key];
  return settings().arrows === "gap" ? [-x, -y] : [x, y];
};

/** Make the board a single tab stop, and let the arrow keys move the focus, or with Shift where they move pieces.
 * @param {import("./board.js").Board} board */
export function focusWithArrows(board) {
  const stop = (/** @type {number} */ hole) =>
    board.spots.forEach((spot, other) => (spot.tabIndex = other === hole ? 0 : -1));
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("focus", () => stop(hole));
    spot.addEventListener("keydown", (event) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (puzzle.arrowKeys && event.key in DIRECTIONS && !event.shiftKey && settings().arrows !== "walk")
      )
        return;
      const next = holeInDirection(hole, event.key);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      board.spots[next].focus();
    });
  });
}

/** Return the hole to which a key moves the focus: Left, Right, Home and End stay in the row, Up and Down lead to the
 * nearest hole of the next row, or along a board of one row. At an edge, return `hole`; for any other key, null.
 * @param {number} hole @param {string} key @returns {number | null} */
function holeInDirection(hole, key) {
  const rows = holeRows();
  const at = rows.findIndex((row) => row.includes(hole));
  const row = rows[at];
  const isUpright = rows.length === 1 && ROW_KEYS.has(key);
  const along = {
    ...(isUpright ? { ArrowUp: row.indexOf(hole) - 1, ArrowDown: row.indexOf(hole) + 1 } : {}),
    ArrowLeft: row.indexOf(hole) - 1,
    ArrowRight: row.indexOf(hole) + 1,
    Home: 0,
    End: row.length - 1,
  }[key];
  if (along !== undefined) return row[along] ?? hole;
  const next = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1] }[key] ?? (ROW_KEYS.has(key) ? [hole] : null);
  const distance = (/** @type {number} */ other) => Math.abs(pointOf(other).x - pointOf(hole).x);
  return next && next.reduce((best, other) => (distance(other) < distance(best) - 1 ? other : best));
}

/** Actions that a held key repeats, besides the arrow keys. */
const REPEATED = new Set(["undo", "redo", "Ctrl+z", "Ctrl+Shift+z", "Ctrl+y", ...Object.keys(DIRECTIONS)]);

/** Run an action when its key is pressed, unless the focused element uses the key or the key is a letter and letters are off.
 * @param {Record<string, (event: KeyboardEvent) => void>} actions by key, or by the name of an action that has a letter */
export function listenForShortcuts(actions) {
  const keyNames = namesOnAnyKeyboard();
  document.addEventListener("keydown", (event) => {
    const key = keyNames(event).find((name) => actionOf(name) in actions);
    if (!key || isUsedByTarget(event) || (key.length === 1 && !settings().letters)) return;
    event.preventDefault();
    if (!event.repeat || REPEATED.has(actionOf(key))) actions[actionOf(key)](event);
  });
}

/** Return whether a key press is left to the focused element or to the browser. @param {KeyboardEvent} event */
function isUsedByTarget({ target, key, altKey }) {
  if (altKey || !(target instanceof Element)) return true;
  if (target.matches("input, select, textarea")) return true;
  if (key === "Escape" && document.querySelector(":is(.dialog, .puzzle-list):popover-open")) return true;
  const steering = key === " " || key.startsWith("Arrow") || key === "Home" || key === "End";
  if (!steering) return false;
  if (target.matches("[role=tab], #solver, #all") || document.querySelector("#help:popover-open"))
    return true;
  return target.matches("button, a") && !(key in DIRECTIONS && target.matches(".play button, .play-area a")); // these use no arrows
}

/** Fields of the state by which something on the page may be hidden. @type {import("../game/session.js").Fields} */
const HIDING =
  // prettier-ignore
  ["line", "savedLine", "solution", "edit", "analysis", "fault", "search", "assistance", "revealedPosition"];

/** Move the focus to the board when the focused element has been hidden.
 * @param {import("../game/session.js").Session} session @param {() => void} toBoard */
export function keepFocusOnPage(session, toBoard) {
  /** @type {Element | null} */
  let last = null;
  document.addEventListener("focusin", ({ target }) => (last = target instanceof Element ? target : null));
  session.subscribe(HIDING, () => {
    const isLost =
      last?.closest("[hidden]") && [last, document.body].includes(document.activeElement ?? last);
    if (isLost) toBoard();
  });
}
