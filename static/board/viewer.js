/**
 * The read-only board of a page, for any position, with arrows and marks. The server draws the board without them.
 */
import { cellsOf } from "../game/cells.js";
import { goal, isEmpty, pointOf, puzzle } from "../game/position.js";
import { groupMarks } from "./groups.js";
import { moveArrows, pieceAt } from "./overlays.js";
import { find } from "../ui/dom.js";

const STRONG_ARROWS = 3;
const pieces = find(".stage .pieces", SVGElement);
const marks = find(".stage .marks", SVGElement);

/** @param {string} position */
export function showPosition(position) {
  const cells = [...cellsOf(position)];
  const drawn = cells.flatMap((cell, hole) => {
    if (isEmpty(cell)) return [];
    return [pieceAt(puzzle.glyphs[cell], hole, pointOf(hole))];
  });
  pieces.replaceChildren(...drawn);
}

/** Replace all marks by arrows for moves, which need not be connected. All moves but the last `STRONG_ARROWS` are faint.
 * @param {number[][]} moves */
export function showArrows(moves) {
  const arrows = moves.map((move) => moveArrows(move.map(pointOf)));
  for (const arrow of arrows.slice(0, -STRONG_ARROWS).flat()) arrow.classList.add("past");
  marks.replaceChildren(...arrows.flat());
}

/** Mark groups of holes, see `groupMarks`. @param {number[][]} groups */
export function showGroups(groups) {
  marks.append(...groupMarks(groups, pointOf, puzzle.points[Number(goal)] ? pointOf(Number(goal)) : null));
}
