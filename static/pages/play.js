/** The game page: a game with the solver, the moves, the position editor and the dialogs. */
import { offerSlack } from "../board/slack_line.js";
import { begin, movedTo, positionAt, stepsTo } from "../game/line.js";
import { goal } from "../game/position.js";
import { AllSolutions } from "../play/all_solutions.js";
import { offerMoreMenu } from "../play/buttons.js";
import { offerCheck } from "../play/certificate_check.js";
import { openTypedLine, startGame, undoOrRedo } from "../play/game.js";
import { offerDepths, openStudy } from "../play/depth.js";
import { offerGoals } from "../play/goal_chooser.js";
import { showMoveList } from "../play/move_list.js";
import { offerNext, offerWayBack } from "../play/next_problem.js";
import { offerPractice, offerTour, startFirstVisit } from "../play/onboarding.js";
import { PositionEditor } from "../play/position_editor.js";
import { offerSharing } from "../play/share_position.js";
import { showTally } from "../play/tally.js";
import { offerReplay } from "../play/solution_player.js";
import { closeIdleSearchSheet, closeSheet, fixStatusHeight, openTab } from "../play/tabs.js";
import { SearchPanel } from "../search/panel.js";
import { button, element, find, pageData } from "../ui/dom.js";
import { serviceWorkers } from "../ui/offline.js";
import { linkToPosition } from "../ui/position_links.js";

/**
 * @typedef {import("../play/game.js").GamePage & Own} PageData
 * @typedef {object} Own
 * @property {string | null} invalidPosition position text of the address if it is invalid; the editor opens with it
 */
/** @type {PageData} */
const page = pageData();

offerDepths();
offerTour();
linkToPosition();
startGame(page, addStudy);

/** Add all but the game. @param {import("../play/game.js").Game} game @returns {import("../play/game.js").Additions} */
function addStudy(game) {
  const { session, player } = game;
  const editor = new PositionEditor(session);
  new AllSolutions(session, (moves) => player.showMoves(begin(session.state.line.start), moves, "start"));
  const panel = addPanel(game);
  listMoves(session);
  const goToNext = offerNext(session, page.problems);
  offerWayBack([page.line.start.position, goal]);
  offerDialogs(game, goToNext);
  offerCheck(session);
  const slack = offerSlack(session);
  offerReplay(session, page.line.steps.length > 0);
  startFirstVisit(session);
  prefetch(session);
  if (page.invalidPosition) editor.open(page.invalidPosition);
  return {
    press: (hole) => editor.isOpen && (editor.press(hole), true),
    escape: () => editor.isOpen && (session.goTo(session.state.line.at), true),
    shortcuts: {
      copy: () => button("copy").click(),
      next: goToNext,
      search: () => panel.sayState(),
      slack,
    },
  };
}

/** Connect the search panel; whatever it shows of this game counts as a solution shown.
 * @param {import("../play/game.js").Game} game */
function addPanel({ session, player }) {
  const panel = new SearchPanel(session, {
    onStart: () => (openStudy(), openTab("solver"), session.addShownSolution()),
    onEnd: () => fixStatusHeight(false),
    onSolution: showFound,
  });
  for (const link of document.querySelectorAll("a[data-here]"))
    link.addEventListener("click", () => session.addShownSolution());
  element("#tab-all").addEventListener("click", () => session.addShownSolution());
  const prove = () => panel.startProof(() => button("pause").focus({ preventScroll: true }));
  button("ask-proof").addEventListener("click", prove); // the pressed button disappears, so the focus moves to Pause
  // the end of a card leads here; the page takes the address of the game as soon as it is played
  const query = new URLSearchParams(location.search);
  const start = query.has("card") ? () => panel.startFilm() : prove;
  if (query.has("search")) addEventListener("load", start, { once: true });

  /** Show a solution found by a search on the board.
   * @param {string} position @param {number[][]} moves @param {boolean} proved */
  async function showFound(position, moves, proved) {
    const { line } = session.state;
    const at = stepsTo(line, position);
    const from =
      at < 0
        ? begin({ position, verdict: "live", moves_left: proved ? moves.length : null })
        : movedTo(line, at);
    await player.showMoves(from, moves, "here", proved);
  }
  return panel;
}

/** List the player's moves, and open or close the sheet of the panel with what is on the board.
 * @param {import("../game/session.js").Session} session */
function listMoves(session) {
  button("take-back").addEventListener("click", () => session.restoreSavedLine());
  session.subscribe(["solution", "line"], ({ solution }, before) => {
    if (!solution && before.solution) closeSheet();
    else if (!solution) closeIdleSearchSheet();
  });
  session.follow(["line", "savedLine", "assistance"], (state) => showOwnLine(session, state));
}

/** @param {import("../game/session.js").Session} session @param {import("../game/session.js").State} state */
function showOwnLine(session, { line, savedLine, assistance }) {
  const own = find(".own", HTMLElement);
  find(".empty", HTMLElement, own).hidden = line.steps.length > 0;
  const showMistakes = assistance !== "off" || positionAt(line).verdict === "solved";
  showMoveList(find(".chips", HTMLElement, own), line, 0, (at) => session.goTo(at), showMistakes);
  button("take-back").hidden = !savedLine?.steps.length;
}

/** Connect the dialogs and the menu of further actions. @param {import("../play/game.js").Game} game @param {() => void} goToNext */
function offerDialogs(game, goToNext) {
  const { session, player, announcer } = game;
  offerPractice();
  offerSharing(session);
  offerMoreMenu(session, {
    "undo-other": () => undoOrRedo({ session, player }, true, true),
    next: goToNext,
    moves: announcer.actions.moves,
    type: () => openTypedLine(game),
    theme: () => button("theme").click(),
  });
  offerGoals();
  element("#setup").addEventListener("beforetoggle", showTally);
}

/** Prefetch likely positions for play without a connection. @param {import("../game/session.js").Session} session */
function prefetch(session) {
  serviceWorkers()
    ?.ready.then(() => import("../game/prefetch.js"))
    .then(({ prefetchNearby }) => prefetchNearby(session))
    .catch(() => {}); // without a service worker nothing would store the answers
}
