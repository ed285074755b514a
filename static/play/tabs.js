/** The tabs of the panel. Arrow keys move between them. On a phone the panel is a sheet that takes room from the board. */
import { element } from "../ui/dom.js";

const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);

/** Open a tab. @param {string} name id of its panel @param {boolean} [opensSheet] whether the sheet of a phone opens, too */
export function openTab(name, opensSheet = true) {
  element("main").classList.toggle("reading", opensSheet);
  fixStatusHeight(name === "solver" && opensSheet);
  for (const tab of tabs) {
    const open = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(open));
    tab.tabIndex = open ? 0 : -1;
    element(`#${tab.getAttribute("aria-controls")}`).hidden = !open;
  }
}

/** Set or remove a least height of the status line, so that shorter texts of a search do not move the parts below.
 * @param {boolean} isFixed */
export function fixStatusHeight(isFixed) {
  const status = element(".status");
  status.style.removeProperty("--held");
  if (isFixed) status.style.setProperty("--held", `${status.getBoundingClientRect().height}px`);
}

/** Last width of the window. Text wraps anew only if the width changes; the bars of the browser change only the height. */
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width && element(".status").style.getPropertyValue("--held")) fixStatusHeight(true);
  width = innerWidth;
});

/** Close the sheet, so that the board has its room again. */
export const closeSheet = () => element("main").classList.remove("reading");

/** Close the sheet if it shows the search panel and no search is running. */
export function closeIdleSearchSheet() {
  const { hidden, ariaBusy } = element("#solver");
  if (!hidden && ariaBusy !== "true") closeSheet();
}

/** Open a tab; if it is visible already, close the sheet. @param {HTMLElement} tab */
function press(tab) {
  const again = tab.getAttribute("aria-selected") === "true" && element("main").classList.contains("reading");
  openTab(tab.getAttribute("aria-controls") ?? "");
  if (again) closeSheet();
}

tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => press(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step) % tabs.length];
    next.focus();
    next.click();
  });
});
