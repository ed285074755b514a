/** Marks beside the puzzles' names: not tried, solved, optimal. */
import { find, write } from "../ui/dom.js";
import { medal, results, unfinished } from "../ui/storage.js";

/** @param {import("../ui/i18n.js").Words} words */
export function showMedals(words) {
  for (const item of document.querySelectorAll("li[data-puzzle]")) {
    const mark = medal(results(item.getAttribute("data-puzzle") ?? ""));
    find(".mark use", SVGUseElement, item).setAttribute("href", `#s-${mark}`);
    write(find("[data-medal]", HTMLElement, item), words.say(`medal.${mark}`));
  }
}

/** The best result of each problem in the list of this puzzle. @param {import("../ui/i18n.js").Words} words @param {string} puzzle */
export function showResults(words, puzzle) {
  const kept = results(puzzle);
  for (const item of document.querySelectorAll("li[data-problem]")) {
    const result = kept[item.getAttribute("data-problem") ?? ""];
    if (!result) continue;
    const best = result.moves === result.best;
    find(".mark use", SVGUseElement, item).setAttribute("href", best ? "#s-best" : "#s-solved");
    write(find("[data-result]", HTMLElement, item), words.say(best ? "result.best" : "result.solved", { n: result.moves, best: result.best ?? "?" }));
  }
}

/** Link to the unfinished game of a puzzle, unless the address is the one of that game or has a line of its own.
 * @param {import("../ui/i18n.js").Words} words @param {string} puzzle */
export function offerToContinue(words, puzzle) {
  const game = unfinished(puzzle);
  if (!game || location.search.includes("line=") || game.url === `${location.pathname}${location.search}`) return;
  const link = find("#continue", HTMLAnchorElement);
  Object.assign(link, { href: game.url, textContent: words.say("continue", { n: game.moves }), hidden: false });
}
