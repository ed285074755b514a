/** Find the place on a shortest solution where a bound says too much, then let both bounds search. */
import { drive, finish, say, sayFault, voice } from "../frame.js";
import { Playback } from "../playback.js";
import { Runner } from "../runner.js";
import { analysis, faultOf, fetchJson, line, solution } from "../../game/api.js";
import { goal, puzzle } from "../../game/position.js";
import { ShownBoard } from "../../keys/shown_board.js";
import { listCode } from "../../search/code_listing.js";
import { find, pageData } from "../../ui/dom.js";

/**
 * @typedef {{ from: number, to: number, position: string, spent: number, left: number | null }} Place a position on the
 *   solution: moves made, and moves left, which are proved
 */

const { activity, methods, position, language } = pageData();
/** @type {[string, string]} */
const [wrong, right] = activity.methods;
/** @type {Place[]} */
let places = [];
/** @type {ShownBoard} */
let figure;
const slider = () => find("#lesson-place", HTMLInputElement);

export async function start() {
  figure = new ShownBoard({ voice });
  const playback = new Playback(figure);
  drive({
    place: (value) => {
      slider().value = value;
      show();
    },
    watch: (value) => {
      const [limit, method = wrong] = value.split(",");
      return playback.open(method, Number(limit));
    },
  });
  try {
    places = await solutionPlaces();
  } catch (error) {
    return sayFault(faultOf(error));
  }
  slider().max = String(places.length - 1);
  slider().addEventListener("input", show);
  find("#lesson-here", HTMLButtonElement).addEventListener("click", () => void bet(true));
  find("#lesson-nowhere", HTMLButtonElement).addEventListener("click", () => void bet(false));
  listCode(methods[wrong].code);
  show();
}

/** Return the positions along a shortest solution, in which every verdict is proved. @returns {Promise<Place[]>} */
async function solutionPlaces() {
  const { moves } = await solution(position);
  const { start: first, steps } = await line(position, moves);
  let spent = 0;
  return [
    { from: -1, to: -1, position, spent, left: first.moves_left },
    ...steps.map((step) => ({
      from: step.from,
      to: step.to,
      position: step.position,
      spent: (spent += step.cost),
      left: step.moves_left,
    })),
  ];
}

function show() {
  const at = Number(slider().value);
  const place = places[at];
  figure.show(place.position, { arrows: places.slice(1, at + 1).map(({ from, to }) => [from, to]) });
  say("lesson.place", { n: at, spent: place.spent, left: place.left ?? 0 });
  slider().setAttribute("aria-valuetext", `${at}`);
}

/** Return the bound of a method and its marks. @param {string} method @param {Place} place
 * @returns {Promise<{ bound: number, marks: number[][] }>} */
function boundAt(method, place) {
  const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(place.position)}/bound`;
  return fetchJson(`${path}?${new URLSearchParams({ goal, method, lang: language })}`);
}

/** Check a guess with the engine: that the bound fails at the place shown, or that it fails nowhere.
 * @param {boolean} isHere */
async function bet(isHere) {
  try {
    const place = places[Number(slider().value)];
    const { bound, marks } = await boundAt(wrong, place);
    if (isHere) {
      const fails = bound > (place.left ?? 0);
      figure.mark({ groups: marks });
      const values = { bound, spent: place.spent, f: place.spent + bound, left: place.left ?? 0 };
      if (!fails) return say("lesson.fault.not", values);
      markPruned();
      return compare(values);
    }
    const bounds = await Promise.all(places.map((other) => boundAt(wrong, other)));
    const failing = bounds.findIndex((other, index) => other.bound > (places[index].left ?? 0));
    if (failing < 0) return compare({ bound, spent: 0, f: bound, left: 0 }, "lesson.fault.nowhere");
    say("lesson.fault.somewhere");
  } catch (error) {
    sayFault(faultOf(error));
  }
}

/** Mark the line of code in which the solution is lost. */
function markPruned() {
  listCode(methods[wrong].code)({ kind: "bound", depth: 1 });
}

/** Run both searches and say what each answers. @param {Record<string, number>} values
 * @param {string} [key] of the sentence */
async function compare(values, key = "lesson.fault.found") {
  try {
    const runners = [wrong, right].map((name) => new Runner(name));
    for (const runner of runners) await runner.finish();
    const [bad, good] = runners.map((runner) => runner.rows.at(-1)?.limit ?? 0);
    const { moves_left } = await analysis(position);
    say(key, {
      ...values,
      bad,
      good,
      proved: moves_left ?? 0,
      badNodes: runners[0].nodes,
      goodNodes: runners[1].nodes,
    });
    finish();
  } catch (error) {
    sayFault(/** @type {{ code: string }} */ (error));
  }
}
