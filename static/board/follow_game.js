/** The board of a game in progress. */
import { viewOf } from "../game/board_view.js";
import { puzzle } from "../game/position.js";

/** @type {Record<string, true>} */
const REFUSALS = { "note.stuck": true, "note.empty": true, "note.illegal": true };
/** Fields of the state that a board shows. @type {import("../game/session.js").Fields} */
const FIELDS =
  // prettier-ignore
  ["line", "solution", "edit", "analysis", "selected", "chains", "hint", "note", "travel", "assistance", "movable", "slack"];

/** Let a board show a game. @param {import("../game/session.js").Session} session @param {import("./board.js").Board} board
 * @param {() => Partial<import("../game/board_view.js").BoardView>} [more] returns what else the board shows */
export function followGame(session, board, more = () => ({})) {
  session.follow(FIELDS, (state) => board.show({ ...viewOf(puzzle, state, session.shown), ...more() }));
  session.subscribe(["note"], ({ note }) => {
    if (note && note.key in REFUSALS) board.refuse();
  });
}
