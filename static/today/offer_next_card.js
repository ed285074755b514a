/** The link to the next card, shown when a card has been solved. */
import { card } from "../game/position.js";
import { find } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { cardResults } from "../ui/storage.js";
import { nextCard } from "./next_card.js";

/** Show the link after a solved card, and go there by the function returned. On the home page the other card of the day
 * takes the place of the solved one.
 * @param {import("../game/session.js").Session} session @param {readonly import("./next_card.js").Deck[]} decks
 * @param {boolean} [isHome] */
export function offerNextCard(session, decks, isHome = false) {
  const link = find("#next", HTMLAnchorElement);
  session.follow(["medal", "solution", "edit"], ({ medal, solution, edit }, before) => {
    const next = medal && card && !solution && !edit ? nextCard(cardResults(), card, decks) : null;
    const isNew = link.hidden && medal !== before.medal;
    link.hidden = !next;
    if (!next) return;
    link.href = isHome && next.kind !== "card" ? `/?card=${next.kind}` : next.address;
    link.textContent = texts.get(`next.${next.kind}`, { n: next.number });
    if (isNew) link.focus({ preventScroll: true });
  });
  return () => {
    if (!link.hidden) link.click();
  };
}
