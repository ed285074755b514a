/** Moves as people write them: the holes that a piece visits; numbered tiles are called by their numbers. */
import { pageData } from "../ui/dom.js";
import { cellsOf } from "./position_diff.js";

/** @type {{ puzzle: { glyphs: Record<string, string> } }} */
const { puzzle } = pageData();

/** @param {string} position before the first of them @param {readonly number[][]} moves @returns {string[]} */
export function written(position, moves) {
  const cells = [...cellsOf(position)];
  return moves.map((holes) => {
    const [from, to] = [holes[0], holes[holes.length - 1]];
    const [kind, number] = (puzzle.glyphs[cells[from]] ?? "").split("-");
    [cells[from], cells[to]] = [cells[to], cells[from]]; // only where tiles slide is this all that changes
    return kind === "tile" ? number : holes.join("–");
  });
}
