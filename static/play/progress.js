/** The player's progress: medals, best results and the unfinished game. */
import { helpPlayedWith } from "../game/help.js";
import { lineText, movesMade } from "../game/line.js";
import { bestMark, medalOf } from "../game/medal.js";
import { dayThatCounts } from "../days/day_card.js";
import { localDay } from "../days/dates.js";
import { streakOf } from "../days/streak.js";
import { find, setMark, write } from "../ui/dom.js";
import { card, gameKey, goal, puzzle } from "../game/position.js";
import * as store from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

const { results, unfinished } = store;

/** Store the result of a game that has just been solved, but not by a solution taken over: for a problem of the lists and
 * for a card, otherwise in a tally.
 * @param {import("../game/session.js").Session} session @param {import("./game.js").GamePage} page
 * @param {import("../game/session.js").State} state @param {import("../game/session.js").State} before */
export function saveProgress(session, page, state, before) {
  if (!state.medal || state.savedLine) return;
  const isKept = [...savedResults(page, state, before)].every(Boolean);
  if (!isKept && store.isNews("unkept"))
    queueMicrotask(() => session.showNote(`note.unkept.${store.storageFault() ?? "full"}`));
  if (card) careForData(session);
  showMedals();
  showResults();
}

/** Solved cards from which on the browser is asked to keep the data, and streaks at which a backup is offered. */
const [CARDS_TO_KEEP, STREAKS_TO_SAVE] = [3, [7, 30]];

/** Ask the browser once to keep the data, and offer a backup at long streaks. @param {import("../game/session.js").Session} session */
function careForData(session) {
  const solved = store.cardResults();
  if (Object.keys(solved).length >= CARDS_TO_KEEP && store.isFirstAsking())
    void navigator.storage?.persist?.().catch(() => {}); // a browser without it decides on its own
  const { days } = streakOf(solved, localDay());
  const reached = STREAKS_TO_SAVE.findLast((streak) => streak <= days) ?? 0;
  if (store.isFirstOffer(reached)) queueMicrotask(() => session.showNote("note.backup", { n: days }));
}

/** Store the result, and yield for each place whether the browser keeps it. @param {import("./game.js").GamePage} page
 * @param {import("../game/session.js").State} state @param {import("../game/session.js").State} before */
function* savedResults({ problems, starts }, state, before) {
  const { line, tries, medal } = state;
  const start = line.start.position;
  const result = {
    moves: movesMade(line),
    best: line.start.moves_left,
    help: helpPlayedWith(state),
    tries: Math.max(1, tries),
  };
  if (card) {
    const begun = store.attempts(gameKey, start, goal)?.begun;
    yield store.saveCard(card, {
      ...result,
      date: dayThatCounts(card, begun, new Date()),
      line: lineText(line),
    });
  }
  if (starts.includes(start) || problems.some((problem) => problem.join() === [start, goal].join()))
    yield store.saveResult(puzzle.id, start, goal, result);
  else if (!card && medal && !before.medal) yield store.addToTally(puzzle.id, medal);
}

/** Show the best medal next to every puzzle. */
export function showMedals() {
  for (const item of document.querySelectorAll("li[data-puzzle]")) {
    const mark = bestMark(Object.values(results(item.getAttribute("data-puzzle") ?? "")));
    setMark(item, mark);
    write(find("[data-medal]", HTMLElement, item), texts.get(`medal.${mark}`));
  }
}

/** Show the best result of each problem of the puzzle. */
export function showResults() {
  const solved = results(puzzle.id);
  for (const item of document.querySelectorAll("li[data-problem]")) {
    const result = solved[item.getAttribute("data-problem") ?? ""];
    if (!result) continue;
    setMark(item, medalOf(result));
    write(find("[data-result]", HTMLElement, item), resultText(result));
  }
}

/** Return a result in words. @param {import("../ui/stored_kinds.js").Result} result */
export function resultText(result) {
  const { moves, best = null } = result;
  return texts.get(best === null ? "result.open" : `result.${medalOf(result)}`, {
    n: moves,
    best: best ?? "",
  });
}

/** Link to the unfinished game of the puzzle or card, unless this page shows that game already or its address has a line. */
export function offerToContinue() {
  const game = unfinished(gameKey);
  if (!game || location.search.includes("line=") || game.url === `${location.pathname}${location.search}`)
    return;
  const link = find("#continue", HTMLAnchorElement);
  Object.assign(link, {
    href: game.url,
    textContent: texts.get("continue", { n: game.moves }),
    hidden: false,
  });
}
