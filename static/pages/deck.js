/** The page of a deck: adds the player's results to the cards. */
import "../ui/settings.js";
import { find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { results } from "../ui/storage.js";

for (const card of document.querySelectorAll("li[data-problem]")) {
  const result = results(card.getAttribute("data-puzzle") ?? "")[card.getAttribute("data-problem") ?? ""];
  if (!result) continue;
  find("[data-idea]", HTMLElement, card).hidden = false; // told before, it would help
  const best = result.moves === result.best;
  find(".mark use", SVGUseElement, card).setAttribute("href", best ? "#s-best" : "#s-solved");
  write(
    find("[data-result]", HTMLElement, card),
    texts.get(best ? "result.best" : "result.solved", { n: result.moves, best: result.best ?? "?" }),
  );
}
