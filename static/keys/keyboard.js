/** Keyboard control of a page with a game: letters are shortcuts, which can be switched off, and arrow keys may move pieces. */
import { element } from "../ui/dom.js";
import { actionOf } from "../ui/shortcuts.js";
import { settings } from "../ui/storage.js";
import { DIRECTIONS } from "./arrows.js";
import { namesOnAnyKeyboard } from "./key_names.js";

/** Return the direction in which an arrow key moves a piece; y points down. With the setting "gap" the arrows move the gap,
 * so pieces move in the opposite direction.
 * @param {string} key @returns {[number, number]} */
export const directionOf = (key) => {
  const [x, y] = DIRECTIONS[key];
  return settings().arrows === "gap" ? [-x, -y] : [x, y];
};

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

/** Open or close the list of keys. */
export function openHelp() {
  const help = element("#help");
  if (help.togglePopover()) help.focus();
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
