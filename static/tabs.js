/** The tabs of the panel: one of them open, arrows between them. */
import { element } from "./page.js";

const tabs = /** @type {HTMLElement[]} */ ([...document.querySelectorAll('[role="tab"]')]);

/** @param {string} name the id of what it shows */
export function openTab(name) {
  for (const tab of tabs) {
    const open = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", String(open));
    tab.tabIndex = open ? 0 : -1;
    element(`#${tab.getAttribute("aria-controls")}`).hidden = !open;
  }
}

tabs.forEach((tab, index) => {
  tab.addEventListener("click", () => openTab(tab.getAttribute("aria-controls") ?? ""));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step) % tabs.length];
    next.focus();
    next.click();
  });
});
