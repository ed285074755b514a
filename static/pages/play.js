/** The game page: connects the session, the views that show it, and the controls. */
import "../ui/settings.js";
import { Board } from "../board/board.js";
import { CapturedPieces } from "../board/captured.js";
import { nameHoles, previewTurns } from "../board/hover.js";
import * as keyboard from "../board/keyboard.js";
import { listen } from "../board/pointer.js";
import { keepInView, offerZoom } from "../board/zoom.js";
import { Api } from "../game/api.js";
import { begin, boundsOf, lastBest, movedTo, movesMade, placeIn, positionAt, undoTarget } from "../game/line.js";
import { awaitVerdicts } from "../game/polling.js";
import { Session } from "../game/session.js";
import { addressOf, firstLine, keepKnown, remember, remembered } from "../game/url_state.js";
import { AllSolutions } from "../play/all_solutions.js";
import { offerMoreMenu, showKeys } from "../play/buttons.js";
import { offerGoals } from "../play/goal_chooser.js";
import { showChips } from "../play/move_list.js";
import { offerNext } from "../play/next_problem.js";
import { offerPractice, offerTour, welcome } from "../play/onboarding.js";
import { PositionEditor } from "../play/position_editor.js";
import { offerToContinue, showMedals, showResults } from "../play/progress.js";
import { offerSharing } from "../play/share.js";
import { offerReplay, SolutionPlayer } from "../play/solution_player.js";
import { readAloud, StatusLine } from "../play/status.js";
import { closeSheet, holdStatus, openTab, playOn } from "../play/tabs.js";
import { connected } from "../search/connection.js";
import { SearchPanel, tellWhose } from "../search/panel.js";
import { button, element, find, pageData } from "../ui/dom.js";
import { Words } from "../ui/i18n.js";
import { linkToPosition } from "../ui/position_links.js";
import { offerLetters } from "../ui/shortcuts.js";
import * as store from "../ui/storage.js";

offerZoom();
offerTour();
linkToPosition();
const page = pageData();
const { puzzle, goal, ending, line: given, here, deck, typed, language, words: entries } = page;
const words = new Words(language, entries);
const api = new Api(puzzle.id, goal);
api.keep(here);

const first = firstLine(page);
const session = new Session(api, first.line, {
  chains: puzzle.chains,
  steered: puzzle.steered,
  atOnce: !puzzle.chains,
  points: puzzle.points,
  isEmpty: (cell) => !(cell in puzzle.glyphs),
});
const board = new Board(element(".board"), puzzle, words);
const status = new StatusLine(words, puzzle, { ending, isUnusual: goal !== puzzle.goal });
const player = new SolutionPlayer(session, words);
const editor = new PositionEditor(session, puzzle, words);
new AllSolutions(session, words, (moves) => showMoves(begin(session.state.line.start), moves, "start"));
const rail = new CapturedPieces(element(".rail"), puzzle.glyphs);
const panel = new SearchPanel(words, {
  puzzle: puzzle.id,
  socket: connected,
  request: () => ({ puzzle: puzzle.id, position: positionAt(session.shown).position, goal }),
  found: (request, moves, proved) => showFound(request.position, moves, proved),
  learned: (position, told) => session.learn(position, told),
  bound: () => boundsOf(session.shown, session.state.known).least,
  opened: () => openTab("solver"),
  isSolved: () => positionAt(session.shown).verdict === "solved",
  at: (searched) => session.watch(searched),
  ended: () => (holdStatus(false), session.grade()), // what a search has proved the server keeps
});

/** Put what a search found on the board. @param {string} position @param {number[][]} moves @param {boolean} proved */
async function showFound(position, moves, proved) {
  const { line } = session.state;
  const at = placeIn(line, position);
  const from = at < 0 ? begin({ position, verdict: "live", moves_left: proved ? moves.length : null }) : movedTo(line, at);
  await showMoves(from, moves, "here", proved);
}

/** @param {import("../game/line.js").Line} from @param {number[][]} moves @param {"here" | "start"} origin
 * @param {boolean} [proved] */
async function showMoves(from, moves, origin, proved) {
  await player.showMoves(from, moves, origin, proved);
  player.act("play");
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
  rail.show(shown);
  showKeys(state);
  if (state.show && !before.show) (openTab("moves"), (element("#moves").scrollTop = 0));
  if (!state.show && before.show) closeSheet();
  else if (!state.show && state.line !== before.line) playOn();
  if (state.line !== listed.line || state.aside !== listed.aside || state.assistance !== listed.assistance) showOwnLine((listed = state));
});

/** @param {import("../game/session.js").State} state */
function showOwnLine({ line, aside, assistance }) {
  const own = find(".own", HTMLElement);
  find(".empty", HTMLElement, own).hidden = line.steps.length > 0;
  const judged = assistance !== "off" || line.steps.at(-1)?.verdict === "solved";
  showChips(find(".chips", HTMLElement, own), line, 0, words, (at) => session.goTo(at), judged);
  button("take-back").hidden = !aside?.steps.length;
}

/** Address, unfinished game and result follow the player's own line. */
let fresh = true;
session.subscribe((state, before) => {
  if (state.line === before.line && !fresh) return;
  const asNew = !fresh && state.line.at < undoTarget(before.line) && !leaving;
  const address = addressOf(state.line, goal, puzzle.start);
  if (!fresh || state.line.at > 0) remember(state.line, address, asNew);
  if (!fresh) keep(state.line, address, state.aside !== null);
  if (positionAt(state.line).position !== positionAt(before.line).position) document.querySelector(".fault-note")?.remove(); // play goes on
  fresh = false;
});
let leaving = false;
keepKnown(session, `${puzzle.id}/${goal}`);

