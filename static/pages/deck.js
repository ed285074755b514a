/** The page of a deck: adds the player's results to the cards. */
import "../ui/settings.js";
import { find, write } from "../ui/dom.js";
import { medalOf } from "../game/medal.js";
import { resultText } from "../play/progress.js";
import { cardResults } from "../ui/storage.js";

for (const card of document.querySelectorAll("li[data-problem]")) {
  const result = cardResults()[card.getAttribute("data-card") ?? ""];
  if (!result) continue;
  find("[data-idea]", HTMLElement, card).hidden = false; // told before, it would help
  find(".mark use", SVGUseElement, card).setAttribute("href", `#s-${medalOf(result)}`);
  write(find("[data-result]", HTMLElement, card), resultText(result));
}
