/** The page of a deck: turns over the solved cards, and offers the next one. */
import "../ui/settings.js";
import { medalOf } from "../game/medal.js";
import { nextUnsolved, progressOf } from "../today/deck_progress.js";
import { resultText } from "../play/progress.js";
import { element, find, setMark, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { cardResults, onReturn } from "../ui/storage.js";

const { deck = "", cards } = element("main").dataset;

/** Show what the player has reached. */
function show() {
  const results = cardResults();
  for (const item of document.querySelectorAll("li[data-card]")) {
    const result = results[item.getAttribute("data-card") ?? ""];
    if (!result) continue;
    item.classList.add("is-solved");
    find(".front", HTMLElement, item).hidden = true;
    find(".turned", HTMLElement, item).hidden = false; // what a card is about would help before
    setMark(item, medalOf(result));
    write(find("[data-moves]", HTMLElement, item), `${result.moves} / ${result.best ?? "?"}`);
    write(find("[data-result]", HTMLElement, item), `${resultText(result)}. `);
  }

  const { solved, stars } = progressOf(results, deck, Number(cards));
  write(element("[data-progress]"), texts.get("deck.progress", { n: solved, all: Number(cards), stars }));
  showNext(nextUnsolved(results, deck, Number(cards)));
}

/** @param {number | null} number */
function showNext(number) {
  document.querySelector("li.is-next")?.classList.remove("is-next");
  const link = find("#next", HTMLAnchorElement);
  link.hidden = number === null;
  if (number === null) return;
  link.href = `/decks/${deck}/${number}`;
  link.textContent = texts.get("deck.next", { n: number });
  element(`li[data-card="${deck}/${number}"]`).classList.add("is-next");
}

show();
onReturn("cards", show);
