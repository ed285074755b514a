/** A board that is wider than the screen lies in a frame that scrolls: what matters is brought into view. */
import { element } from "./page.js";
import { isCalm } from "./motion.js";

/** How near to the frame's edge a carried piece makes it scroll, and how far in a frame, in pixels. */
const EDGE = 36;
const STRIDE = 5;

const frame = () => element(".easel");

/** The hint, and where the last step led. @param {import("./board.js").Board} board
 * @param {import("./session.js").Session} session */
export function keepInView(board, session) {
  session.subscribe((state, before) => {
    const { hint, travel } = state;
    const last = travel.at(-1);
    if (hint && hint !== before.hint) reveal(board.spots[hint.stage === 1 ? hint.from : hint.to]);
    else if (last && travel !== before.travel) reveal(board.spots[last.to]);
  });
}

/** @param {HTMLElement} spot */
function reveal(spot) {
  const { scrollWidth, clientWidth, scrollHeight, clientHeight } = frame();
  if (scrollWidth <= clientWidth && scrollHeight <= clientHeight) return;
  spot.scrollIntoView({ inline: "center", block: "nearest", behavior: isCalm() ? "auto" : "smooth" });
}

/** Scroll sideways as long as a piece is held at an edge. @param {AbortSignal} signal ends it
 * @param {() => number} x where the pointer is @param {() => void} moved called after each stride */
export function scrollAtEdges(signal, x, moved) {
  const step = () => {
    if (signal.aborted) return;
    const { left, right } = frame().getBoundingClientRect();
    const before = frame().scrollLeft;
    frame().scrollLeft += x() < left + EDGE ? -STRIDE : x() > right - EDGE ? STRIDE : 0;
    if (frame().scrollLeft !== before) moved();
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
