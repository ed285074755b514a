/** Guess the nodes of each method before it runs, all limits together. */
import { extrapolated, judge, readGuess } from "../bets.js";
import { drawBars } from "../chart.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault } from "../frame.js";
import { OwnBound } from "../own_bound.js";
import { Runner } from "../runner.js";
import { fetchJson, faultOf } from "../../game/api.js";
import { goal, puzzle } from "../../game/position.js";
import { showGroups } from "../../board/viewer.js";
import { element, pageData, write } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { activity, methods, position, language } = pageData();
/** @type {string[]} */
const names = activity.methods;
const YEAR = 365.25 * 24 * 3600;
/** @type {Map<string, number>} */
const guesses = new Map();
/** @type {Runner[]} */
const runners = [];

/** @type {OwnBound} */
let own;

export async function start() {
  own = new OwnBound(activity.own_bound, () => hasAllGuesses() && finish());
  drive({ bound: showBound, own: () => own.clear() });
  draw();
  if (await run(names[0])) ask();
}

const nextName = () => names[runners.length];
const hasAllGuesses = () => !nextName();

function ask() {
  if (!nextName()) {
    tellFirst();
    if (own.isFound) return finish();
    return add(texts.get("lesson.own.missing", { n: own.needed }));
  }
  askGuess(texts.get("lesson.ask.method", { method: methods[nextName()].title }), place);
}

/** @param {string} text */
async function place(text) {
  const guess = readGuess(text);
  const name = nextName();
  if (guess === null) return say("lesson.noNumber", { text: text.slice(0, 40) });
  guesses.set(name, guess);
  closeGuess();
  const runner = await run(name);
  if (runner) {
    const verdict = judged(judge(guess, runner.nodes));
    const last = runner.rows.at(-1);
    const values = { n: runner.nodes, limit: last?.limit ?? 0, method: methods[name].title };
    write(element(".verdict-line"), verdict + texts.get("sentence.gap") + texts.get("lesson.total", values));
  }
  ask();
}

/** Run a method for the time it has. Return null, and let the reader try again, if that fails. @param {string} name */
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
    askGuess(texts.get("lesson.again"), () => void start());
    return null;
  }
}

/** Say what the first method would take, if it was stopped: by its known nodes, or as these go on growing. */
function tellFirst() {
  const answer = runners.find((runner) => runner.rows.at(-1)?.isLast)?.rows.at(-1)?.limit;
  const { rows } = runners[0];
  if (!answer || rows.at(-1)?.isLast || rows.length < 2) return;
  const last = rows[rows.length - 1];
  if (activity.all_nodes) {
    const time = duration((activity.all_nodes / last.nodes) * last.seconds).time;
    return add(texts.get("lesson.allNodes", { nodes: activity.all_nodes, time }));
  }
  const nodes = extrapolated(
    rows.map((row) => row.nodes),
    answer - (rows[0].limit - 1),
  );
  const seconds = (nodes / last.nodes) * last.seconds;
  add(texts.get("lesson.extrapolated", duration(seconds)));
}

/** Add a sentence to the one under the figure. @param {string} text */
function add(text) {
  const line = element(".verdict-line");
  write(line, [line.textContent, text].filter(Boolean).join(texts.get("sentence.gap")));
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
  if (activity.shown_after_own.includes(method) && !own.isFound)
    return say("lesson.own.first", { n: own.needed });
  const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}/bound`;
  try {
    const { bound, marks } = await fetchJson(
      `${path}?${new URLSearchParams({ goal, method, lang: language })}`,
    );
    showGroups(marks);
    say("lesson.bound", { method: methods[method].title, n: bound });
  } catch (error) {
    sayFault(faultOf(error));
  }
}

/** @param {Runner} [running] */
function draw(running) {
  const bars = names.map((name, index) => {
    const runner = runners[index] ?? (name === running?.method ? running : undefined);
    const isStopped = runners[index] && !runner?.rows.at(-1)?.isLast;
    return {
      label: String(index + 1),
      value: runner?.counted ?? null,
      guess: guesses.get(name) ?? null,
      note: isStopped ? `> ${texts.number.format(runner?.counted ?? 0)}` : undefined,
    };
  });
  drawBars(bars, { label: texts.get("lesson.barsOfMethods") });
}
