/** Guess the nodes of each method before it runs, all limits together. */
import { extrapolated, judge } from "../bets.js";
import { drawBars } from "../chart.js";
import {
  askGuess,
  closeGuess,
  drive,
  finish,
  judged,
  say,
  sayFault,
  tell,
  tellMore,
  toEnd,
  voice,
} from "../frame.js";
import { OwnBound } from "../own_bound.js";
import { Playback } from "../playback.js";
import { Runner } from "../runner.js";
import { fetchJson, faultOf } from "../../game/api.js";
import { goal, puzzle } from "../../game/position.js";
import { ShownBoard } from "../../keys/shown_board.js";
import { duration as timeText } from "../../search/rows.js";
import { pageData } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { activity, methods, position, language } = pageData();
/** @type {string[]} */
const names = activity.methods;
/** Milliseconds until a method that has failed runs again. */
const RETRY_TIME = 4000;
const YEAR = 365.25 * 24 * 3600;
/** @type {Map<string, number>} */
const guesses = new Map();
/** @type {Runner[]} */
const runners = [];

/** @type {ShownBoard} */
let figure;
/** The search in the figure, if the lesson shows one. @type {Playback | null} */
let playback = null;
/** The reader's own bound, if the lesson asks for one. @type {OwnBound | null} */
let own = null;

export async function start() {
  figure = new ShownBoard({
    voice,
    ...(activity.own_bound ? { press: (hole) => void own?.toggle(hole) } : {}),
  });
  if (activity.own_bound)
    own = new OwnBound(figure, activity.own_bound, () => hasAllGuesses() && (finish(), toEnd()));
  else playback = new Playback(figure, hasAllGuesses);
  drive({
    bound: showBound,
    own: () => own?.clear(),
    watch: (limit) => playback?.open(names[names.length - 1], Number(limit)),
  });
  draw();
  const first = runFirst();
  ask(first);
  tellMore(texts.get("lesson.guessNow"));
}

/** Run the first method, for which there is no guess. */
async function runFirst() {
  while (!(await run(names[0]))) await new Promise((resolve) => setTimeout(resolve, RETRY_TIME));
  if (runners[0].isSolved) tell(totalOf(runners[0]));
}

/** Return what a method has taken. @param {Runner} runner */
const totalOf = ({ method, nodes, rows, seconds }) =>
  textOf("lesson.total", method, { n: nodes, limit: rows.at(-1)?.limit ?? 0, time: timeText(seconds) });

/** Name of the method to guess; the first runs without a guess. */
const nextName = () => names[Math.max(runners.length, 1)];
const hasAllGuesses = () => !nextName();

/** Return a text about a method, which has limits or levels. @param {string} key @param {string} name
 * @param {import("../../ui/i18n.js").Values} [values] */
function textOf(key, name, values) {
  const { title, has_levels } = methods[name];
  return texts.get(has_levels ? `${key}.level` : key, { method: title, ...values });
}

/** Ask for the next guess, or end the guesses. @param {Promise<void>} first run of the first method */
function ask(first) {
  const name = nextName();
  if (name) return askGuess(textOf("lesson.ask.method", name), (guess) => place(guess, first));
  tellFirst();
  if (own && !own.isFound) {
    tellMore(texts.get("lesson.own.missing", { n: own.needed }));
    return closeGuess(() => figure.focus());
  }
  finish();
  closeGuess(toEnd);
}

/** Run the method of a guess after the first method; if that fails, the same is asked again.
 * @param {number} guess @param {Promise<void>} first */
async function place(guess, first) {
  const name = nextName();
  playback?.pause(); // else its next event would take the place of the answer
  guesses.set(name, guess);
  await first;
  const runner = await run(name);
  if (!runner) return;
  tell(judged(judge(guess, runner.nodes)), totalOf(runner));
  ask(first);
}

/** Run a method for the time it has. Return null if that fails. @param {string} name */
async function run(name) {
  const runner = new Runner(name, () => draw(runner));
  say("lesson.running", { method: methods[name].title });
  try {
    const solved = await runner.finish(name === names[0] ? activity.seconds : undefined);
    runners.push(runner);
    draw();
    if (!solved)
      say("lesson.unfinished", {
        n: activity.seconds,
        limit: runner.rows.at(-1)?.limit ?? 0,
        nodes: runner.nodes,
      });
    return runner;
  } catch (error) {
    sayFault(/** @type {{ code: string }} */ (error));
    return null;
  }
}

/** Say what the first method would take, if it was stopped: by its known nodes, or as these go on growing. */
function tellFirst() {
  const answer = runners.find(({ isSolved }) => isSolved)?.rows.at(-1)?.limit;
  const { rows, isSolved } = runners[0];
  if (!answer || isSolved || rows.length < 2) return;
  const last = rows[rows.length - 1];
  if (activity.all_nodes) {
    const time = duration((activity.all_nodes / last.nodes) * last.seconds).time;
    return tellMore(texts.get("lesson.allNodes", { nodes: activity.all_nodes, time }));
  }
  const nodes = extrapolated(
    rows.map((row) => row.nodes),
    answer - (rows[0].limit - 1),
  );
  const seconds = (nodes / last.nodes) * last.seconds;
  tellMore(texts.get("lesson.extrapolated", duration(seconds)));
}

/** Return a duration in a unit that suits it. @param {number} seconds */
function duration(seconds) {
  const [unit, length] =
    seconds > YEAR
      ? ["years", YEAR]
      : seconds > 3600
        ? ["hours", 3600]
        : seconds > 60
          ? ["minutes", 60]
          : ["seconds", 1];
  const amount = seconds / Number(length);
  return {
    time: texts.get(`lesson.${unit}`, { n: amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount) }),
  };
}

/** Mark on the board what the bound of a method counts. @param {string} method */
async function showBound(method) {
  playback?.pause();
  if (activity.shown_after_own.includes(method) && own && !own.isFound)
    return say("lesson.own.first", { n: own.needed });
  const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}/bound`;
  try {
    const { bound, marks } = await fetchJson(
      `${path}?${new URLSearchParams({ goal, method, lang: language })}`,
    );
    figure.show(position, { groups: marks });
    say("lesson.bound", { method: methods[method].title, n: bound });
  } catch (error) {
    sayFault(faultOf(error));
  }
}

/** @param {Runner} [running] */
function draw(running) {
  const bars = names.map((name, index) => {
    const runner = runners[index] ?? (name === running?.method ? running : undefined);
    const isStopped = runners[index] && !runner?.isSolved;
    return {
      label: String(index + 1),
      value: runner?.counted ?? null,
      guess: guesses.get(name) ?? null,
      note: isStopped ? `> ${texts.number.format(runner?.counted ?? 0)}` : undefined,
    };
  });
  drawBars(bars, { label: texts.get("lesson.barsOfMethods") });
}
