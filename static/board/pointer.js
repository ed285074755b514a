/**
 * Pointer input on the board. The hole is the nearest one drawn, whichever button lies under the pointer. A pointer released
 * near the point where it came down presses the hole; a pointer that moves farther drags the piece. Click events count only
 * if they come from the keyboard, because browsers omit the click of a tap shortly after a drag, and send it to another hole
 * if the tap has resized the board.
 *
 * @typedef {import("./overlays.js").Point} Point
 */
import { Carried } from "./carried.js";
import { newDwell } from "./dwell.js";
import { isScrolled, scrollAtEdges } from "./frame.js";

/** Pixels that a pointer may move before a press becomes a drag. */
const DRAG_THRESHOLD = 7;
/** Greatest distance between a drop and the middle of its hole, in drawing units. */
const DROP_RADIUS = 56;
/** Milliseconds after `pointerup` in which a click belongs to the pointer. */
const CLICK_WINDOW = 600;
/** Data attribute that is set while a piece is dragged. The page then handles the whole gesture. Otherwise the browser
 * would treat the end of a quick drag as a fling and swallow the next tap. */
const CARRYING = "carrying";

/** @typedef {object} Game
 * @property {(hole: number) => void} press
 * @property {(hole: number) => void} lift
 * @property {(from: number, to: number) => Promise<boolean>} hop takes the jump over whose end a dragged peg rests; returns
 *   whether it was made
 * @property {(from: number, to: number | null, direction: [number, number]) => Promise<void>} drop
 * @property {() => void} cancel
 */

/** Return whether the page is in calm mode: nothing is dragged, and presses that follow too soon were not meant. */
const isCalm = () => "calm" in document.documentElement.dataset;

/** Milliseconds in which a second press is not meant, for a hand that trembles. */
const STEADY = 500;

/** Milliseconds between two checks of where a dragged piece is. */
const LOOK = 40;

/** Connect the pointer events of a board with a game. @param {import("./board.js").Board} board @param {Game} given
 * @param {Element | null} [area] a click in it beside the board cancels */
export function listenForPointers(board, given, area = null) {
  let pressed = -Infinity;
  const game = {
    ...given,
    press: (/** @type {number} */ hole) => {
      const now = performance.now();
      const isMeant = !isCalm() || now - pressed > STEADY;
      pressed = now;
      if (isMeant) given.press(hole);
    },
  };
  board.root.addEventListener(
    "touchmove",
    (event) => CARRYING in board.drawing.dataset && event.cancelable && event.preventDefault(),
    { passive: false },
  );
  let up = -Infinity;
  const isFromKeyboard = (/** @type {UIEvent} */ { detail, timeStamp }) =>
    detail === 0 || timeStamp - up > CLICK_WINDOW;
  area?.addEventListener("pointerdown", () => (up = -Infinity));
  area?.addEventListener("click", (event) => {
    const { target } = event;
    if (
      isFromKeyboard(/** @type {UIEvent} */ (event)) &&
      target instanceof Element &&
      !target.closest("button, a, form, summary")
    )
      game.cancel();
  });
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("click", (event) => {
      if (isFromKeyboard(event)) game.press(hole);
    });
  });
  board.root.addEventListener("pointerdown", (event) => {
    const pointer = /** @type {PointerEvent} */ (event);
    const isOnButton = event.target instanceof Element && event.target.closest("[data-hole]") !== null;
    const hole = nearest(board, place(board, pointer), isOnButton ? Infinity : DROP_RADIUS);
    if (hole !== null && pointer.button === 0) follow(board, hole, pointer, game, (when) => (up = when));
  });
}

/** Follow one pointer until it is released or cancelled. @param {import("./board.js").Board} board @param {number} pressed
 * hole @param {PointerEvent} down @param {Game} game @param {(when: number) => void} released called with the time of `pointerup` */
