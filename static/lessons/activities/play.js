/** Guess the fewest moves of a position, then play a solution of that length. It is a game, with all its ways to play. */
import { judge } from "../bets.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault, tell, voice } from "../frame.js";
import { Board } from "../../board/board.js";
import { followGame } from "../../board/follow_game.js";
import { showHoleNumbers } from "../../board/hover.js";
import { listenForPointers } from "../../board/pointer.js";
import { analysis, faultOf } from "../../game/api.js";
import { begin, movesMade, positionAt } from "../../game/line.js";
import { followMoveSettings } from "../../keys/move_settings.js";
import { goal, puzzle } from "../../game/position.js";
import { Session } from "../../game/session.js";
import { focusWithArrows } from "../../keys/arrows.js";
import { listenForShortcuts, openHelp } from "../../keys/keyboard.js";
import { Announcer } from "../../play/announcer.js";
import { noteText, spokenNoteText } from "../../speech/note_text.js";
import { button, element, pageData, write } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";
import { offerLetterSettings } from "../../ui/shortcuts.js";

/**
 * @typedef {import("../../game/line.js").Line} Line
 * @typedef {import("../../game/session.js").State} State
 */

const { position } = pageData();
let hasGuessed = false;

export async function start() {
  const first = await analysis(position).catch(faultOf);
  if ("code" in first) return sayFault(first);
  const session = new Session(begin(first));
  const board = new Board(element(".board"), { puzzle, goal, texts });
  followGame(session, board);
  session.subscribe(["line"], ({ line }, before) => line.at > before.line.at && tellMove(line));
  session.subscribe(["note"], showRefusal);
  const undo = () => session.undo();
  button("undo").addEventListener("click", undo);
  drive({ costs: () => tellCosts(session), replay: () => session.goTo(0) });
  listen(session, board, { undo, "Ctrl+z": undo, "Ctrl+y": () => session.redo() });
  session.start();
  say("lesson.play.begin");
  askGuess(texts.get("lesson.ask.fewest"), (guess) => {
    const fewest = session.state.line.start.moves_left ?? 0;
    hasGuessed = true;
    closeGuess(() => toBoard(board));
    tell(judged(judge(guess, fewest, 1)), texts.get("lesson.fewest", { n: fewest }));
  });
}

/** @param {Board} board */
const toBoard = (board) => board.spots.find(({ tabIndex }) => tabIndex === 0)?.focus({ preventScroll: true });

/** Let the board be played by pointer, keyboard and in words. @param {Session} session @param {Board} board
 * @param {Record<string, () => void>} actions */
function listen(session, board, actions) {
  const announcer = new Announcer(session, board, STATUS, voice);
  /** @type {(() => void) | undefined} */
  let openLine;
  const type = async () => {
    const { offerTypedLine } = await import("../../play/type_line.js");
    openLine ??= offerTypedLine({ session, announcer, toBoard: () => toBoard(board) });
    openLine();
  };
  announcer.start();
  listenForPointers(board, session);
  followMoveSettings(session);
  showHoleNumbers(board);
  focusWithArrows(
    board,
    () => false,
    () => announcer.answer(texts.get("say.edge")),
  );
  listenForShortcuts({ ...announcer.actions, ...actions, type: () => void type(), "?": openHelp });
  offerLetterSettings();
}

/** What the lesson writes about the game: its sentences are said where they are written, so only notes are left to say.
 * @type {import("../../play/announcer.js").Status} */
const STATUS = {
  fields: ["line", "note"],
  verdict: "",
  hasResult: false,
  spokenNote: ({ note, line }) =>
    note && note.key !== "note.chain"
      ? spokenNoteText(note, positionAt(line).position, puzzle.objective)
      : "",
};

/** Show why a press is refused; it is said already. @param {State} state */
function showRefusal({ note, line }) {
  if (note && note.key !== "note.chain")
    write(element(".verdict-line"), noteText(note, positionAt(line).position, puzzle.objective));
}

/** Say what the last step has cost. @param {Line} line */
function tellMove(line) {
  const { cost, verdict, moves_left } = line.steps[line.at - 1];
  const moves = movesMade(line);
  const fewest = line.start.moves_left ?? 0;
  tell(
    texts.get(cost ? "lesson.play.counts" : "lesson.play.free", { n: moves, jumps: line.at }),
    verdict === "solved"
      ? texts.get(moves === fewest ? "lesson.play.shortest" : "lesson.play.solved", { fewest })
      : verdict === "dead"
        ? texts.get("lesson.play.dead")
        : moves_left !== null && moves + moves_left > fewest
          ? texts.get("lesson.play.wasted", { n: moves + moves_left })
          : "",
  );
  if (verdict === "solved" && moves === fewest && hasGuessed) finish();
}

/** Say how many jumps continue the last move. @param {Session} session */
async function tellCosts(session) {
  const here = await session.stepsOf(positionAt(session.state.line).position);
  const free = here?.steps.filter(({ cost }) => cost === 0).length ?? 0;
  if (here) say("lesson.costs", { n: here.steps.length - free, free });
}
