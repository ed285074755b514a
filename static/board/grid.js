/** The buttons of a board as a grid of rows and columns, as a screen reader knows it: it then sends arrows and letters to the page. */
import { rowsOf } from "../game/cells.js";
import { create } from "../ui/dom.js";

/** Put the buttons of a board into rows and cells; they stay where they are drawn.
 * @param {HTMLElement} grid element of the buttons @param {readonly HTMLElement[]} spots by hole
 * @param {import("../game/position.js").Puzzle["points"]} points */
export function layGrid(grid, spots, points) {
  const columns = [...new Set(points.map(([x]) => Math.round(x)))].sort((a, b) => a - b);
  const rows = rowsOf(points);
  const drawn = rows.map((holes, row) => {
    const cells = holes.map((hole) => {
      const cell = create("div", { role: "gridcell" }, spots[hole]);
      cell.ariaColIndex = String(columns.indexOf(Math.round(points[hole][0])) + 1);
      return cell;
    });
    const line = create("div", { role: "row" }, ...cells);
    line.ariaRowIndex = String(row + 1);
    return line;
  });
  Object.assign(grid, {
    role: "grid",
    ariaRowCount: String(rows.length),
    ariaColCount: String(columns.length),
  });
  grid.replaceChildren(...drawn);
}
