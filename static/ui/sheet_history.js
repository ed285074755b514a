/**
 * Sheets that a phone shows over the page. While one is open the browser's history has an extra entry, so that Back
 * closes the sheet and stays on the page. Navigation waits until that entry has been removed.
 */
let hasEntry = false;
/** Called when the entry has been removed. @type {(() => void) | null} */
let onEntryGone = null;
/** Content of the page's own history entry, and the function that stores it there. */
let pageContent = () => /** @type {unknown} */ (null);
let saveEntry = () => {};
/** Resolves when no sheet entry is left in the history. */
let closed = Promise.resolve();

/** The open sheet. @type {HTMLElement | null} */
let openSheet = null;
const narrow = matchMedia("(max-width: 760px), (max-height: 480px)");

document.addEventListener(
  "beforetoggle",
  (event) => {
    const { target } = event;
    if (!(event instanceof ToggleEvent && target instanceof HTMLElement) || target.popover !== "auto") return;
    if (event.newState === "open") [openSheet, closed] = [target, closed.then(pushEntry)];
    else if (target === openSheet) openSheet = null; // otherwise another sheet has replaced it
    if (!openSheet && hasEntry) closed = popEntry();
  },
  { capture: true },
);

/** Add a history entry for the open sheet on a narrow screen. Sheets opened in turn share one entry. */
function pushEntry() {
  if (!openSheet || hasEntry || !narrow.matches) return;
  history.pushState({ ...history.state, sheet: true }, "");
  hasEntry = true;
}

/** Return to the page's own entry, and store there what changed while the sheet was open. @returns {Promise<void>} */
function popEntry() {
  const [{ sheet: _, ...state }, address, before] = [history.state, location.href, pageContent()];
  hasEntry = false;
  history.back();
  return new Promise((done) => {
    onEntryGone = () => (
      pageContent() === before ? history.replaceState(state, "", address) : saveEntry(),
      done()
    );
  });
}

addEventListener(
  "popstate",
  (event) => {
    const isClosedSheet = event.state?.sheet === true; // Forward leads to a sheet that was closed
    if (!onEntryGone && !hasEntry && !isClosedSheet) return;
    event.stopImmediatePropagation(); // the game has not moved
    hasEntry = false;
    const notify = onEntryGone;
    onEntryGone = null;
    if (notify) return notify(); // a sheet that was opened since stays open
    if (isClosedSheet) closed = new Promise((done) => ([onEntryGone] = [done, history.back()]));
    openSheet?.hidePopover();
  },
  { capture: true },
);

/** Delay navigation until the sheet's entry is gone, so that Back from the next page leads to this page.
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
  if (target instanceof HTMLFormElement && target.closest("[popover]"))
    continueAfterClosing(event, () => target.requestSubmit(submitter));
});

// A reloaded page has no open sheet.
addEventListener("DOMContentLoaded", () => history.state?.sheet && (closed = popEntry()));

/** Close the sheet, and call `act` when its history entry is gone. @param {HTMLElement} sheet @param {() => void} act */
export function closeThen(sheet, act) {
  sheet.hidePopover();
  closed.then(act);
}

/** Set the content of the page's own history entry.
 * @param {() => unknown} about returns the content @param {() => void} save stores the content */
export function setPageEntry(about, save) {
  [pageContent, saveEntry] = [about, save];
}
