/** Write weights into the holes until they prove that the goal cannot be reached. */
import { drawBars } from "../chart.js";
import { drive, finish, say, sayFault } from "../frame.js";
import { offerHoles } from "../holes.js";
import { gains, nextWeight, sumOf } from "../weights.js";
import { analysis, faultOf, fetchJson } from "../../game/api.js";
import { cellsOf } from "../../game/cells.js";
import { goal, puzzle, pointOf } from "../../game/position.js";
import { numeral } from "../../board/overlays.js";
import { find, pageData, svg } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { jumps, position } = pageData();
const cells = cellsOf(position);
/** @type {number[]} */
let weights = puzzle.points.map(() => 0);
/** @type {(position: string, remark?: (hole: number) => string) => void} */
let describe = () => {};

export async function start() {
  describe = offerHoles((hole) => {
    weights[hole] = nextWeight(weights[hole]);
    show();
  });
  drive({
    fill: (value) => {
      weights = puzzle.points.map((_, hole) =>
        value === "goal" ? Number(hole === Number(goal)) : Number(value),
      );
      show();
    },
    table: showTable,
  });
  find("#lesson-check", HTMLButtonElement).addEventListener("click", () => void check());
  show();
}

/** Return the state of the proof: the jumps that raise the sum, the sum, and the weight of the goal. */
function proof() {
  return {
    raising: gains(weights, jumps),
    sum: sumOf(weights, cells, puzzle.alphabet[0]),
    end: weights[Number(goal)],
  };
}

function show() {
  const { raising, sum, end } = proof();
  const lines = raising.map(([from, , to]) => {
    const [a, b] = [pointOf(from), pointOf(to)];
    return svg("path", { class: "m-raise", d: `M${a.x} ${a.y}L${b.x} ${b.y}` });
  });
  const numbers = weights.map((weight, hole) => numeral(pointOf(hole), weight, 22));
  find(".stage .marks", SVGElement).replaceChildren(...lines, ...numbers);
  describe(position, (hole) => texts.get("lesson.weight", { weight: weights[hole] }));
  say(raising.length ? "lesson.weights.raising" : "lesson.weights.sums", { n: raising.length, sum, end });
}

/** Ask the engine whether it agrees. */
async function check() {
  const { raising, sum, end } = proof();
  const isProof = raising.length === 0 && sum < end;
  if (!isProof)
    return say(raising.length ? "lesson.weights.raising" : "lesson.weights.not", {
      n: raising.length,
      sum,
      end,
    });
  try {
    const { verdict } = await analysis(position);
    if (verdict !== "dead") return say("lesson.weights.disagree");
    say("lesson.weights.proved", { sum, end });
    finish();
  } catch (error) {
    sayFault(faultOf(error));
  }
}

/** Draw the table of all positions by their distance. */
async function showTable() {
  try {
    const path = `/api/puzzles/${puzzle.id}/distribution?${new URLSearchParams({ goal })}`;
    /** @type {{ counts: number[] | null, positions: number }} */
    const { counts, positions } = await fetchJson(path);
    if (!counts) return say("lesson.noTable");
    drawBars(
      counts.map((value, moves) => ({ label: String(moves), value })),
      { linear: true, label: texts.get("lesson.barsOfTable") },
    );
    say("lesson.table", { n: positions, most: counts.length - 1 });
  } catch (error) {
    sayFault(faultOf(error));
  }
}
