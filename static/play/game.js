/**
 * A game on a page: the session, the views that show it and the controls, as in `templates/parts/game.html`. The game page
 * adds the solver; other pages play with this alone.
 *
 * @typedef {object} GamePage what the server sends to a page with a game, besides puzzle, goal and texts
 * @property {string} ending the goal as a sentence
 * @property {import("../game/line.js").Line} line line of the address
 * @property {import("../game/api.js").Analysis} analysis of the position on the board
 * @property {boolean} analysisIsFinal whether the analysis will never change
 * @property {Record<string, string>} query query of the request that the server answered with this page
 * @property {readonly Problem[]} problems of the puzzle, in order of difficulty
 * @property {string[]} starts that a list offers, with any goal
 * @property {Mode} mode
 *
 * @typedef {object} Mode how a page plays
 * @property {boolean} isRated whether the verdict is always hidden until the end, or until it is asked for, and the address stays
 *   that of the card
 * @property {boolean} isKept whether address and storage follow the game; not on the boards of a first visit, nor where the
 *   page itself deals position after position
 * @property {boolean} hasResult whether a result card is shown; not where the next board follows at once
 *
 * @typedef {[start: string, goal: string]} Problem
 *
 * @typedef {object} Game
 * @property {Session} session
 * @property {Board} board
 * @property {SolutionPlayer} player
 * @property {Announcer} announcer
 * @property {() => void} [openLine] opens the field for typed moves, once its script is loaded
 * @property {() => void} toBoard moves the focus to the board
 *
 * @typedef {object} Additions what a page adds to a game
 * @property {(hole: number) => boolean} [press] handles a press on a hole, or returns false to leave it to the game
 * @property {() => boolean} [escape] handles the key Esc, or returns false to leave it to the game
 * @property {Record<string, (event: KeyboardEvent) => void>} [shortcuts] further actions by key
 */
import "../ui/settings.js";
import { focusWithArrows } from "../keys/arrows.js";
import { Board } from "../board/board.js";
import { followGame } from "../board/follow_game.js";
import { showCaptured } from "../board/captured.js";
import { previewSteps, showHoleNumbers } from "../board/hover.js";
import * as keyboard from "../keys/keyboard.js";
import { listenForPointers } from "../board/pointer.js";
import { followPlay, offerZoom } from "../board/zoom.js";
import * as api from "../game/api.js";
import { attemptsAtOpening, isVerdictHidden, withHelp } from "../game/help.js";
import { defendGame, keepGame } from "../game/kept_game.js";
import { lastNotDead, lastWithFewest, positionAt, undoTarget } from "../game/line.js";
import { followMoveSettings } from "../keys/move_settings.js";
import { card, gameKey, goal, puzzle } from "../game/position.js";
import { buildOwnTableWhenIdle } from "../game/own_table.js";
import { pollVerdicts } from "../game/polling.js";
import { Session, SHOWN } from "../game/session.js";
import { firstLine, keepBounds, keptLine, saveLine, storedLine } from "../game/url_state.js";
import { showResult } from "../review/result_card.js";
import { localDay } from "../days/dates.js";
import { button, element, isByKey } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { offerLetterSettings } from "../ui/shortcuts.js";
import * as store from "../ui/storage.js";
import { Announcer } from "./announcer.js";
import { isSure, updateButtons } from "./buttons.js";
import { offerToContinue, saveProgress, showMedals, showResults } from "./progress.js";
import { SolutionPlayer } from "./solution_player.js";
import { StatusLine } from "./status.js";

/** Show the game of a page, and let it be played.
 * @param {GamePage} page
 * @param {(game: Game) => Additions} [addTo] adds the views and controls that only this page has */
export function startGame(page, addTo = () => ({})) {
  offerZoom();
  if (page.analysisIsFinal) api.store(page.analysis);
  const first = page.mode.isRated ? keptLine(page, isFromToday) : firstLine(page);
  const session = new Session(first.line, openAttempts(first));
  const board = new Board(element(".board"), { puzzle, goal, texts, around: document });
  const status = new StatusLine(page.ending, page.mode.hasResult);
  const announcer = new Announcer(session, board, status);
  /** @type {Game} */
  const game = {
    session,
    board,
    player: new SolutionPlayer(session),
    announcer,
    toBoard: () => toBoard(board),
  };
  showGame(game, status);
  if (page.mode.hasResult) showResult(session, page, () => board.landed);
  const added = addTo(game);
  if (page.mode.isKept) saveGame(session, page);
  listenForActions(game, added);
  followSettings(game, page.mode.isRated);
  pollVerdicts(session);
  if (page.mode.isKept) buildOwnTableWhenIdle();
  keyboard.keepFocusOnPage(session, game.toBoard);
  offerLetterSettings();
  session.start();
  announcer.start();
  if (!page.mode.isRated) offerToContinue();
  showMedals();
  showResults();
  if (first.isOther) session.showNote("note.elsewhere");
  void replayPresses(session);
}

