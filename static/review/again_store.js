/** The deck of what comes again, in the storage of the browser. */
import { due, failed, passed } from "./again.js";
import { localDay } from "../days/dates.js";
import * as store from "../ui/storage.js";

/** @typedef {import("./again.js").Entry} Entry */
/** @typedef {import("./again.js").Item} Item */

/** Return the entries to be played today. @returns {Entry[]} */
export const dueToday = () => due(store.againDeck(), localDay());

/** Store that an item has failed. @param {Item} item */
export const saveFailed = (item) => store.saveAgainDeck(failed(store.againDeck(), item, localDay()));

/** Store that an item was right. @param {Item} item */
export const savePassed = (item) => store.saveAgainDeck(passed(store.againDeck(), item, localDay()));

/** Return the address to play an entry from its start, whatever game of it is kept. @param {Item} entry */
export function addressOf({ card, puzzle, position, goal }) {
  const page = /^(daily|draw)\//.test(card) ? `/${card}` : `/decks/${card}`;
  return `${card ? page : `/puzzles/${puzzle}/review`}?${new URLSearchParams({ position, goal })}`;
}
