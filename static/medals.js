/** Marks beside the puzzles' names: not tried, solved, optimal. */
import { find, write } from "./page.js";
import { medal, results } from "./store.js";

/** @param {import("./words.js").Words} words */
export function showMedals(words) {
  for (const item of document.querySelectorAll("li[data-puzzle]")) {
    const mark = medal(results(item.getAttribute("data-puzzle") ?? ""));
    find(".mark use", SVGUseElement, item).setAttribute("href", `#s-${mark}`);
    write(find("[data-medal]", HTMLElement, item), words.say(`medal.${mark}`));
  }
}
