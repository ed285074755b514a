/** Arrow keys on a board: it is a single tab stop, and they move the focus from hole to hole. */
import { rowsOf } from "../game/cells.js";

const ROW_KEYS = new Set(["ArrowUp", "ArrowDown"]);

/** Directions of the arrow keys; y points down. @type {Record<string, [number, number]>} */
export const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Directions of the digits, as they lie on a number pad: along the diagonals, too, on which pegs may jump.
 * @type {Record<string, [number, number]>} */
const PAD = Object.fromEntries(
  [...Array(9).keys()]
    .filter((key) => key !== 4)
    .map((key) => [String(key + 1), [(key % 3) - 1, 1 - Math.floor(key / 3)]]),
);
/** Smallest cosine between the direction of a digit and that of the hole to which it leads. */
const ALONG = 0.8;

/** Make the board a single tab stop, and let the arrow keys move the focus, or with Shift where they move pieces.
 * @param {import("../board/board.js").Board} board @param {() => boolean} [movePieces] whether they move pieces
 * @param {() => void} [onEdge] called when there is no hole in a direction */
export function focusWithArrows(board, movePieces = () => false, onEdge = () => {}) {
  const stop = (/** @type {number} */ hole) =>
    board.spots.forEach((spot, other) => (spot.tabIndex = other === hole ? 0 : -1));
  board.spots.forEach((spot, hole) => {
    spot.addEventListener("focus", () => stop(hole));
    spot.addEventListener("keydown", (event) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.key in DIRECTIONS && !event.shiftKey && movePieces())
      )
        return;
      const next = holeInDirection(board.puzzle.points, hole, event.key);
      if (next === null) return;
      event.preventDefault();
      event.stopPropagation();
      if (next === hole) onEdge();
      board.spots[next].focus();
    });
  });
}

/** Return the hole to which a key moves the focus: Left, Right, Home and End stay in the row, Up and Down lead to the
 * nearest hole of the next row, or along a board of one row; digits lead as on a number pad. At an edge, return `hole`; for any other key, null.
 * @param {[number, number][]} points @param {number} hole @param {string} key @returns {number | null} */
function holeInDirection(points, hole, key) {
  if (key in PAD) return nearest(points, hole, PAD[key]) ?? hole;
  const rows = rowsOf(points);
  const at = rows.findIndex((row) => row.includes(hole));
  const row = rows[at];
  const isUpright = rows.length === 1 && ROW_KEYS.has(key);
  const along = {
    ...(isUpright ? { ArrowUp: row.indexOf(hole) - 1, ArrowDown: row.indexOf(hole) + 1 } : {}),
    ArrowLeft: row.indexOf(hole) - 1,
    ArrowRight: row.indexOf(hole) + 1,
    Home: 0,
    End: row.length - 1,
  }[key];
  if (along !== undefined) return row[along] ?? hole;
  const next = { ArrowUp: rows[at - 1], ArrowDown: rows[at + 1] }[key] ?? (ROW_KEYS.has(key) ? [hole] : null);
  const distance = (/** @type {number} */ other) => Math.abs(points[other][0] - points[hole][0]);
  return next && next.reduce((best, other) => (distance(other) < distance(best) - 1 ? other : best));
}

/** Return the index of the nearest other point in a direction, or undefined. @param {[number, number][]} points
 * @param {number} hole index of the point @param {[number, number]} direction */
export function nearest(points, hole, [right, down]) {
  const away = (/** @type {number} */ other) => [
    points[other][0] - points[hole][0],
    points[other][1] - points[hole][1],
  ];
  const distance = (/** @type {number} */ other) => Math.hypot(...away(other));
  return [...points.keys()]
    .filter((other) => {
      const [x, y] = away(other);
      return other !== hole && x * right + y * down > ALONG * distance(other) * Math.hypot(right, down);
    })
    .sort((a, b) => distance(a) - distance(b))[0];
}
