/** The card page: a game of one card, or the first steps in its place, and what belongs to the card. */
import "../ui/settings.js";
import { hasHelp, isStarAtStake } from "../game/help.js";
import { begin, isWon, movesOf, positionAt } from "../game/line.js";
import { addressOf } from "../game/url_state.js";
import { openHelp } from "../keys/keyboard.js";
import { stopAsking } from "../play/buttons.js";
import { openTypedLine, startGame } from "../play/game.js";
import { showMedals } from "../play/progress.js";
import { readFriend } from "../review/friend.js";
import { showSigns } from "../review/signs.js";
import { startCountdown } from "../today/countdown.js";
import { markOf } from "../today/day_results.js";
import { nextUnsolved, progressOf } from "../today/deck_progress.js";
import { startLessons } from "../today/first_lessons.js";
import { offerNextCard } from "../today/offer_next_card.js";
import { showSlots } from "../today/slots.js";
import { offerSound } from "../today/sound_key.js";
import { showDays } from "../today/week_strip.js";
import { cardId } from "../days/day_card.js";
import { daysAfter, localDay } from "../days/dates.js";
import { button, element, find, moveFocus, pageData, setMark, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { keepWhenIdle } from "../ui/offline.js";
import { closeThen } from "../ui/sheet_history.js";
import { cardResults, friendOf, onReturn, saveFriend, unfinished } from "../ui/storage.js";

/** @type {import("../play/game.js").GamePage & { puzzle: import("../game/position.js").Puzzle, address: string,
 *   language: string, decks: import("../today/next_card.js").Deck[], offered: string, moves: number,
 *   lessons?: import("../today/first_lessons.js").Lesson[] }} */
const page = pageData();
const main = element("main");
const { today = localDay(), day: dayOfPage } = document.documentElement.dataset;
const isOfDay = main.dataset.card?.startsWith("daily/");
const isFront = location.pathname === "/";

if (page.lessons)
  startLessons(
    { ...page, lessons: page.lessons },
    isFront ? `/daily/${today}/mini` : null,
    readFriend(location.hash, page.moves) !== null,
  );
else startGame(page, addCard);

/** @param {import("../play/game.js").Game} game @returns {import("../play/game.js").Additions} */
function addCard(game) {
  const { session, player } = game;
  const next = offerNextCard(session, page.decks);
  showSlots(session, page.moves);
  offerMenu(game);
  offerLine(session, player);
  showFriend();
  tellPrice(session);
  offerSound();
  button("play-again").addEventListener("click", () => button("restart").click());
  session.subscribe(["medal"], ({ medal }, before) => medal && !before.medal && queueMicrotask(showProgress));
  document.addEventListener("stage", placeDays);
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload()); // another page may have played it on
  return { shortcuts: { next } };
}

/** Close the menu after what shows something on the board, and let the link to Study follow the game.
 * @param {import("../play/game.js").Game} game */
function offerMenu(game) {
  const { session } = game;
  const [menu, giveUp, study, question] = [
    element("#card-menu"),
    button("solution"),
    find("#study", HTMLAnchorElement),
    element("#study-asked"),
  ];
  menu.addEventListener("toggle", () => (stopAsking(giveUp), (question.hidden = true)));
  study.addEventListener("click", (event) => {
    if (!isStarAtStake(session.state)) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // the menu stays open, see `sheet_history.js`
    question.hidden = false;
    moveFocus(button("no-study"));
  });
  button("no-study").addEventListener("click", () => menu.hidePopover());
  find('[data-does="type"]', HTMLElement, menu).addEventListener("click", () => {
    menu.hidePopover();
    void openTypedLine(game);
  });
  find("[data-opens]", HTMLElement, menu).addEventListener("click", () => closeThen(menu, openHelp));
  for (const name of ["check", "zoom"]) button(name).addEventListener("click", () => menu.hidePopover());
  session.follow(["line", "solution", "revealedPosition"], ({ line, solution, revealedPosition }) => {
    if (solution) menu.hidePopover();
    const card = encodeURIComponent(main.dataset.card ?? "");
    study.href = `/puzzles/${page.puzzle.id}${addressOf(line)}&depth=study&card=${card}`;
    find("#do-study", HTMLAnchorElement).href = study.href;
    giveUp.hidden = isWon(line) && !solution;
    button("check").disabled = solution !== null || revealedPosition === positionAt(line).position;
  });
}

/** Ask before the line of the address is shown: it may be a solution of this card.
 * @param {import("../game/session.js").Session} session
 * @param {import("../play/solution_player.js").SolutionPlayer} player */
