/** A sheet to print: opening or printing its solutions counts as help for its problems. */
import "../ui/settings.js";
import { countHelpOfPage } from "../game/help_of_page.js";
import { find } from "../ui/dom.js";

const solutions = find(".answers", HTMLDetailsElement);
solutions.addEventListener("toggle", countIfOpen);
addEventListener("beforeprint", () => (solutions.open = true));
countIfOpen();

function countIfOpen() {
  if (!solutions.open) return;
  for (const item of document.querySelectorAll("li[data-problem-of]")) {
    const { problemOf = "", position = "", goal = "" } = /** @type {HTMLElement} */ (item).dataset;
    countHelpOfPage(problemOf, position, goal);
  }
}