/** Return whether a solved game was played today: only then its end is shown again. @param {string} position of its start */
const isFromToday = (position) => store.attempts(gameKey, position, goal)?.day === localDay();

/** Return help and tries with which the page opens. @param {ReturnType<typeof firstLine>} first */
function openAttempts({ line, origin }) {
  const { position } = line.start;
  const own = attemptsAtOpening(store.attempts(gameKey, position, goal), localDay(), origin, card !== null);
  return { ...own, help: withHelp(own.help, helpStored(puzzle.id, position)) };
}

/** Return the help stored for a problem as a card, or on the page of its puzzle, where a card can be solved, too.
 * @param {string} game @param {string} position of its start */
const helpStored = (game, position) =>
  attemptsAtOpening(store.attempts(game, position, goal), localDay(), "new", card !== null).help;

/** Count what other tabs show of the problem meanwhile. @param {Session} session */
function countForeignHelp(session) {
  for (const game of new Set([gameKey, puzzle.id]))
    store.onForeignChange(`attempts/${game}`, () =>
      session.countHelp(helpStored(game, session.state.line.start.position)),
    );
}

/** @param {Board} board */
const toBoard = (board) => board.spots.find((spot) => spot.tabIndex === 0)?.focus({ preventScroll: true });

/** Let the views follow the session. @param {Game} game @param {StatusLine} status */
function showGame({ session, board, player }, status) {
  const main = element("main");
  session.follow(SHOWN, () => {
    main.dataset.position = positionAt(session.shown).position;
    showCaptured(session.shown);
  });
  session.follow(["medal"], ({ medal }) => {
    if (medal) main.dataset.medal = medal;
    else delete main.dataset.medal;
  });
  followGame(session, board);
  session.follow(["medal", "solution", "search"], showInTitle());
  session.follow(status.fields, (state) => status.show(state, session.shown));
  session.follow(["solution"], (state) => player.show(state));
  session.follow(["line", "hint", "solution", "help", "medal", "restarted"], updateButtons);
  previewSteps(board, () => session.state);
  showHoleNumbers(board);
  followPlay(board, session);
}

/** Return a function that says at the head of the page's title how the game stands: a tab in the background shows it. */
function showInTitle() {
  let head = "";
  return (/** @type {import("../game/session.js").State} */ { medal, solution, search }) => {
    const words = search
      ? texts.get("title.limit", { n: search.limit })
      : solution
        ? texts.get("title.solution")
        : medal && texts.get("verdict.solved");
    const plain = document.title.slice(head.length);
    head = words ? texts.get("title.head", { words }) : "";
    document.title = head + plain;
  };
}

/** Let address, unfinished game, help and results follow the player's own line. @param {Session} session @param {GamePage} page */
function saveGame(session, page) {
  let isFirst = true;
  let isGoingBack = false; // by the Back or Forward button of the browser
  session.follow(["line"], (state, before) => {
    const asNew = !isFirst && state.line.at < undoTarget(before.line) && !isGoingBack;
    if (!page.mode.isRated && (!isFirst || state.line.at > 0)) saveLine(state.line, asNew); // that of a card is the card's
    if (positionAt(state.line).position !== positionAt(before.line).position)
      document.querySelector(".fault-note")?.remove(); // the note is about the opened address
    if (!isFirst) {
      keepGame(state.line, page.mode.isRated);
      element("#continue").hidden = true;
    }
    isFirst = false;
  });
  session.subscribe(["help", "tries", "ended"], keepAttempts);
  countForeignHelp(session);
  session.subscribe(["medal", "line"], (state, before) => saveProgress(session, page, state, before));
  if (page.mode.isRated) return void keepBounds(session);
  addEventListener("popstate", (event) => {
    const line = storedLine(event.state);
    isGoingBack = true;
    if (line) session.restore(line);
    else location.reload();
    isGoingBack = false;
  });
  keepBounds(session);
  defendGame();
}

/** Store help and tries. @param {import("../game/session.js").State} state */
const keepAttempts = ({ help, tries, ended, line }) =>
  store.saveAttempts(gameKey, line.start.position, goal, { help, tries, ended, day: localDay() });

