/**
 * The moment when a piece lands: how long it is in the air, and what is shown when its landing solves the puzzle. All of
 * it is over in 900 milliseconds, or at the next press; with reduced motion only its result is shown.
 *
 * @typedef {import("../game/cells.js").Travel} Travel
 * @typedef {import("./overlays.js").Point} Point
 */
import { DURATION, hasReducedMotion } from "./animation.js";
import { svg } from "../ui/dom.js";

/** Longest way of a slide, in drawing units. Longer ways are jumps. */
const LONGEST_SLIDE = 105;

/** Milliseconds from the landing to the beginning of each part of the show, and its duration. */
const SHOW = {
  knock: { delay: 0, duration: 120 },
  ring: { delay: 120, duration: 400 },
  plaque: { delay: 320, duration: 200 },
  ripple: { delay: 300, duration: 240, spread: 320 },
};

/** Return whether a piece jumps from one point to another, rather than slides. @param {Point} start @param {Point} end */
export function isJump(start, end) {
  return Math.hypot(end.x - start.x, end.y - start.y) > LONGEST_SLIDE;
}

/** Return the milliseconds until all pieces have landed; 0 without animations. @param {readonly Travel[]} travels
 * @param {(hole: number) => Point} pointOf */
export function flightTime(travels, pointOf) {
  const times = travels.map((travel) => {
    const jumps = (travel.path?.length ?? 2) - 1;
    if (jumps > 1) return DURATION.run * jumps;
    return isJump(pointOf(travel.from), pointOf(travel.to)) ? DURATION.jump : DURATION.slide;
  });
  return hasReducedMotion() ? 0 : Math.max(0, ...times);
}

/** Create the sign of a solved board: a ring around the last peg, or the lit edge of the board.
 * @param {Point} at place of the last peg @param {string} edge path of the edge; "" for the ring */
export function solvedSign({ x, y }, edge) {
  const circle = `M${x} ${y - 44}a44 44 0 1 1-.01 0z`;
  const group = svg("g", { class: "m-solved" });
  for (const name of ["m-wire", "m-core m-light"])
    group.append(svg("path", { class: name, pathLength: 1, d: edge || circle }));
  return group;
}

/** Show that the puzzle is solved as soon as the last piece has landed.
 * @param {Element} piece the piece that solves it @param {Element} sign see `solvedSign`
 * @param {number} flight milliseconds until the piece lands @param {ParentNode | null} around what has the captured pieces and
 * the verdict */
export function celebrate(piece, sign, flight, around) {
  if (hasReducedMotion()) return;
  const captured = [...(around?.querySelectorAll(".captured svg") ?? [])];
  const side = piece.firstElementChild ?? piece;
  const pause = SHOW.ripple.spread / Math.max(1, captured.length);
  const motions = [
    moved(side, [NONE, { transform: "translate(0, 3px) scale(.97)" }, NONE], SHOW.knock, flight),
    ...[...sign.children].map((ring) => moved(ring, [EMPTY, FULL], SHOW.ring, flight)),
    ...[...(around?.querySelectorAll(".verdict") ?? [])].map((plaque) =>
      moved(plaque, [EDGE_ON, FLAT], SHOW.plaque, flight),
    ),
    ...captured.map((peg, index) =>
      moved(peg, [NONE, { transform: "translateY(-6px)" }, NONE], SHOW.ripple, flight + index * pause),
    ),
  ];
  const finish = () => motions.forEach((motion) => motion.finish());
  for (const press of ["pointerdown", "keydown"])
    addEventListener(press, finish, { once: true, capture: true });
}

const NONE = { transform: "none" };
const EMPTY = { strokeDasharray: "1 1", strokeDashoffset: 1, opacity: 0.2 };
const FULL = { strokeDasharray: "1 1", strokeDashoffset: 0, opacity: 1 };
const EDGE_ON = { transform: "rotateX(90deg)", opacity: 0 };
const FLAT = { transform: "none", opacity: 1 };

/** @param {Element} element @param {Keyframe[]} frames @param {{ delay: number, duration: number }} times
 * @param {number} flight milliseconds before the landing */
const moved = (element, frames, { delay, duration }, flight) =>
  element.animate(frames, { delay: flight + delay, duration, easing: "ease-in-out", fill: "backwards" });
