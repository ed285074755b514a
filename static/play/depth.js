/**
 * The two depths of the game page. Play shows the board and few keys, Study the solver, too. The choice is remembered;
 * `ui/theme.js` applies it before the first paint.
 *
 * @typedef {"play" | "study"} Depth
 */
import { saveSettings } from "../ui/storage.js";
import { openTab } from "./tabs.js";

const root = document.documentElement;
const choices = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('input[name="depth"]')]);

/** Return the depth of the page. @returns {Depth} */
export const depth = () => (root.dataset.depth === "study" ? "study" : "play");

/** Let the switch in the header choose the depth. */
export function offerDepths() {
  for (const choice of choices)
    choice.addEventListener("change", () => choose(choice.value === "study" ? "study" : "play"));
  show();
}

/** Show the page in another depth, and remember it. @param {Depth} chosen */
function choose(chosen) {
  saveSettings({ depth: chosen });
  root.dataset.depth = chosen;
  show();
  document.dispatchEvent(new Event("settings")); // Study shows the verdict
}

/** Show the solver for this visit. */
export function openStudy() {
  if (depth() === "study") return;
  root.dataset.depth = "study";
  show();
  document.dispatchEvent(new Event("settings"));
}

/** Check the choice, and open the tab that this depth shows first. */
function show() {
  for (const choice of choices) choice.checked = choice.value === depth();
  openTab(depth() === "study" ? "solver" : "moves", false);
}
