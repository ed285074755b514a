/**
 * Animations of the pieces and of the drawing. `finishAll` ends them early. None runs if reduced motion is requested.
 *
 * @typedef {import("./overlays.js").Point} Point
 */

/** Milliseconds. `run`: each jump of several in a row. */
export const DURATION = { jump: 180, run: 120, slide: 90, fade: 80, turn: 140 };
const EASE = "cubic-bezier(.3, .7, .3, 1)";
const ARC = 0.16;
/** Greatest height of a jump, in drawing units. A higher jump would be clipped on a board that is drawn large. */
const MAX_RISE = 78;

/** Return whether animations are off, by the setting of the page or of the operating system. */
export const hasReducedMotion = () =>
  document.documentElement.dataset.motion === "none" ||
  matchMedia("(prefers-reduced-motion: reduce)").matches;

/** @param {Element} element @param {Keyframe[]} frames @param {KeyframeAnimationOptions} options */
const animate = (element, frames, options) => (hasReducedMotion() ? null : element.animate(frames, options));

/** @param {Point} point @param {string} [more] */
const at = ({ x, y }, more = "") => `translate(${x}px, ${y}px) ${more}`;

/** Animate one jump, or several jumps in a row, as low arcs.
 * @param {Element} piece @param {Point[]} points middles of the holes visited, including the first */
export function jump(piece, points) {
  const arcs = points.slice(1).flatMap((to, index) => [
    { transform: at(summit(points[index], to), "scale(1.1)"), easing: "ease-in" },
    { transform: at(to), easing: "ease-out" },
  ]);
  const duration = arcs.length > 2 ? DURATION.run * (points.length - 1) : DURATION.jump;
  animate(piece, [{ transform: at(points[0]), easing: "ease-out" }, ...arcs], { duration });
}

/** Return the highest point of the arc between two points. @param {Point} from @param {Point} to @returns {Point} */
const summit = (from, to) => ({
  x: (from.x + to.x) / 2,
  y: (from.y + to.y) / 2 - Math.min(MAX_RISE, ARC * Math.hypot(to.x - from.x, to.y - from.y)),
});

/** Animate a slide. @param {Element} piece @param {Point} from @param {Point} to */
export function slide(piece, from, to) {
  animate(piece, [{ transform: at(from) }, { transform: at(to) }], {
    duration: DURATION.slide,
    easing: EASE,
  });
}

/** Fade out a captured piece until the jumping piece lands, then remove it from the drawing. @param {Element} piece
 * @param {number} [jumpIndex] index of the jump that captures the piece; undefined for a single jump */
export function fadeOut(piece, jumpIndex) {
  const landing = jumpIndex === undefined ? DURATION.jump : DURATION.run * (jumpIndex + 1);
  const fading = animate(piece, [{ opacity: 1 }, { opacity: 0 }], {
    duration: DURATION.fade,
    delay: landing - DURATION.fade,
  });
  if (fading)
    fading.finished.then(
      () => piece.remove(),
      () => piece.remove(),
    );
  else piece.remove();
}

/** Fade in a new piece. @param {Element} piece */
export function fadeIn(piece) {
  animate(piece, [{ opacity: 0 }, { opacity: 1 }], { duration: DURATION.fade });
}

/** Animate a flip. The new side is already drawn. @param {Element} side */
export function turn(side) {
  animate(side, [{ transform: "scaleX(-1)" }, { transform: "scaleX(1)" }], {
    duration: DURATION.turn,
    easing: EASE,
  });
}

/** Shake an element briefly, to show that a move is not possible. @param {Element} element */
export function shake(element) {
  const frames = [0, -5, 5, -3, 0].map((x) => ({ transform: `translate(${x}px)` }));
  animate(element, frames, { duration: 220 });
}

/** Jump to the end of all animations inside an element. @param {Element} element */
export const finishAll = (element) =>
  element.getAnimations({ subtree: true }).forEach((motion) => motion.finish());
