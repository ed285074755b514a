/** The player's progress: medals, best results and the unfinished game. */
import { find, write } from "../ui/dom.js";
import { medalOf, results, unfinished } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

/** Show a medal next to every puzzle: not tried, solved or optimal. */
export function showMedals() {
  for (const item of document.querySelectorAll("li[data-puzzle]")) {
    const mark = medalOf(results(item.getAttribute("data-puzzle") ?? ""));
    find(".mark use", SVGUseElement, item).setAttribute("href", `#s-${mark}`);
    write(find("[data-medal]", HTMLElement, item), texts.get(`medal.${mark}`));
  }
}

/** Show the best result of each problem of a puzzle. @param {string} id of the puzzle */
export function showResults(id) {
  const solved = results(id);
  for (const item of document.querySelectorAll("li[data-problem]")) {
    const result = solved[item.getAttribute("data-problem") ?? ""];
    if (!result) continue;
    const best = result.moves === result.best;
    find(".mark use", SVGUseElement, item).setAttribute("href", best ? "#s-best" : "#s-solved");
    write(
      find("[data-result]", HTMLElement, item),
      texts.get(best ? "result.best" : "result.solved", { n: result.moves, best: result.best ?? "?" }),
    );
  }
}

/** Link to the unfinished game of a puzzle, unless this page shows that game already or its address has a line.
 * @param {string} id of the puzzle */
export function offerToContinue(id) {
  const game = unfinished(id);
  if (!game || location.search.includes("line=") || game.url === `${location.pathname}${location.search}`)
    return;
  const link = find("#continue", HTMLAnchorElement);
  Object.assign(link, {
    href: game.url,
    textContent: texts.get("continue", { n: game.moves }),
    hidden: false,
  });
}
