/**
 * Sheets that a phone shows over the page: while one is open the browser's history has an entry for that, so that Back
 * closes it and leaves the page alone; what leads on waits until that entry has gone.
 */
let hasEntry = false;
/** AtlasBounds when the entry has gone. @type {(() => void) | null} */
let onEntryGone = null;
/** What the entry of the page is about, and what writes that into it. */
let pageContent = () => /** @type {unknown} */ (null);
let saveEntry = () => {};
/** Once nothing is left of a sheet. */
let closed = Promise.resolve();

/** The one that is open. @type {HTMLElement | null} */
let openSheet = null;
const narrow = matchMedia("(max-width: 760px), (max-height: 480px)");

document.addEventListener("beforetoggle", (event) => {
  const { target } = event;
  if (!(event instanceof ToggleEvent && target instanceof HTMLElement) || target.popover !== "auto") return;
  if (event.newState === "open") [openSheet, closed] = [target, closed.then(pushEntry)];
  else if (target === openSheet) openSheet = null; // else another one takes its place
  if (!openSheet && hasEntry) closed = popEntry();
}, { capture: true });

/** One entry, however many sheets come one after another. */
function pushEntry() {
  if (!openSheet || hasEntry || !narrow.matches) return;
  history.pushState({ ...history.state, sheet: true }, "");
  hasEntry = true;
}

/** Back to the entry of the page, which is told what came while the sheet was open, or with the tap that closed it.
 * @returns {Promise<void>} */
function popEntry() {
  const [{ sheet: _, ...state }, address, before] = [history.state, location.href, pageContent()];
  hasEntry = false;
  history.back();
  return new Promise((done) => {
    onEntryGone = () => (pageContent() === before ? history.replaceState(state, "", address) : saveEntry(), done());
  });
}

addEventListener("popstate", (event) => {
  const isLeft = event.state?.sheet === true; // Forward leads to a sheet that was closed
  if (!onEntryGone && !hasEntry && !isLeft) return;
  event.stopImmediatePropagation(); // the game has not moved
  hasEntry = false;
  const tell = onEntryGone;
  onEntryGone = null;
  if (tell) return tell(); // what has been opened since stays open
  if (isLeft) closed = new Promise((done) => ([onEntryGone] = [done, history.back()]));
  openSheet?.hidePopover();
}, { capture: true });

/** What leads to another page does so from the entry of this one: Back from there leads to it at once, and Forward there again.
 * @param {Event} event @param {() => void} again */
function continueAfterClosing(event, again) {
  if (!onEntryGone && !hasEntry) return;
  event.preventDefault();
  openSheet?.hidePopover();
  closed.then(again);
}

addEventListener("click", (event) => {
  const { target, ctrlKey, metaKey, shiftKey } = event;
  const link = target instanceof Element ? target.closest("a") : null;
  if (link && !ctrlKey && !metaKey && !shiftKey) continueAfterClosing(event, () => link.click());
});
addEventListener("submit", (event) => {
  const { target, submitter } = event;
  if (target instanceof HTMLFormElement && target.closest("[popover]")) continueAfterClosing(event, () => target.requestSubmit(submitter));
});

// A page that is loaded anew has no sheet open.
addEventListener("DOMContentLoaded", () => history.state?.sheet && (closed = popEntry()));

/** Close the sheet, and act once nothing is left of it. @param {HTMLElement} sheet @param {() => void} act */
export function closeThen(sheet, act) {
  sheet.hidePopover();
  closed.then(act);
}

/** What a page does of its own in an entry of the history. @param {() => unknown} about @param {() => void} keep */
export function setPageEntry(about, keep) {
  [pageContent, saveEntry] = [about, keep];
}
