/**
 * A board that is being drawn, on a grid of places: which are holes, which holes are empty, where the red peg is and where the
 * last peg has to end. Values never change; every change is a new sketch. Odd rows of a triangular lattice stand half a place
 * further right.
 *
 * @typedef {object} Sketch
 * @property {string} lattice `s`, `d` or `t`: see tables/drawing.js
 * @property {ReadonlySet<string>} holes places such as "3,2": column and row
 * @property {ReadonlySet<string>} empty those without a peg
 * @property {string | null} red place of the red peg
 * @property {string | null} goal place where the last peg has to end; null: anywhere
 * @property {boolean} [isChosen] whether the visitor has chosen what is empty; if not, the page shows a start that can be solved
 *
 * @typedef {import("../tables/drawing.js").Drawing} Drawing
 * @typedef {import("../tables/drawing.js").Point} Point
 */
import { ANY_GOAL } from "../tables/goals.js";

/** Columns and rows of the grid, and what a larger drawing leaves free around it. */
const SIDE = 9;
const MARGIN = 1;

/** @type {Sketch} */
export const BLANK = { lattice: "s", holes: new Set(), empty: new Set(), red: null, goal: null };

/** @param {number} column @param {number} row */
export const placeAt = (column, row) => `${column},${row}`;

/** Return column and row of a place. @param {string} place */
export const partsOf = (place) => /** @type {Point} */ (place.split(",").map(Number));

/** Return the place of a hole of a drawing. @param {string} lattice @param {Point} point */
const onGrid = (lattice, [x, y]) => /** @type {Point} */ ([lattice === "t" ? x - Math.ceil(y / 2) : x, y]);

/** Return the point of a drawing at a place. @param {string} lattice @param {Point} place */
const onLattice = (lattice, [column, row]) =>
  /** @type {Point} */ ([lattice === "t" ? column + Math.ceil(row / 2) : column, row]);

/** Return the holes in reading order. @param {Sketch} sketch */
export const inOrder = ({ holes }) =>
  [...holes].sort((one, other) => {
    const [[x, y], [otherX, otherY]] = [partsOf(one), partsOf(other)];
    return y - otherY || x - otherX;
  });

/** Return the drawing of a sketch; null if it has no hole. @param {Sketch} sketch @returns {Drawing | null} */
export function drawingIn(sketch) {
  const points = inOrder(sketch).map((place) => onLattice(sketch.lattice, partsOf(place)));
  return points.length ? { lattice: sketch.lattice, points } : null;
}

/** Return the sketch of a drawing, in the middle of the grid, with a position and a goal as texts.
 * @param {Drawing} drawing @param {string} [position] @param {string} [goal] */
export function sketchOf({ lattice, points }, position = "", goal = ANY_GOAL) {
  const places = points.map((point) => onGrid(lattice, point));
  const [columns, rows] = [0, 1].map((axis) => places.map((place) => place[axis]));
  const [left, top] = [Math.min(...columns), Math.min(...rows)];
  const spare = (/** @type {number[]} */ line) =>
    Math.max(MARGIN, (SIDE - 1 - Math.max(...line) + Math.min(...line)) >> 1);
  const down = lattice === "t" ? spare(rows) & ~1 : spare(rows); // rows keep their side
  const order = places.map(([column, row]) => placeAt(column - left + spare(columns), row - top + down));
  const cells = order.map((place, hole) => /** @type {const} */ ([place, position[hole] ?? "o"]));
  const withSign = (/** @type {string} */ sign) =>
    cells.filter(([, cell]) => cell === sign).map(([place]) => place);
  return {
    lattice,
    holes: new Set(order),
    empty: new Set(withSign(".")),
    red: withSign("r")[0] ?? null,
    goal: order[Number(goal)] ?? null,
    isChosen: position !== "",
  };
}

/** Return columns and rows of a grid that has room for a sketch. @param {Sketch} sketch */
export function sizeOf({ holes }) {
  const places = [...holes].map(partsOf);
  return [0, 1].map((axis) => Math.max(SIDE, ...places.map((place) => place[axis] + 1 + MARGIN)));
}

/** Return a sketch with a hole at a place, or without. @param {Sketch} sketch @param {string} place @param {boolean} isHole
 * @returns {Sketch} */
export function withHole(sketch, place, isHole) {
  const holes = new Set(sketch.holes);
  const empty = new Set(sketch.isChosen ? sketch.empty : []);
  if (isHole) holes.add(place);
  else holes.delete(place);
  empty.delete(place);
  const kept = (/** @type {string | null} */ at) => (at === place ? null : at);
  return { ...sketch, holes, empty, red: kept(sketch.red), goal: kept(sketch.goal) };
}

/** Return a sketch with other lines. @param {Sketch} sketch @param {string} lattice @returns {Sketch} */
export const withLattice = (sketch, lattice) => ({ ...sketch, lattice });

/** Return a sketch with something else in a hole: a peg, nothing or the red peg. @param {Sketch} sketch @param {string} place
 * @param {"o" | "." | "r"} cell @returns {Sketch} */
export function withCell(sketch, place, cell) {
  const empty = new Set(sketch.empty);
  if (cell === ".") empty.add(place);
  else empty.delete(place);
  const red = cell === "r" ? place : sketch.red === place ? null : sketch.red;
  return { ...sketch, empty, red, isChosen: true };
}

/** Return a sketch with a position. @param {Sketch} sketch @param {string} position @param {boolean} [isChosen] @returns {Sketch} */
export function withPosition(sketch, position, isChosen = true) {
  const order = inOrder(sketch);
  const withSign = (/** @type {string} */ sign) => order.filter((_, hole) => position[hole] === sign);
  return { ...sketch, empty: new Set(withSign(".")), red: withSign("r")[0] ?? null, isChosen };
}

/** Return a sketch with another goal; null: any hole. @param {Sketch} sketch @param {string | null} goal @returns {Sketch} */
export const withGoal = (sketch, goal) => ({ ...sketch, goal });

/** Return what is in a hole. @param {Sketch} sketch @param {string} place */
export const cellAt = ({ empty, red }, place) => (empty.has(place) ? "." : place === red ? "r" : "o");

/** Return the position as a text. @param {Sketch} sketch */
export const positionIn = (sketch) =>
  inOrder(sketch)
    .map((place) => cellAt(sketch, place))
    .join("");

/** Return the goal as a text. @param {Sketch} sketch */
export const goalIn = (sketch) =>
  sketch.goal === null ? ANY_GOAL : String(inOrder(sketch).indexOf(sketch.goal));

/** States of a sketch, with undo and redo. */
export class History {
  /** @param {Sketch} first */
  constructor(first) {
    this.states = [first];
    this.at = 0;
  }

  get now() {
    return this.states[this.at];
  }

  /** @param {Sketch} sketch */
  add(sketch) {
    this.states = [...this.states.slice(0, this.at + 1), sketch];
    this.at += 1;
  }

  /** Change the present state, as a stroke does that goes on. @param {Sketch} sketch */
  replace(sketch) {
    this.states[this.at] = sketch;
  }

  get canUndo() {
    return this.at > 0;
  }

  get canRedo() {
    return this.at < this.states.length - 1;
  }

  undo() {
    if (this.canUndo) this.at -= 1;
  }

  redo() {
    if (this.canRedo) this.at += 1;
  }
}
