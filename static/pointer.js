/**
 * Pointers on the board: a press is a click on a hole's button; a drag carries the piece.
 *
 * @typedef {import("./marks.js").Point} Point
 */

/** Pixels a pointer may wander before a press becomes a drag. */
const THRESHOLD = 7;
/** How near to a hole's middle a drop must be, in drawing units. */
const REACH = 56;

/**
 * @param {import("./board.js").Board} board
 * @param {{ press: (hole: number) => void, drop: (from: number, to: number | null, way: [number, number]) => Promise<void> }} game
 */
export function listen(board, game) {
  board.spots.forEach((spot, hole) => {
    let dragged = false;
    spot.addEventListener("click", () => (dragged ? (dragged = false) : game.press(hole)));
    spot.addEventListener("pointerdown", (event) => {
      dragged = false;
      if (event.button === 0 && board.piece(hole)) {
        drag(board, hole, event, () => (dragged = true), game);
      }
    });
  });
}

/** Follow one pointer until it is let go. @param {import("./board.js").Board} board @param {number} hole
 * @param {PointerEvent} down @param {() => void} begun @param {Parameters<typeof listen>[1]} game */
function drag(board, hole, down, begun, game) {
  const spot = board.spots[hole];
  const grip = difference(board.point(hole), place(board, down));
  let moving = false;
  const done = new AbortController();
  spot.setPointerCapture(down.pointerId);
  const over = (/** @type {number | null} */ target, /** @type {PointerEvent} */ { clientX, clientY }) => {
    done.abort();
    if (moving) game.drop(hole, target, [clientX - down.clientX, clientY - down.clientY]).then(() => board.piece(hole) && board.carry(hole, board.point(hole)));
  };
  const move = (/** @type {PointerEvent} */ event) => {
    if (event.pointerId !== down.pointerId) return;
    if (!moving && Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY) > THRESHOLD) {
      moving = true;
      begun();
    }
    if (moving) board.carry(hole, sum(place(board, event), grip));
  };
  spot.addEventListener("pointermove", move, { signal: done.signal });
  spot.addEventListener("pointerup", (event) => over(nearest(board, sum(place(board, event), grip)), event), { signal: done.signal });
  spot.addEventListener("pointercancel", () => over(null, down), { signal: done.signal });
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
