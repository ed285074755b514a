/**
 * Pointers on the board: one that comes and goes on a hole presses it; one that wanders off carries the piece. A click
 * counts only where no pointer made it, as by keys: browsers leave out the click of a tap soon after a drag, and that of
 * a tap after which the board has another size is on another hole.
 *
 * @typedef {import("./overlays.js").Point} Point
 */
import { isScrolled, scrollAtEdges } from "./zoom.js";

/** Pixels a pointer may wander before a press becomes a drag. */
const THRESHOLD = 7;
/** How near to a hole's middle a drop must be, in drawing units. */
const REACH = 56;
/** Milliseconds within which a click belongs to the pointer that went up. */
const CLICK = 600;
/** Says that a piece is being carried: then the gesture is all ours, else the browser would take the end of a quick one
 * for a fling and leave out the tap that comes next, wherever it is. */
const CARRYING = "carrying";

/** @typedef {{ press: (hole: number) => void, drop: (from: number, to: number | null, way: [number, number]) => Promise<void>,
 *   cancel: () => void }} Game */

/** @param {import("./board.js").Board} board @param {Game} game */
export function listen(board, game) {
  board.root.addEventListener("touchmove", (event) => CARRYING in board.drawing.dataset && event.cancelable && event.preventDefault(), { passive: false });
  let up = -Infinity;
  const isMade = (/** @type {UIEvent} */ { detail, timeStamp }) => detail === 0 || timeStamp - up > CLICK;
  const desk = board.root.closest(".desk");
  desk?.addEventListener("pointerdown", () => (up = -Infinity));
  desk?.addEventListener("click", (event) => {
    const { target } = event;
    if (isMade(/** @type {UIEvent} */ (event)) && target instanceof Element && !target.closest("button, a, form, summary")) game.cancel();
  });
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("click", (event) => {
      if (isMade(event)) game.press(hole);
    });
    spot.addEventListener("pointerdown", (event) => {
      if (event.button === 0) follow(board, hole, event, game, (when) => (up = when));
    });
  });
}

/** Follow one pointer until it is let go. @param {import("./board.js").Board} board @param {number} hole
 * @param {PointerEvent} down @param {Game} game @param {(when: number) => void} over told when it went up */
function follow(board, hole, down, game, over) {
  const spot = board.spots[hole];
  const grip = difference(board.point(hole), place(board, down));
  const hasPiece = board.piece(hole) !== undefined;
  const isOurs = getComputedStyle(spot).touchAction === "none"; // else the browser may move the board or the page
  const done = new AbortController();
  const { signal } = done;
  let moving = false;
  let last = down;
  spot.setPointerCapture(down.pointerId);
  const drop = (/** @type {number | null} */ target, /** @type {PointerEvent} */ { clientX, clientY }) =>
    game.drop(hole, target, [clientX - down.clientX, clientY - down.clientY]).then(() => board.piece(hole) && board.carry(hole, board.point(hole)));
  const carry = () => board.carry(hole, sum(place(board, last), grip));
  const move = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    last = event;
    const wasMoving = moving;
    moving ||= Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > THRESHOLD;
    if (moving && hasPiece) carry();
    if (moving && hasPiece && isOurs) board.drawing.dataset[CARRYING] = "";
    if (moving && hasPiece && !wasMoving) scrollAtEdges(signal, () => last.clientX, carry);
  };
  const end = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    done.abort();
    delete board.drawing.dataset[CARRYING];
    over(event.timeStamp);
    if (!moving) game.press(hole);
    else if (hasPiece) drop(nearest(board, sum(place(board, event), grip)), event);
  };
  spot.addEventListener("pointermove", move, { signal });
  spot.addEventListener("pointerup", end, { signal });
  spot.addEventListener("pointercancel", () => (done.abort(), delete board.drawing.dataset[CARRYING], moving && hasPiece && drop(null, isScrolled() ? down : last)), { signal });
}

/** A pointer's place in drawing units. @param {import("./board.js").Board} board @param {PointerEvent} event @returns {Point} */
function place(board, event) {
  const screen = board.drawing.getScreenCTM();
  return new DOMPoint(event.clientX, event.clientY).matrixTransform(screen?.inverse());
}

/** @param {import("./board.js").Board} board @param {Point} at @returns {number | null} */
function nearest(board, at) {
  const far = (/** @type {number} */ hole) => Math.hypot(board.point(hole).x - at.x, board.point(hole).y - at.y);
  const best = board.spots.reduce((near, _, hole) => (far(hole) < far(near) ? hole : near), 0);
  return far(best) < REACH ? best : null;
}

/** @param {Point} a @param {Point} b */
const sum = (a, b) => ({ x: a.x + b.x, y: a.y + b.y });

/** @param {Point} a @param {Point} b */
const difference = (a, b) => ({ x: a.x - b.x, y: a.y - b.y });
