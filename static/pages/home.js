/** The home page: the card of the day or the boards of a first visit, the week, the decks and the boards. */
import "../ui/settings.js";
import { startGame } from "../play/game.js";
import { showMedals } from "../play/progress.js";
import { startLessons } from "../today/first_lessons.js";
import { offerNextCard } from "../today/offer_next_card.js";
import { nextUnsolved, progressOf } from "../today/deck_progress.js";
import { showDays } from "../today/week_strip.js";
import { dayOf } from "../ui/day_card.js";
import { localDay, untilTomorrow } from "../ui/days.js";
import { element, find, pageData, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { keepWhenIdle } from "../ui/offline.js";
import { cardResults, unfinished } from "../ui/storage.js";

/** @type {import("../play/game.js").GamePage & { language: string, decks: import("../today/next_card.js").Deck[],
 *   lessons?: import("../today/first_lessons.js").Lesson[] }} */
const page = pageData();
const today = document.documentElement.dataset.today ?? localDay();

// Shown by the service worker in place of another page. Asked first: a game that goes on puts its own address in place.
element("#not-kept").hidden = location.pathname === "/";
if (page.lessons) startLessons({ ...page, lessons: page.lessons });
else startGame(page, addDays);

/** @param {import("../play/game.js").Game} game @returns {import("../play/game.js").Additions} */
function addDays({ session, toBoard }) {
  const next = offerNextCard(session, page.decks, true);
  sayWhichDay(session);
  session.subscribe(["medal"], ({ medal }) => medal && queueMicrotask(showProgress));
  // from the lessons; the browser itself moves no focus, and a finger needs none
  if (location.hash === "#board" && matchMedia("(pointer: fine)").matches) addEventListener("load", toBoard);
  return { shortcuts: { next } };
}

/** Say of which day the card is that is shown, if it is not that of the device: the page may have been kept without a
 * connection, or the clock may be wrong. @param {import("../game/session.js").Session} session */
function sayWhichDay(session) {
  const shown = dayOf(element("main").dataset.card ?? "")?.date ?? today;
  if (shown === today) return;
  const { format } = new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeZone: "UTC" });
  const [day, wanted] = [shown, today].map((date) => format(new Date(date)));
  write(find('[data-kind="today"] [data-name]', HTMLElement), day);
  // not before the first note of the game
  queueMicrotask(() => session.showNote(navigator.onLine ? "today.clock" : "today.kept", { day, wanted }));
}

/** Show what the player has reached. */
function showProgress() {
  const results = cardResults();
  showDays(results, today, page.language);
  for (const item of document.querySelectorAll("li[data-deck]")) {
    const cards = Number(item.getAttribute("data-cards"));
    const { solved, stars } = progressOf(results, item.getAttribute("data-deck") ?? "", cards);
    if (solved)
      write(
        find("[data-progress]", HTMLElement, item),
        texts.get("deck.progress", { n: solved, all: cards, stars }),
      );
  }
  showMedals();
}

/** Link to the unfinished game of each board. */
function showUnfinished() {
  for (const item of document.querySelectorAll("li[data-puzzle]")) {
    const game = unfinished(item.getAttribute("data-puzzle") ?? "");
    if (!game) continue;
    const link = find(".go a", HTMLAnchorElement, item);
    link.href = game.url;
    link.textContent = texts.get("continue", { n: game.moves });
    find(".go", HTMLElement, item).hidden = false;
  }
}

/** Cards of each deck that can be played without a connection before the home page is opened again. */
const CARDS_AHEAD = 5;

/** Return the addresses of the cards that come next in each deck. */
function cardsAhead() {
  const results = cardResults();
  return page.decks.flatMap(({ id, cards }) => {
    const first = nextUnsolved(results, id, cards);
    const numbers = Array.from({ length: CARDS_AHEAD }, (_, index) => (first ?? Infinity) + index);
    return numbers.filter((number) => number <= cards).map((number) => `/decks/${id}/${number}`);
  });
}

/** Offer the card of the new day as soon as it has begun. Timers do not run while a device sleeps. */
function watchForMidnight() {
  const check = () => {
    element("#new-day").hidden = localDay() === today;
    if (localDay() === today) setTimeout(check, untilTomorrow(new Date()) + 1000);
  };
  document.addEventListener("visibilitychange", () => (element("#new-day").hidden = localDay() === today));
  check();
}

showProgress();
showUnfinished();
watchForMidnight();
keepWhenIdle(cardsAhead());