/** Only a page of its own keeps games and results. @param {import("../game/line.js").Line} line @param {string} address
 * @param {boolean} helped */
function keep(line, address, helped) {
  if ("embed" in document.documentElement.dataset) return;
  const now = positionAt(line);
  const moves = movesMade(line);
  if (now.verdict === "solved" && !helped) {
    store.saveResult(puzzle.id, line.start.position, goal, { moves, best: line.start.moves_left });
    showMedals(words);
    showResults(words, puzzle.id);
  }
  const url = `/puzzles/${puzzle.id}${address}`;
  if (line.at > 0) store.saveUnfinished(puzzle.id, now.verdict === "solved" ? null : { url, moves, when: Date.now(), line });
  element("#continue").hidden = true;
}

window.addEventListener("popstate", (event) => {
  const line = remembered(event.state);
  leaving = true;
  if (line) session.restore(line);
  else location.reload();
  leaving = false;
});

/** Undo and Redo walk through the solution while one is shown. @param {boolean} back @param {boolean} other */
function walk(back, other) {
  if (session.state.show) player.act(back ? "back" : "forward");
  else if (back) session.undo(other);
  else session.redo(other);
}

const actions = {
  undo: (/** @type {{ shiftKey: boolean }} */ event) => walk(true, event.shiftKey),
  redo: (/** @type {{ shiftKey: boolean }} */ event) => walk(false, event.shiftKey),
  restart: () => session.restart(),
  hint: () => session.hint(),
  solution: () => player.toggle(),
  "go-back": () => session.goBack(),
  "try-again": () => tryAgain(),
  "best-back": () => (session.goTo(lastBest(session.state.line)), toBoard()),
  "take-back": () => session.takeBack(),
};
for (const [id, action] of Object.entries(actions)) button(id).addEventListener("click", action);

listen(board, {
  press: (hole) => (editor.isOpen ? editor.press(hole) : session.press(hole)), cancel: () => session.state.selected === null || session.cancel(),
  drop: async (from, to, way) => (editor.isOpen ? undefined : session.drop(from, to, way)),
});
previewTurns(board, () => session.state);
nameHoles(board);
keepInView(board, session);
keyboard.walk(board, puzzle.steered);

/** From the beginning, with the board under the fingers. */
function tryAgain() {
  session.restart();
  toBoard();
}

const toBoard = () => board.spots.find((spot) => spot.tabIndex === 0)?.focus({ preventScroll: true });
element(".skip").addEventListener("click", (event) => (event.preventDefault(), toBoard()));

/** Leave what is in front: the set-up board, the solution, the piece in hand. */
function escape() {
  if (editor.isOpen) session.goTo(session.state.line.at);
  else if (session.state.show) session.setShow(null);
  else session.cancel();
}

/** Arrows walk through the solution while one is shown; else they move pieces. @param {KeyboardEvent} event */
function arrow({ key }) {
  const what = { ArrowLeft: "back", ArrowRight: "forward" }[key];
  if (!session.state.show && !editor.isOpen) session.steer(keyboard.wayOf(key));
  else if (what) player.act(what);
}

const aloud = readAloud(session);
const next = offerNext(session, puzzle.id, deck, goal);
keyboard.listen({
  ...actions, copy: () => button("copy").click(), ...aloud, next: next.go,
  "Ctrl+z": actions.undo, "Ctrl+Shift+z": actions.redo, "Ctrl+y": actions.redo,
  "?": () => element("#help").togglePopover() && element("#help").focus(), Escape: () => escape(),
  " ": () => player.act("play"), ArrowLeft: arrow, ArrowRight: arrow, ArrowUp: arrow, ArrowDown: arrow,
  Home: () => player.act("first"), End: () => player.act("last"),
});

let isHeard = false; // whoever wants no sounds fetches none

/** What the settings change on this page. */
function heedSettings() {
  const { assistance, atOnce, movable, sounds } = store.settings();
  if (sounds && !isHeard) import("../board/sound.js").then(({ soundOut }) => soundOut(session)).catch(() => (isHeard = false));
  isHeard ||= sounds;
  session.rules.atOnce = atOnce || !puzzle.chains;
  session.update({ assistance, movable });
}
document.addEventListener("settings", heedSettings);
button("ask-proof").addEventListener("click", () => (panel.prove(), button("pause").focus({ preventScroll: true }))); // it goes, Pause is there
button("ask-verdict").addEventListener("click", () => session.update({ told: positionAt(session.shown).position }));

offerPractice(api, puzzle.start);
offerSharing(session, words, puzzle, goal);

offerMoreMenu(session, { "undo-other": () => walk(true, true), next: next.go, moves: aloud.moves, theme: () => button("theme").click() },
  (line) => remember(line, addressOf(line, goal, puzzle.start), false));
offerToContinue(words, puzzle.id);
offerLetters(words);

showMedals(words);
showResults(words, puzzle.id);
offerGoals(puzzle.id);
awaitVerdicts(session);
tellWhose(session);
navigator.serviceWorker?.ready.then(() => import("../game/prefetch.js")).then(({ fetchAhead }) => fetchAhead(session)).catch(() => {}); // else nobody keeps it
heedSettings();
welcome(session);
offerReplay(session, given.steps.length > 0);
keyboard.keepFocus(session, toBoard);
session.start();
if (first.isOther) session.say("note.elsewhere");
if (typed) editor.open(typed);
