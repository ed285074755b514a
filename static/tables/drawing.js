/**
 * Drawn boards: the page's twin of server/hoppers/core/drawings.py. A drawing is a lattice and the holes on it; its
 * id, such as `own-s-2c-e-e-e-d`, says nothing else (see docs/own-boards.md).
 *
 * @typedef {[number, number]} Point column and row; rows of a triangular lattice are sheared: each begins half a hole further left
 * @typedef {{ lattice: string, points: Point[] }} Drawing points in reading order
 */
import { ANY_GOAL } from "./goals.js";

/** Longest run of holes that one letter stands for: v. */
const LONGEST_RUN = 22;

/** Directions of the lines of each lattice. @type {Record<string, Point[]>} */
const DIRECTIONS = {
  s: [
    [1, 0],
    [0, 1],
  ],
  d: [
    [1, 0],
    [0, 1],
    [1, 1],
    [1, -1],
  ],
  t: [
    [1, 0],
    [0, 1],
    [1, 1],
  ],
};

/** @typedef {[number, number, number, number]} Turn [a, b, c, d] turns (x, y) into (ax + by, cx + dy) */

/** @type {Turn[]} */
const QUARTERS = [
  [1, 0, 0, 1],
  [0, -1, 1, 0],
  [-1, 0, 0, -1],
  [0, 1, -1, 0],
];
/** @type {Turn[]} */
const SIXTHS = [
  [1, 0, 0, 1],
  [1, -1, 1, 0],
  [0, -1, 1, -1],
  [-1, 0, 0, -1],
  [-1, 1, -1, 0],
  [0, 1, -1, 1],
];

/** Return the drawing that an id spells; null if it spells none, or in another way than `idOf`. @param {string} id
 * @returns {Drawing | null} */
export function drawingOf(id) {
  const [, lattice, rows] = /^own-([sdt])-((?:[0-9]{1,2}|[a-v]|-)+)$/.exec(id) ?? [];
  if (!lattice) return null;
  const points = rows.split("-").flatMap((row, y) => pointsOfRow(row, y));
  return points.length && idOf({ lattice, points }) === id ? { lattice, points } : null;
}

/** @param {string} row @param {number} y @returns {Point[]} */
function pointsOfRow(row, y) {
  let x = 0;
  return [...row.matchAll(/([0-9]+)|([a-v])/g)].flatMap(([, free, run]) => {
    const length = free ? Number(free) : run.charCodeAt(0) - 96;
    x += length;
    return free ? [] : Array.from({ length }, (_, place) => /** @type {Point} */ ([x - length + place, y]));
  });
}

/** Return the id of a drawing: the same wherever it stands on the lattice. @param {Drawing} drawing */
export function idOf({ lattice, points }) {
  const [left, top] = cornerOf(points);
  /** @type {number[][]} */
  const columns = [];
  for (const [x, y] of points) (columns[y - top] ??= []).push(x - left);
  return `own-${lattice}-${Array.from(columns, (row) => textOfRow(row ?? [])).join("-")}`;
}

/** Return the least column and row. @param {readonly Point[]} points @returns {Point} */
export const cornerOf = (points) => [
  Math.min(...points.map(([x]) => x)),
  Math.min(...points.map(([, y]) => y)),
];

/** @param {readonly number[]} columns */
function textOfRow(columns) {
  let [text, end] = ["", 0];
  for (let first = 0, next; first < columns.length; first = next) {
    next = first + 1;
    while (columns[next] === columns[next - 1] + 1 && next - first < LONGEST_RUN) next += 1;
    if (columns[first] > end) text += columns[first] - end;
    text += String.fromCharCode(96 + next - first);
    end = columns[next - 1] + 1;
  }
  return text;
}

/** Return an id that all turns and reflections of a drawing share: the first of theirs by the alphabet. @param {Drawing} drawing */
export function commonId({ lattice, points }) {
  const ids = turnsOf(lattice).map(([a, b, c, d]) => {
    const turned = points.map(([x, y]) => /** @type {Point} */ ([a * x + b * y, c * x + d * y]));
    return idOf({ lattice, points: turned.sort(([x, y], [otherX, otherY]) => y - otherY || x - otherX) });
  });
  return ids.sort()[0];
}

/** Return the rules of pegs on a drawn board. @param {Drawing} drawing @param {boolean} [hasRed] whether one peg is red
 * @returns {import("./family.js").Head} */
export function rulesOf(drawing, hasRed = false) {
  const goals = [...drawing.points.keys()].map(String);
  return {
    puzzle: idOf(drawing),
    alphabet: hasRed ? ".or" : ".o",
    rules: { kind: "jumps", jumps: jumpsOf(drawing) },
    symmetries: symmetriesOf(drawing),
    goals: [...goals, ANY_GOAL],
  };
}

/** Return a function from places to the holes there. @param {readonly Point[]} points
 * @returns {(x: number, y: number) => number | undefined} */
function holesAt(points) {
  const holes = new Map(points.map(([x, y], hole) => [`${x},${y}`, hole]));
  return (x, y) => holes.get(`${x},${y}`);
}

/** Return all jumps, [from, over, to], in the order of the server. @param {Drawing} drawing
 * @returns {[number, number, number][]} */
function jumpsOf({ lattice, points }) {
  const at = holesAt(points);
  const ways = DIRECTIONS[lattice].flatMap(([dx, dy]) => [
    [dx, dy],
    [-dx, -dy],
  ]);
  const found = points.flatMap(([x, y], from) =>
    ways.map(([dx, dy]) => [from, at(x + dx, y + dy), at(x + 2 * dx, y + 2 * dy)]),
  );
  const jumps = /** @type {[number, number, number][]} */ (found.filter((jump) => !jump.includes(undefined)));
  return jumps.sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2]);
}

/** Return all turns and reflections of a lattice, none first. @param {string} lattice */
function turnsOf(lattice) {
  const turns = lattice === "t" ? SIXTHS : QUARTERS;
  const mirrored = turns.map(
    ([a, b, c, d]) => /** @type {Turn} */ (lattice === "t" ? [b, a, d, c] : [-a, b, -c, d]),
  );
  return [...turns, ...mirrored];
}

/** Return the images of all holes under each symmetry of a drawing, the identity first. @param {Drawing} drawing
 * @returns {number[][]} */
function symmetriesOf({ lattice, points }) {
  const at = holesAt(points);
  const count = points.length;
  const [sumX, sumY] = points.reduce(([sumX, sumY], [x, y]) => [sumX + x, sumY + y], [0, 0]);
  // about the centre of the holes, in units of one over their number
  const places = points.map(([x, y]) => [x * count - sumX, y * count - sumY]);
  const images = turnsOf(lattice).map(([a, b, c, d]) =>
    places.map(([x, y]) => at((a * x + b * y + sumX) / count, (c * x + d * y + sumY) / count)),
  );
  const found = /** @type {number[][]} */ (images.filter((image) => !image.includes(undefined)));
  return [...new Map(found.map((image) => [image.join(), image])).values()]; // two turns of a row do the same
}