function follow(board, pressed, down, game, released) {
  let hole = pressed; // of the piece, which a drag may take from hole to hole
  const spot = board.spots[pressed];
  const offset = difference(board.pointOf(hole), place(board, down));
  const hasPiece = board.piece(hole) !== undefined;
  const isOurs = getComputedStyle(spot).touchAction === "none"; // otherwise the browser may scroll the board or the page
  const done = new AbortController();
  const { signal } = done;
  /** @type {Carried | null} */
  let carried = null;
  let hopping = Promise.resolve();
  let moving = false;
  let last = down;
  spot.setPointerCapture(down.pointerId);
  const under = (/** @type {PointerEvent} */ event) => sum(place(board, event), offset);
  const carry = () => {
    carried?.follow(last);
    board.aim(nearest(board, under(last)));
  };
  const begin = () => {
    const screen = board.drawing.getScreenCTM();
    if (!hasPiece || !screen) return;
    carried = new Carried(board, hole, screen, down);
    if (isOurs) board.drawing.dataset[CARRYING] = "";
    scrollAtEdges(board, signal, () => last.clientX, carry);
    game.lift(hole);
    if (board.puzzle.multiStepMoves) hopAlong();
  };
  /** Take each jump over whose end the peg rests; the drag goes on with it. */
  const hopAlong = () => {
    const dwell = newDwell();
    const timer = setInterval(() => {
      const over = nearest(board, under(last));
      const to = dwell(over !== null && board.isTarget(over) ? over : null, performance.now());
      if (to !== null) hopping = hopping.then(async () => void ((await game.hop(hole, to)) && (hole = to)));
    }, LOOK);
    signal.addEventListener("abort", () => clearInterval(timer));
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId || isCalm()) return;
    last = event;
    if (!moving && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) <= DRAG_THRESHOLD)
      return;
    if (!moving) begin();
    moving = true;
    carry();
  };
  const end = () => {
    done.abort();
    delete board.drawing.dataset[CARRYING];
    carried?.remove();
  };
  const drop = async (/** @type {number | null} */ target, /** @type {PointerEvent} */ event) => {
    await hopping;
    board.letGo(hole, under(last));
    if (hole !== pressed && (target === null || target === hole)) return board.putBack(hole); // keeps its jumps
    const way = /** @type {[number, number]} */ ([
      event.clientX - down.clientX,
      event.clientY - down.clientY,
    ]);
    game.drop(hole, target, way).then(() => board.putBack(hole));
  };
  const up = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    end();
    released(event.timeStamp);
    last = event;
    if (!moving) {
      // in calm mode nothing is dragged, but what leaves its hole was no press on it either
      if (!isCalm() || nearest(board, place(board, event), Infinity) === pressed) game.press(pressed);
    } else if (carried) drop(nearest(board, under(event)), event);
  };
  const cancel = () => {
    end();
    if (carried) drop(null, isScrolled(board) ? down : last);
  };
  spot.addEventListener("pointermove", move, { signal });
  spot.addEventListener("pointerup", up, { signal });
  spot.addEventListener("pointercancel", cancel, { signal });
}

/** Return the position of a pointer in drawing units.
 * @param {import("./board.js").Board} board @param {PointerEvent} event @returns {Point} */
function place(board, event) {
  const screen = board.drawing.getScreenCTM();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(screen?.inverse());
}

/** Return the hole nearest to a point; null if none is within `radius`.
 * @param {import("./board.js").Board} board @param {Point} at @param {number} [radius] @returns {number | null} */
function nearest(board, at, radius = DROP_RADIUS) {
  const distance = (/** @type {number} */ hole) =>
    Math.hypot(board.pointOf(hole).x - at.x, board.pointOf(hole).y - at.y);
  const best = board.spots.reduce((near, _, hole) => (distance(hole) < distance(near) ? hole : near), 0);
  return distance(best) < radius ? best : null;
}

/** @param {Point} a @param {Point} b */
const sum = (a, b) => ({ x: a.x + b.x, y: a.y + b.y });

/** @param {Point} a @param {Point} b */
const difference = (a, b) => ({ x: a.x - b.x, y: a.y - b.y });