/** Connect the buttons, the pointer and the keyboard. @param {Game} game @param {Additions} added */
function listenForActions(game, { press = () => false, escape = () => false, shortcuts = {} }) {
  const { session, board, player, announcer } = game;
  const actions = actionsOf(game);
  for (const [id, action] of Object.entries(actions)) button(id).addEventListener("click", action);
  listenForPointers(
    board,
    {
      press: (hole) => press(hole) || session.press(hole),
      cancel: () => session.state.selected === null || session.cancel(),
      lift: (hole) => void (session.state.edit || session.lift(hole)),
      hop: async (from, to) => !session.state.edit && session.hop(from, to),
      drop: async (from, to, direction) =>
        session.state.edit ? undefined : session.drop(from, to, direction),
    },
    board.root.closest(".play-area"),
  );
  focusWithArrows(
    board,
    () => puzzle.arrowKeys && store.settings().arrows !== "walk",
    () => announcer.answer(texts.get("say.edge")),
  );
  element(".skip").addEventListener("click", (event) => (event.preventDefault(), game.toBoard()));
  const steer = (/** @type {KeyboardEvent} */ event) => handleArrow(game, event);
  keyboard.listenForShortcuts({
    ...actions,
    ...announcer.actions,
    type: () => void openTypedLine(game),
    "Ctrl+z": actions.undo,
    "Ctrl+Shift+z": actions.redo,
    "Ctrl+y": actions.redo,
    Escape: () => void (escape() || leave(session)),
    " ": (event) => player.act("play", isByKey(event)),
    ArrowLeft: steer,
    ArrowRight: steer,
    ArrowUp: steer,
    ArrowDown: steer,
    "?": keyboard.openHelp,
    Home: () => player.act("first"),
    End: () => player.act("last"),
    ...shortcuts,
  });
}

/** Return the actions of the buttons, by id. @param {Game} game */
const actionsOf = ({ session, player, toBoard }) => ({
  undo: (/** @type {{ shiftKey: boolean }} */ event) => undoOrRedo({ session, player }, true, event.shiftKey),
  redo: (/** @type {{ shiftKey: boolean }} */ event) =>
    undoOrRedo({ session, player }, false, event.shiftKey),
  restart: () => session.restart(),
  hint: () => session.hint(),
  solution: (/** @type {Event} */ event) => isSure(button("solution")) && player.toggle(isByKey(event)),
  check: () => session.check(),
  "go-back": () => goBack(session),
  why: () => explain(session),
  "try-again": () => (session.restart(), toBoard()),
  "best-back": () => (session.goTo(lastWithFewest(session.state.line)), toBoard()),
});

/** Open the field for typed moves and commands, whose script is loaded for the first opening. @param {Game} game */
export async function openTypedLine(game) {
  game.openLine ??= (await import("./type_line.js")).offerTypedLine(game);
  game.openLine();
}

/** Show why the position is dead; on a small screen the sentence may be below the window. @param {Session} session */
async function explain(session) {
  await session.explain();
  element(".note").scrollIntoView({ block: "nearest" });
}

/** Undo or redo in the game, or step through the solution on the board.
 * @param {Pick<Game, "session" | "player">} game @param {boolean} back @param {boolean} other as for `Session.undo` */
export function undoOrRedo({ session, player }, back, other) {
  if (session.state.solution) player.act(back ? "back" : "forward");
  else if (back) session.undo(other);
  else session.redo(other);
}

/** Go back to the last position that is no dead end; while the verdict is hidden, show it first. @param {Session} session */
function goBack(session) {
  if (isVerdictHidden(session.state)) return session.check();
  session.goTo(Math.max(0, lastNotDead(session.shown)));
}

/** Leave the solution or the selection. @param {Session} session */
function leave(session) {
  if (session.state.solution) session.showSolution(null);
  else session.cancel();
}

/** Step through the solution on the board, or move a piece in the direction of an arrow key.
 * @param {Game} game @param {KeyboardEvent} event */
function handleArrow({ session, player }, { key }) {
  const what = { ArrowLeft: "back", ArrowRight: "forward" }[key];
  if (!session.state.solution && !session.state.edit) void session.steer(keyboard.directionOf(key));
  else if (what) player.act(what);
}

/** Apply the settings to the game, now and whenever they change. @param {Game} game @param {boolean} isRated */
function followSettings({ session, board }, isRated) {
  let hasSounds = false; // the module is loaded only if sounds are on
  const apply = () => {
    const { assistance, sounds } = store.settings();
    if (sounds && !hasSounds)
      import("../board/sound.js")
        .then(({ playSounds }) => playSounds(session, board))
        .catch(() => (hasSounds = false));
    hasSounds ||= sounds === true;
    const isStudy = !isRated && document.documentElement.dataset.depth === "study";
    session.update({ assistance: isStudy ? assistance : "off" });
  };
  document.addEventListener("settings", apply);
  apply();
  followMoveSettings(session);
}

/** Repeat the presses that were made before the scripts had loaded, one after the other. @param {Session} session */
async function replayPresses(session) {
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
