/**
 * What else there is, on a phone: a sheet over the lower part of the screen. While it or another one is open the browser's
 * history has an entry for that, so that Back closes the sheet and leaves the game alone; what is chosen waits until that has gone.
 */
import { isOpen, positionAt } from "./game.js";
import { button, element, write } from "./page.js";

const sheet = element("#rest");
let hasEntry = false;
/** Told when the entry has gone. @type {(() => void) | null} */
let told = null;
/** The player's line, and what writes it into the entry of the history. */
let lineNow = () => /** @type {import("./game.js").Line | null} */ (null);
let enter = () => {};
/** Once nothing is left of the sheet. */
let gone = Promise.resolve();

/** The one that is open. @type {HTMLElement | null} */
let front = null;
const narrow = matchMedia("(max-width: 760px), (max-height: 480px)");

document.addEventListener("beforetoggle", (event) => {
  const { target } = event;
  if (!(event instanceof ToggleEvent && target instanceof HTMLElement) || target.popover !== "auto") return;
  const opens = event.newState === "open";
  if (target === sheet) button("more").setAttribute("aria-expanded", String(opens));
  if (opens) [front, gone] = [target, gone.then(come)];
  else if (target === front) front = null; // else another one takes its place
  if (!front && hasEntry) gone = leave();
}, { capture: true });

/** One entry, however many sheets come one after another. */
function come() {
  if (!front || hasEntry || !narrow.matches) return;
  history.pushState({ ...history.state, sheet: true }, "");
  hasEntry = true;
}

/** Back to the entry of the game, which is told what came while the sheet was open, or with the tap that closed it.
 * @returns {Promise<void>} */
function leave() {
  const [{ sheet: _, ...state }, address, line] = [history.state, location.href, lineNow()];
  hasEntry = false;
  history.back();
  return new Promise((done) => {
    told = () => (lineNow() === line ? history.replaceState(state, "", address) : enter(), done());
  });
}

addEventListener("popstate", (event) => {
  const isLeft = event.state?.sheet === true; // Forward leads to a sheet that was closed
  if (!told && !hasEntry && !isLeft) return;
  event.stopImmediatePropagation(); // the game has not moved
  hasEntry = false;
  const tell = told;
  told = null;
  if (tell) return tell(); // what has been opened since stays open
  if (isLeft) gone = new Promise((done) => ([told] = [done, history.back()]));
  front?.hidePopover();
}, { capture: true });

// A link leads on from the entry of the game: Back from there leads to it at once.
addEventListener("click", (event) => {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  const link = target instanceof Element ? target.closest("a") : null;
  if (!link || !(told || hasEntry) || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  front?.hidePopover();
  gone.then(() => link.click());
});

// The shelf is a drop-down only as long as there is no room for it; a tablet may be turned while it is open.
matchMedia("(min-width: 1024px)").addEventListener("change", () => element("#shelf").hidePopover());

/** @param {import("./session.js").Session} session @param {Record<string, () => void>} actions by the names in the page
 * @param {(line: import("./game.js").Line) => void} keep in this entry of the history */
export function offerMore(session, actions, keep) {
  lineNow = () => session.state.line;
  enter = () => keep(session.state.line);
  const choose = (/** @type {Element} */ key, /** @type {() => void} */ act) =>
    key.addEventListener("click", () => (sheet.hidePopover(), gone.then(act)));
  for (const key of sheet.querySelectorAll("[data-does]")) choose(key, actions[key.getAttribute("data-does") ?? ""]);
  for (const key of sheet.querySelectorAll("[data-opens]")) choose(key, () => element(`#${key.getAttribute("data-opens")}`).showPopover());
  if (history.state?.sheet) gone = leave(); // a page that is loaded anew has no sheet open
  const other = sheet.querySelector('[data-does="undo-other"]');
  session.subscribe(({ line, show }) => {
    if (!(other instanceof HTMLButtonElement)) return;
    other.disabled = show !== null || line.at === 0;
    write(other, (other.dataset.labels ?? "").split("|")[Number(isOpen(positionAt(line)))]);
  });
}
