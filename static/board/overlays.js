/**
 * Overlays on the board: marks for the selected piece, its targets, the last move and the hint. Their shapes are in
 * templates/drawing/glyphs.svg; this module only places them.
 *
 * @typedef {{ x: number, y: number }} Point
 */
import { svg } from "../ui/dom.js";

/** Moves of a line whose arrows are not faint. */
const STRONG_ARROWS = 3;
const ARROW = { start: 46, end: 30, head: 26, bend: 0.2 };

/** Create a `use` element that draws a glyph at a point. @param {string} name @param {Point} at */
export const glyph = (name, { x, y }) => svg("use", { href: `#${name}`, x, y });

/** Create a piece in a hole. @param {string} name of its glyph @param {number} hole @param {Point} at */
export function pieceAt(name, hole, { x, y }) {
  const piece = svg("g", { class: "piece", "data-at": hole, transform: `translate(${x} ${y})` });
  piece.append(svg("use", { href: `#${name}` }));
  return piece;
}

/** Create a bent arrow between two holes, drawn like `arrow` in server/hoppers/web/drawing/board_picture.py.
 * @param {Point} from @param {Point} to */
export function arrow(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const across = { x: (from.y - to.y) / length, y: (to.x - from.x) / length };
  const bend = ARROW.bend * length;
  const control = { x: (from.x + to.x) / 2 + across.x * bend, y: (from.y + to.y) / 2 + across.y * bend };
  const tail = towards(from, control, Math.min(ARROW.start, length * 0.3));
  const tip = towards(to, control, Math.min(ARROW.end, length * 0.2));
  const neck = towards(tip, control, ARROW.head);
  const side = { x: (tip.y - neck.y) * 0.73, y: (neck.x - tip.x) * 0.73 };
  const shaft = `M${tail.x} ${tail.y}Q${control.x} ${control.y} ${neck.x} ${neck.y}`;
  const head = `M${tip.x} ${tip.y}L${neck.x + side.x} ${neck.y + side.y}L${neck.x - side.x} ${neck.y - side.y}z`;
  const group = svg("g", { class: "m-arrow" });
  group.append(
    svg("path", { class: "m-wire", "stroke-width": 17, d: shaft }),
    svg("path", { class: "m-core m-hint", "stroke-width": 10, d: shaft }),
    svg("path", { class: "m-hint-fill", d: head }),
  );
  return group;
}

/** Create one arrow for each step of a move, numbered if there are several. @param {Point[]} points @returns {Element[]} */
export function moveArrows(points) {
  const jumps = points.slice(1).map((to, index) => ({ from: points[index], to }));
  const arrows = jumps.map(({ from, to }) => arrow(from, to));
  return jumps.length < 2
    ? arrows
    : [...arrows, ...jumps.map(({ from, to }, index) => numeral(middle(from, to), index + 1))];
}

/** Create the arrows of the moves of a line, which need not be connected; only those of the last moves are strong.
 * @param {Point[][]} moves @returns {Element[]} */
export function lineArrows(moves) {
  const arrows = moves.map(moveArrows);
  for (const arrow of arrows.slice(0, -STRONG_ARROWS).flat()) arrow.classList.add("past");
  return arrows.flat();
}

/** Create the broken line of a step that refutes a claim. @param {Point} from @param {Point} to */
export const brokenLine = (from, to) =>
  svg("path", { class: "m-fault", d: `M${from.x} ${from.y}L${to.x} ${to.y}` });

/** Return the point of a bent arrow that is farthest from the straight line between its ends.
 * @param {Point} from @param {Point} to @returns {Point} */
const middle = (from, to) => ({
  x: (from.x + to.x) / 2 + ((from.y - to.y) * ARROW.bend) / 2,
  y: (from.y + to.y) / 2 + ((to.x - from.x) * ARROW.bend) / 2,
});

/** Create the ribbon of a run of jumps, with a dot in each hole that it leaves.
 * @param {Point[]} points middles of the holes visited */
export function ribbon(points) {
  const path = points.map(({ x, y }, index) => `${index ? "L" : "M"}${x} ${y}`).join("");
  const group = svg("g", { class: "m-run" });
  group.append(
    svg("path", { class: "m-wire", "stroke-width": 16, d: path }),
    svg("path", { class: "m-core m-ribbon", "stroke-width": 10, d: path }),
    ...points.slice(0, -1).map(({ x, y }) => svg("circle", { class: "m-ribbon-end", cx: x, cy: y, r: 12 })),
  );
  return group;
}

/** Create a label on a jump, between its peg and the one that it takes, with what it uses up of the slack.
 * @param {Point} from @param {Point} to @param {number} price */
export function paymentLabel(from, to, price) {
  const label = numeral(
    { x: (3 * from.x + to.x) / 4, y: (3 * from.y + to.y) / 4 },
    price ? `−${price}` : "0",
    19,
  );
  label.classList.add("m-payment");
  return label;
}

/** Create a number in a circle. @param {Point} at @param {number | string} number @param {number} [radius] of the circle */
export function numeral({ x, y }, number, radius = 17) {
  const group = svg("g", { class: "m-numeral", transform: `translate(${x} ${y})` });
  const text = svg("text", { y: 9 });
  text.textContent = String(number);
  group.append(svg("circle", { r: radius }), text);
  return group;
}

/** @param {Point} from @param {Point} to @param {number} distance @returns {Point} */
function towards(from, to, distance) {
  const share = distance / Math.hypot(to.x - from.x, to.y - from.y);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}
