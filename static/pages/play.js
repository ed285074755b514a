/** The game page: connects the session, the views that show it, and the controls. */
import "../ui/settings.js";
import { Board } from "../board/board.js";
import { showCaptured } from "../board/captured.js";
import { previewSteps, showHoleNumbers } from "../board/hover.js";
import * as keyboard from "../board/keyboard.js";
import { listenForPointers } from "../board/pointer.js";
import { offerSounds } from "../board/sound_offer.js";
import { followPlay, offerZoom } from "../board/zoom.js";
import * as api from "../game/api.js";
import {
  begin,
  lastNotDead,
  lastWithFewest,
  movedTo,
  movesMade,
  stepsTo,
  positionAt,
  undoTarget,
} from "../game/line.js";
import { defendGame, keepGame } from "../game/kept_game.js";
import { goal, puzzle } from "../game/position.js";
import { pollVerdicts } from "../game/polling.js";
import { Session } from "../game/session.js";
import { firstLine, keepBounds, saveLine, storedLine } from "../game/url_state.js";
import { AllSolutions } from "../play/all_solutions.js";
import { offerMoreMenu, updateButtons } from "../play/buttons.js";
import { offerGoals } from "../play/goal_chooser.js";
import { showMoveList } from "../play/move_list.js";
import { offerNext } from "../play/next_problem.js";
import { offerPractice, offerTour, startFirstVisit } from "../play/onboarding.js";
import { PositionEditor } from "../play/position_editor.js";
import { offerToContinue, showMedals, showResults } from "../play/progress.js";
import { offerSharing } from "../play/share.js";
import { offerReplay, SolutionPlayer } from "../play/solution_player.js";
import { readAloud, StatusLine } from "../play/status.js";
import { closeSheet, fixStatusHeight, openTab, closeIdleSearchSheet } from "../play/tabs.js";
import { SearchPanel } from "../search/panel.js";
import { button, element, find, pageData } from "../ui/dom.js";
import { linkToPosition } from "../ui/position_links.js";
import { offerLetterSettings } from "../ui/shortcuts.js";
import * as store from "../ui/storage.js";

/**
 * @typedef {object} PageData what the server sends to this page, besides puzzle, goal and texts
 * @property {string} ending the goal as a sentence
 * @property {import("../game/line.js").Line} line line of the address
 * @property {import("../game/api.js").Analysis} analysis of the position on the board
 * @property {Record<string, string>} query query of the request that the server answered with this page
 * @property {import("../play/next_problem.js").Problem[]} problems of the puzzle, in order of difficulty
 * @property {string | null} invalidPosition position text of the address if it is invalid; the editor opens with it
 */

offerZoom();
offerTour();
linkToPosition();
/** @type {PageData} */
const page = pageData();
api.store(page.analysis);

const first = firstLine(page);
const session = new Session(first.line);
const board = new Board(element(".board"));
const status = new StatusLine(page.ending);
const player = new SolutionPlayer(session);
const editor = new PositionEditor(session);
new AllSolutions(session, (moves) => player.showMoves(begin(session.state.line.start), moves, "start"));
const panel = new SearchPanel(session, {
  onStart: () => openTab("solver"),
  onEnd: () => fixStatusHeight(false),
  onSolution: showFound,
});

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

/** @type {Partial<import("../game/session.js").State>} the state whose moves are listed */
let listed = {};

session.subscribe((state, before) => {
  const { shown } = session;
  const main = element("main");
  main.dataset.position = positionAt(shown).position;
  board.show(state, before, shown);
  status.show(state, shown);
  player.show(state);
  showCaptured(shown);
  updateButtons(state);
  if (state.solution && !before.solution) (openTab("moves"), (element("#moves").scrollTop = 0));
  if (!state.solution && before.solution) closeSheet();
  else if (!state.solution && state.line !== before.line) closeIdleSearchSheet();
  if (
    state.line !== listed.line ||
    state.savedLine !== listed.savedLine ||
    state.assistance !== listed.assistance
  )
    showOwnLine((listed = state));
});

/** @param {import("../game/session.js").State} state */
function showOwnLine({ line, savedLine, assistance }) {
  const own = find(".own", HTMLElement);
  find(".empty", HTMLElement, own).hidden = line.steps.length > 0;
  const showMistakes = assistance !== "off" || line.steps.at(-1)?.verdict === "solved";
  showMoveList(find(".chips", HTMLElement, own), line, 0, (at) => session.goTo(at), showMistakes);
  button("take-back").hidden = !savedLine?.steps.length;
}

let isFirst = true;
let isGoingBack = false; // by the Back or Forward button of the browser

// Address, unfinished game and result follow the player's own line.
session.subscribe((state, before) => {
  if (state.line === before.line && !isFirst) return;
  const asNew = !isFirst && state.line.at < undoTarget(before.line) && !isGoingBack;
  if (!isFirst || state.line.at > 0) saveLine(state.line, asNew);
  if (!isFirst) saveProgress(state.line, state.savedLine !== null);
  if (positionAt(state.line).position !== positionAt(before.line).position)
    document.querySelector(".fault-note")?.remove(); // the note is about the opened address
  isFirst = false;
});
keepBounds(session);
defendGame();

/** Store the unfinished game, and a result without help, unless the board is embedded in another page.
 * @param {import("../game/line.js").Line} line @param {boolean} helped whether a solution was taken over */
function saveProgress(line, helped) {
  if ("embed" in document.documentElement.dataset) return;
  const now = positionAt(line);
  if (now.verdict === "solved" && !helped) {
    const isKept = store.saveResult(puzzle.id, line.start.position, goal, {
      moves: movesMade(line),
      best: line.start.moves_left,
    });
    if (!isKept && store.isNews("unkept"))
      queueMicrotask(() => session.showNote(`note.unkept.${store.storageFault() ?? "full"}`));
    showMedals();
    showResults(puzzle.id);
  }
  keepGame(line);
  element("#continue").hidden = true;
}

