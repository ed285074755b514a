/**
 * The card to offer after a solved one.
 *
 * @typedef {import("./day_results.js").CardResults} CardResults
 * @typedef {{ id: string, cards: number }} Deck `cards`: how many it has, numbered from 1
 * @typedef {object} NextCard
 * @property {string} address
 * @property {"today" | "mini" | "card" | "deck" | "draw"} kind "card": of the same deck
 * @property {string} deck id, or "" for a card of the day
 * @property {number} number of the card in its deck, or 0
 */
import { cardId, dayOf } from "../days/day_card.js";
import { markOf } from "./day_results.js";
import { nextUnsolved } from "./deck_progress.js";

/** Return the card to offer after `card`: the other one of the day, or the next unsolved one of its deck, or of any deck; after
 * a drawn board the page to draw one; null if everything is solved.
 * @param {CardResults} results @param {string} card id of a card of a day or a deck @param {readonly Deck[]} decks
 * @returns {NextCard | null} */
export function nextCard(results, card, decks) {
  const day = dayOf(card);
  if (day) {
    const other = cardId(day.date, !day.isMini);
    if (markOf(results, other) === "new")
      return { address: `/${other}`, kind: day.isMini ? "today" : "mini", deck: "", number: 0 };
  }
  const [deck, number] = card.split("/");
  if (deck === "draw") return { address: "/draw", kind: "draw", deck: "", number: 0 };
  const own = decks.filter(({ id }) => id === deck);
  const next = inDecks(results, [...own, ...decks], own.length ? Number(number) : 0);
  return next && { ...next, kind: next.deck === deck ? "card" : "deck" };
}

/** Return the first unsolved card of the decks; in the first of them, the first one after `number`.
 * @param {CardResults} results @param {readonly Deck[]} decks @param {number} number @returns {NextCard | null} */
function inDecks(results, decks, number) {
  for (const [index, { id, cards }] of decks.entries()) {
    const next = nextUnsolved(results, id, cards, index ? 0 : number);
    if (next !== null && !(index && `${id}/${next}` === `${decks[0].id}/${number}`))
      return { address: `/decks/${id}/${next}`, kind: "card", deck: id, number: next };
  }
  return null;
}
