/** The tabs of the panel: one of them open, arrows between them. On a phone what is open takes room from the board. */
import { element } from "../ui/dom.js";

const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);

/** @param {string} name the id of what it shows */
export function openTab(name) {
  element("main").classList.add("reading");
  fixStatusHeight(name === "solver");
  for (const tab of tabs) {
    const open = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(open));
    tab.tabIndex = open ? 0 : -1;
    element(`#${tab.getAttribute("aria-controls")}`).hidden = !open;
  }
}

/** What the status says may become shorter while a search runs: what lies below it holds still. @param {boolean} held */
export function fixStatusHeight(held) {
  const status = element(".status");
  status.style.removeProperty("--held");
  if (held) status.style.setProperty("--held", `${status.getBoundingClientRect().height}px`);
}

/** Lines are broken anew where the width changes, not where a bar of the browser comes or goes. */
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width && element(".status").style.getPropertyValue("--held")) fixStatusHeight(true);
  width = innerWidth;
});

/** The board has its room again. */
export const closeSheet = () => element("main").classList.remove("reading");

/** Play goes on: what a search has told needs no room any more, but one that runs is still watched. */
export function closeSheetUnlessSearching() {
  const { hidden, ariaBusy } = element("#solver");
  if (!hidden && ariaBusy !== "true") closeSheet();
}

/** A press on the tab that is open closes the sheet, or opens it again. @param {HTMLElement} tab */
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
