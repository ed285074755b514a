/** A sheet to print: opening or printing its solutions counts as help for its problems. */
import "../ui/settings.js";
import { countShownWay } from "../game/shown_way.js";
import { find } from "../ui/dom.js";

const solutions = find(".answers", HTMLDetailsElement);
solutions.addEventListener("toggle", countIfOpen);
addEventListener("beforeprint", () => (solutions.open = true));
countIfOpen();

function countIfOpen() {
  if (!solutions.open) return;
  for (const item of document.querySelectorAll("li[data-problem-of]")) {
    const { problemOf = "", position = "", goal = "" } = /** @type {HTMLElement} */ (item).dataset;
    countShownWay(problemOf, position, goal);
  }
}
