/**
 * Marks for groups of holes: rings, frames and dots with the number of each group.
 *
 * @typedef {import("./overlays.js").Point} Point
 */
import { svg } from "../ui/dom.js";
import { numeral } from "./overlays.js";

/** Radius of the ring that leaves those of the goal hole visible. */
const AROUND_GOAL = 54;

/** Create marks for groups of holes with their numbers; 0 is not written. If the groups are disjoint, each group is drawn as rings
 * joined by a line. Otherwise a group within one row or column gets a frame, and any other group gets a dot in a corner
 * of each hole.
 * @param {number[][]} groups each with its number before its holes @param {(hole: number) => Point} pointOf
 * @param {Point | null} goal the hole where the last piece has to end */
export function groupMarks(groups, pointOf, goal) {
  const layers = groups.map(([, ...holes], index) =>
    Number(groups.slice(0, index).some(([, ...others]) => others.some((hole) => holes.includes(hole)))),
  );
  const areDisjoint = !layers.includes(1);
  /** @type {Element[]} */
  const marks = [];
  groups.forEach(([number, ...holes], index) => {
    const points = holes.map(pointOf);
    const isFramed = !areDisjoint && points.length > 1 && isLine(points);
    const draw = areDisjoint ? ringsAround(goal) : isFramed ? frame : dots;
    const group = svg("g", { class: layers[index] ? "m-group above" : "m-group" });
    group.append(...draw(points, number, layers[index]));
    if (isFramed) marks.unshift(group);
    else marks.push(group);
  });
  return marks;
}

/** Return whether all points are in one row or column. @param {Point[]} points */
const isLine = (points) =>
  points.every(({ x }) => x === points[0].x) || points.every(({ y }) => y === points[0].y);

/** @param {Point | null} goal */
const ringsAround = (goal) => (/** @type {Point[]} */ points, /** @type {number} */ number) => {
  const isGoal = (/** @type {Point} */ { x, y }) => goal?.x === x && goal.y === y;
  const line = points.map(({ x, y }, index) => `${index ? "L" : "M"}${x} ${y}`).join("");
  const tie = points.length > 1 && number ? [svg("path", { class: "m-tie", d: line })] : [];
  const drawn = ["m-count under", "m-count"].flatMap((name) =>
    points.map(({ x, y }) =>
      svg("circle", { class: name, cx: x, cy: y, r: isGoal({ x, y }) ? AROUND_GOAL : 45 }),
    ),
  );
  return [...tie, ...drawn, ...(number ? [tag(points[0], number)] : [])];
};

/** @param {Point[]} points @param {number} number */
function frame(points, number) {
  const [first, last] = [points[0], points[points.length - 1]];
  const box = {
    x: first.x - 36,
    y: first.y - 36,
    width: last.x - first.x + 72,
    height: last.y - first.y + 72,
    rx: 30,
  };
  return [
    ...["m-frame under", "m-frame"].map((name) => svg("rect", { class: name, ...box })),
    tag(last, number, 1),
  ];
}

/** @param {Point[]} points @param {number} number @param {number} layer */
function dots(points, number, layer) {
  return points.map((point, index) => tag(point, index ? 0 : number, layer));
}

/** Create a numbered dot in the upper right corner of a hole, or in the lower left corner for layer 1.
 * @param {Point} at @param {number} number 0 for a dot without number
 * @param {number} [layer] */
function tag({ x, y }, number, layer = 0) {
  const side = layer ? -1 : 1;
  const radius = number > 9 || number < 0 ? 21 : number ? 17 : 10;
  return numeral(
    { x: x + 32 * side, y: y - 32 * side },
    number ? String(number).replace("-", "−") : "",
    radius,
  );
}