window.addEventListener("popstate", (event) => {
  const line = storedLine(event.state);
  isGoingBack = true;
  if (line) session.restore(line);
  else location.reload();
  isGoingBack = false;
});

/** Undo or redo in the game, or step through the solution on the board.
 * @param {boolean} back @param {boolean} other as for `Session.undo` */
function undoOrRedo(back, other) {
  if (session.state.solution) player.act(back ? "back" : "forward");
  else if (back) session.undo(other);
  else session.redo(other);
}

const actions = {
  undo: (/** @type {{ shiftKey: boolean }} */ event) => undoOrRedo(true, event.shiftKey),
  redo: (/** @type {{ shiftKey: boolean }} */ event) => undoOrRedo(false, event.shiftKey),
  restart: () => session.goTo(0),
  hint: () => session.hint(),
  solution: () => player.toggle(),
  "go-back": () => session.goTo(Math.max(0, lastNotDead(session.shown))),
  "try-again": () => (session.goTo(0), toBoard()),
  "best-back": () => (session.goTo(lastWithFewest(session.state.line)), toBoard()),
  "take-back": () => session.restoreSavedLine(),
};
for (const [id, action] of Object.entries(actions)) button(id).addEventListener("click", action);

listenForPointers(board, {
  press: (hole) => (editor.isOpen ? editor.press(hole) : session.press(hole)),
  cancel: () => session.state.selected === null || session.cancel(),
  lift: (hole) => void (editor.isOpen || session.lift(hole)),
  drop: async (from, to, direction) => (editor.isOpen ? undefined : session.drop(from, to, direction)),
});
previewSteps(board, () => session.state);
showHoleNumbers(board);
followPlay(board, session);
keyboard.focusWithArrows(board);

const toBoard = () => board.spots.find((spot) => spot.tabIndex === 0)?.focus({ preventScroll: true });
element(".skip").addEventListener("click", (event) => (event.preventDefault(), toBoard()));

/** Leave the position editor, the solution or the selection, in that order. */
function escape() {
  if (editor.isOpen) session.goTo(session.state.line.at);
  else if (session.state.solution) session.showSolution(null);
  else session.cancel();
}

/** Step through the solution on the board, or move a piece in the direction of an arrow key. @param {KeyboardEvent} event */
function handleArrow({ key }) {
  const what = { ArrowLeft: "back", ArrowRight: "forward" }[key];
  if (!session.state.solution && !editor.isOpen) session.steer(keyboard.directionOf(key));
  else if (what) player.act(what);
}

const spokenNotes = readAloud(session);
const goToNext = offerNext(session, page.problems);
keyboard.listenForShortcuts({
  ...actions,
  copy: () => button("copy").click(),
  ...spokenNotes,
  next: goToNext,
  "Ctrl+z": actions.undo,
  "Ctrl+Shift+z": actions.redo,
  "Ctrl+y": actions.redo,
  "?": () => element("#help").togglePopover() && element("#help").focus(),
  Escape: () => escape(),
  " ": () => player.act("play"),
  ArrowLeft: handleArrow,
  ArrowRight: handleArrow,
  ArrowUp: handleArrow,
  ArrowDown: handleArrow,
  Home: () => player.act("first"),
  End: () => player.act("last"),
});

let hasSounds = false; // the module is loaded only if sounds are on

/** Apply the settings to this page. */
function applySettings() {
  const { assistance, atOnce, movable, sounds } = store.settings();
  if (sounds && !hasSounds)
    import("../board/sound.js")
      .then(({ playSounds }) => playSounds(session))
      .catch(() => (hasSounds = false));
  hasSounds ||= sounds === true;
  session.update({ assistance, atOnce, movable });
}
document.addEventListener("settings", applySettings);
button("ask-proof").addEventListener(
  "click",
  () => (panel.startProof(), button("pause").focus({ preventScroll: true })),
); // the pressed button disappears, so the focus moves to Pause
button("ask-verdict").addEventListener("click", () =>
  session.update({ revealedPosition: positionAt(session.shown).position }),
);

offerPractice();
offerSounds(session);
offerSharing(session);

offerMoreMenu(session, {
  "undo-other": () => undoOrRedo(true, true),
  next: goToNext,
  moves: spokenNotes.moves,
  theme: () => button("theme").click(),
});
offerToContinue(puzzle.id);
offerLetterSettings();

showMedals();
showResults(puzzle.id);
offerGoals();
pollVerdicts(session);
navigator.serviceWorker?.ready
  .then(() => import("../game/prefetch.js"))
  .then(({ prefetchNearby }) => prefetchNearby(session))
  .catch(() => {}); // without a service worker nothing would store the answers
applySettings();
startFirstVisit(session);
offerReplay(session, page.line.steps.length > 0);
keyboard.keepFocusOnPage(session, toBoard);
session.start();
if (first.isOther) session.showNote("note.elsewhere");
if (page.invalidPosition) editor.open(page.invalidPosition);
replayPresses();

/** Repeat the presses that were made before the scripts had loaded, one after the other. */
async function replayPresses() {
  const { buttons, end } =
    /** @type {{ earlyPresses: { buttons: HTMLButtonElement[], end: () => void } }} */ (
      /** @type {unknown} */ (globalThis)
    ).earlyPresses;
  end();
  for (const pressed of buttons) delete pressed.dataset.kept;
  for (const pressed of buttons.splice(0)) {
    pressed.click();
    await session.lastGesture;
  }
}
