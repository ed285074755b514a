/** The staircase of a review: the best total that was still possible after each move. */
import { svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** @typedef {import("./grades.js").GradedMove} GradedMove */

const [WIDTH, LEFT, TOP, ROW, BASE] = [412, 34, 34, 34, 26];
/** Most steps of the staircase that are drawn; a higher one is cut off. */
const MAX_ROWS = 6;

/** Return the best total after each move, from the fewest moves of the start; null from a lost move on.
 * @param {number} fewest @param {readonly GradedMove[]} moves @returns {(number | null)[]} */
export function totals(fewest, moves) {
  let total = /** @type {number | null} */ (fewest);
  return moves.map(
    ({ grade }) => (total = total === null || grade.cost === null ? null : total + grade.cost),
  );
}

/** Draw the staircase. @param {number} fewest @param {readonly GradedMove[]} moves */
export function stairs(fewest, moves) {
  const after = totals(fewest, moves);
  const known = after.filter((total) => total !== null);
  const rows = Math.min(MAX_ROWS, Math.max(0, (known.at(-1) ?? fewest) - fewest));
  const floor = TOP + rows * ROW;
  const step = (WIDTH - LEFT) / Math.max(1, moves.length);
  const yOf = (/** @type {number} */ total) => floor - Math.min(MAX_ROWS, total - fewest) * ROW;
  const list = after.map((total) => total ?? "–").join(texts.get("comma"));
  const drawing = svg("svg", {
    viewBox: `0 0 ${WIDTH} ${floor + BASE}`,
    role: "img",
    "aria-label": texts.get("review.total", { list }),
  });
  let path = `M${LEFT} ${floor}`;
  let y = floor;
  known.forEach((total, index) => {
    if (yOf(total) !== y) path += `V${(y = yOf(total))}`;
    path += `H${(LEFT + (index + 1) * step).toFixed(1)}`;
  });
  drawing.append(
    svg("path", { class: "floor", d: `M${LEFT} ${floor}H${WIDTH}` }),
    svg("path", { class: "step", d: path }),
  );
  drawing.append(label(0, floor + 4, texts.number.format(fewest)));
  after.forEach((total, index) => {
    const middle = LEFT + (index + 0.5) * step;
    if (moves.length <= 16)
      drawing.append(label(middle, floor + 18, texts.number.format(index + 1), "middle"));
    const { kind, cost } = moves[index].grade;
    if (kind === "costs" && total !== null)
      drawing.append(label(middle, yOf(total) - 8, `+${texts.number.format(cost ?? 0)}`, "middle", "v"));
    if (kind === "lost") drawing.append(label(middle, y - 8, "×", "middle", "v"));
  });
  return drawing;
}

/** @param {number} x @param {number} y @param {string} text @param {string} [anchor] @param {string} [name] */
function label(x, y, text, anchor = "start", name = "") {
  const element = svg("text", { x: x.toFixed(1), y, "text-anchor": anchor, class: name });
  element.textContent = text;
  return element;
}
