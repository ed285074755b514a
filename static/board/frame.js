/** The frame around a board, which scrolls a board that is larger. */

/** Distance from the edge of the frame, in pixels, within which a carried piece scrolls the frame. */
const EDGE = 36;
/** Pixels scrolled in one animation frame. */
const SCROLL_STEP = 5;

/** @param {import("./board.js").Board} board */
const frameOf = (board) => /** @type {Element} */ (board.root.parentElement ?? board.root);

/** Return whether the frame is smaller than the board in it, so that fingers scroll the board.
 * @param {import("./board.js").Board} board */
export function isScrolled(board) {
  const frame = frameOf(board);
  return frame.scrollWidth > frame.clientWidth || frame.scrollHeight > frame.clientHeight;
}

/** Scroll sideways while a piece is held at an edge of the frame. @param {import("./board.js").Board} board
 * @param {AbortSignal} signal ends the scrolling @param {() => number} x returns the place of the pointer, in pixels @param {() => void} moved called after each scroll */
export function scrollAtEdges(board, signal, x, moved) {
  const frame = frameOf(board);
  const step = () => {
    if (signal.aborted) return;
    const { left, right } = frame.getBoundingClientRect();
    const before = frame.scrollLeft;
    frame.scrollLeft += x() < left + EDGE ? -SCROLL_STEP : x() > right - EDGE ? SCROLL_STEP : 0;
    if (frame.scrollLeft !== before) moved();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
