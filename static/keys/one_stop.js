/** A table of links as a single tab stop: arrow keys move the focus from link to link. */
import { DIRECTIONS, nearest } from "./arrows.js";

/** @param {HTMLElement} table */
export function makeOneStop(table) {
  const links = () => [...table.querySelectorAll("a")];
  const stop = (/** @type {Element | undefined} */ chosen) =>
    links().forEach((link) => (link.tabIndex = link === chosen ? 0 : -1));
  stop(links().find((link) => link.ariaCurrent) ?? links()[0]);
  table.addEventListener("focusin", ({ target }) => target instanceof HTMLAnchorElement && stop(target));
  table.addEventListener("keydown", (event) => {
    const { target, key, ctrlKey, altKey, metaKey } = event;
    if (ctrlKey || altKey || metaKey || !(target instanceof HTMLAnchorElement)) return;
    const all = links();
    const next =
      { Home: 0, End: all.length - 1 }[key] ?? (key in DIRECTIONS ? inDirection(all, target, key) : null);
    if (next === null) return;
    event.preventDefault();
    all[next]?.focus();
  });
}

/** Return the index of the nearest link in the direction of an arrow key, or undefined at an edge.
 * @param {readonly HTMLAnchorElement[]} links @param {HTMLAnchorElement} from @param {string} key */
function inDirection(links, from, key) {
  const middles = links.map((link) => {
    const { x, y, width, height } = link.getBoundingClientRect();
    return /** @type {[number, number]} */ ([x + width / 2, y + height / 2]);
  });
  return nearest(middles, links.indexOf(from), DIRECTIONS[key]) ?? -1;
}
