/** The page of what comes again: the entries that are due, from the storage of the browser. */
import "../ui/settings.js";
import { addressOf, dueToday } from "../review/again_store.js";
import { nextDay } from "../review/again.js";
import { create, find, pageData, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";
import { localDay } from "../days/dates.js";

/** @typedef {import("../review/again.js").Entry} Entry */

/** @type {{ titles: Record<string, string>, language: string }} */
const { titles, language } = pageData();

/** @param {Entry} entry */
function item(entry) {
  const query = new URLSearchParams({ position: entry.position, goal: entry.goal });
  const theme = store.isDark() ? "dark" : "light";
  const picture = create("img", {
    alt: "",
    loading: "lazy",
    width: 96,
    src: `/puzzles/${entry.puzzle}/board.svg?${query}&size=192&theme=${theme}`,
  });
  const what = entry.card ? cardText(entry.card) : texts.get("again.place");
  const passed = entry.passed ? texts.get("again.passed", { n: entry.passed }) : "";
  const words = create(
    "span",
    {},
    create("b", {}, titles[entry.puzzle] ?? entry.puzzle),
    create("span", {}, what),
    create("small", {}, passed),
  );
  return create("li", {}, create("a", { href: addressOf(entry) }, picture, words));
}

/** Return the name of a card: its number in its deck, or its day. @param {string} card */
function cardText(card) {
  const [deck, place] = card.split("/");
  return deck === "daily" ? dayText(place) : texts.get("again.card", { card: place });
}

/** @param {string} day */
const dayText = (day) =>
  new Date(`${day}T12:00`).toLocaleDateString(language, { weekday: "long", month: "long", day: "numeric" });

const entries = dueToday();
const next = nextDay(store.againDeck(), localDay());
write(
  find(".lead", HTMLElement),
  entries.length ? texts.get("again.due", { n: entries.length }) : texts.get("again.none"),
);
write(
  find(".say", HTMLElement),
  entries.length ? "" : next ? texts.get("again.next", { day: dayText(next) }) : texts.get("again.empty"),
);
find(".again-list", HTMLElement).replaceChildren(...entries.map(item));
const begin = find("#begin", HTMLAnchorElement);
begin.hidden = !entries.length;
if (entries.length) begin.href = addressOf(entries[0]);
