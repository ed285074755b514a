/**
 * The stages of a game on a page: it waits for the first move, is played, and ends. At the end a sheet opens, but not
 * before the last piece has landed. States are immutable. This module is pure.
 *
 * @typedef {"arrive" | "play" | "end"} Stage
 * @typedef {"away" | "waiting" | "open"} Sheet "waiting": for the landing; "away": there is nothing to show, or it was closed
 * @typedef {Readonly<{ stage: Stage, sheet: Sheet, end: string }>} Stages `end`: text that changes with the end shown, or ""
 *
 * @typedef {{ type: "board", moves: number, end: string } | { type: "landed", end: string } | { type: "closed" }} Event
 *   `board`: the game on the board, the number of its steps, and the text of its end, "" before it
 */

/** @type {Stages} */
export const ARRIVED = { stage: "arrive", sheet: "away", end: "" };

/** Return the stages of a page that opens with a game. An end that came with a link opens no sheet.
 * @param {number} moves @param {string} end @param {boolean} isOwn whether the game was played here */
export const opened = (moves, end, isOwn) =>
  end && isOwn
    ? after(ARRIVED, { type: "board", moves, end })
    : { ...after(ARRIVED, { type: "board", moves, end }), sheet: /** @type {const} */ ("away") };

/** Return the stages after an event. @param {Stages} now @param {Event} event @returns {Stages} */
export function after(now, event) {
  if (event.type === "board") return onBoard(now, event);
  if (event.type === "closed") return { ...now, sheet: "away" };
  // of an end that was taken back meanwhile, or has been closed, nothing is shown
  return now.sheet === "waiting" && now.end === event.end ? { ...now, sheet: "open" } : now;
}

/** @param {Stages} now @param {{ moves: number, end: string }} game @returns {Stages} */
function onBoard(now, { moves, end }) {
  if (end === now.end && end) return now;
  if (end) return { stage: "end", sheet: "waiting", end };
  return { stage: moves ? "play" : "arrive", sheet: "away", end: "" };
}
