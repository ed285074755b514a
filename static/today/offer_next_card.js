/** The link to the next card, shown when a card has been solved. */
import { card } from "../game/position.js";
import { find } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { cardResults } from "../ui/storage.js";
import { nextCard } from "./next_card.js";

/** Show the link after a solved card, and go there by the function returned.
 * @param {import("../game/session.js").Session} session @param {readonly import("./next_card.js").Deck[]} decks */
export function offerNextCard(session, decks) {
  const link = find("#next", HTMLAnchorElement);
  session.follow(["medal", "solution", "edit"], ({ medal, solution, edit }) => {
    const next = medal && card && !solution && !edit ? nextCard(cardResults(), card, decks) : null;
    link.hidden = !next;
    if (!next) return link.removeAttribute("href");
    link.href = next.address;
    link.textContent = texts.get(`next.${next.kind}`, { n: next.number });
  });
  return () => {
    if (!link.hidden) link.click();
  };
}