function offerLine(session, player) {
  const question = element(".asked");
  question.hidden = !page.offered;
  const answer = () => {
    question.hidden = true;
    history.replaceState(null, "", page.address + location.hash);
  };
  button("play-self").addEventListener("click", answer);
  button("see-line").addEventListener("click", () => {
    answer();
    void player.showMoves(begin(session.state.line.start), movesOf(page.offered), "start", false);
  });
}

/** Show a friend's result above the board, and with its signs at the end: that of the link, or the one that came last. */
function showFriend() {
  const card = main.dataset.card ?? "";
  if (readFriend(location.hash, page.moves)) saveFriend(card, location.hash);
  const friend = readFriend(friendOf(card), page.moves);
  if (!friend) return;
  const values = {
    moves: texts.get("count.moves", { n: friend.moves }),
    tries: texts.get("share.tries", { n: friend.tries }),
  };
  const text = texts.get(friend.medal === "assisted" ? "card.friend.assisted" : "card.friend", values);
  for (const part of document.querySelectorAll("[data-friend]"))
    write(/** @type {HTMLElement} */ (part), text);
  for (const part of document.querySelectorAll(".friend, .friend-row")) part.toggleAttribute("hidden", false);
  showSigns(find(".friend-row .signs", HTMLElement), friend.signs);
}

/** Say once what the first help has cost, until the next move.
 * @param {import("../game/session.js").Session} session */
function tellPrice(session) {
  const say = (/** @type {string} */ text) => {
    for (const place of document.querySelectorAll(".star-gone"))
      write(/** @type {HTMLElement} */ (place), text);
  };
  session.subscribe(["line"], () => say(""));
  session.subscribe(["help"], ({ help }, before) => {
    if (hasHelp(help) && !hasHelp(before.help)) say(texts.get("card.starGone"));
  });
}

/** Show the week in the sheet at the end, and below the card before. */
function placeDays() {
  const days = document.querySelector(".days");
  const isOpen = !element("#result").hidden;
  if (!days || isOpen === (days.parentElement !== main)) return;
  if (isOpen) element(".end-days").append(days);
  else find(".doors", HTMLElement).before(days);
}

/** Show what the player has reached. */
function showProgress() {
  const results = cardResults();
  if (isOfDay) showDays(results, today, page.language);
  for (const item of document.querySelectorAll(".cards-of-day [data-card], .neighbours [data-card]")) {
    const mark = markOf(results, item.getAttribute("data-card") ?? "");
    setMark(item, mark);
    write(find(".hush", HTMLElement, item), texts.get(`medal.${mark}`));
  }
  for (const item of document.querySelectorAll("li[data-deck]")) {
    const cards = Number(item.getAttribute("data-cards"));
    const { solved, stars } = progressOf(results, item.getAttribute("data-deck") ?? "", cards);
    const text = texts.get("deck.progress", { n: solved, all: cards, stars });
    if (solved) write(find("[data-progress]", HTMLElement, item), text);
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

/** Let the arrow keys lead from card to card of the deck. */
function walkNeighbours() {
  const links = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".neighbours a")]);
  for (const [index, link] of links.entries())
    link.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation(); // arrows elsewhere are for the board
      links[(index + step + links.length) % links.length].focus();
    });
}

/** Say so if this page is kept and shown in place of another, or not that of the day on the player's clock. */
function explainPage() {
  const isMini = page.address.endsWith("/mini");
  const isToday =
    ["/", "/daily"].includes(location.pathname) && location.search.includes("card=mini") === isMini;
  const isOwnAddress = isToday || location.pathname === page.address;
  element("#not-kept").hidden = isOwnAddress || Boolean(page.lessons);
  const note = element("#other-day");
  note.hidden = !dayOfPage || dayOfPage === today;
  if (note.hidden || !dayOfPage) return;
  const { format } = new Intl.DateTimeFormat(page.language, { dateStyle: "medium", timeZone: "UTC" });
  const [day, wanted] = [dayOfPage, today].map((date) => format(new Date(date)));
  write(note, texts.get(navigator.onLine ? "today.clock" : "today.kept", { day, wanted }));
}

/** Cards of each deck that can be played without a connection before the page is opened again. */
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

/** Return the addresses of the cards of today and tomorrow, which may have begun already in the east. */
const daysAhead = () =>
  [today, daysAfter(today, 1)].flatMap((day) => [`/${cardId(day)}`, `/${cardId(day, true)}`]);

showProgress();
showUnfinished();
walkNeighbours();
explainPage();
if (isOfDay) startCountdown(today);
onReturn("cards", showProgress);
if (isOfDay) keepWhenIdle([...cardsAhead(), ...daysAhead()]);
