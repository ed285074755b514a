/** Write weights into the holes until they prove that the goal cannot be reached. */
import { drawBars } from "../chart.js";
import { drive, finish, say, sayFault, voice } from "../frame.js";
import { sumOf } from "../../game/slack.js";
import { gains, nextWeight } from "../weights.js";
import { analysis, faultOf, fetchJson } from "../../game/api.js";
import { cellsOf } from "../../game/cells.js";
import { goal, puzzle } from "../../game/position.js";
import { ShownBoard } from "../../keys/shown_board.js";
import { find, pageData } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { jumps, position } = pageData();
const cells = cellsOf(position);
/** @type {number[]} */
let weights = puzzle.points.map(() => 0);
/** @type {ShownBoard} */
let figure;

export async function start() {
  figure = new ShownBoard({ press, voice });
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

/** @param {number} hole */
function press(hole) {
  weights[hole] = nextWeight(weights[hole]);
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
  figure.show(position, { weights, faults: raising.map(([from, , to]) => [from, to]) });
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
