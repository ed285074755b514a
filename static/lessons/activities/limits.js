/** Guess the nodes of each limit before the solver searches it, and watch any limit. */
import { judge } from "../bets.js";
import { endBreadth, showBreadth } from "../breadth.js";
import { drawBars } from "../chart.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault, tell, toEnd, voice } from "../frame.js";
import { Playback } from "../playback.js";
import { Runner } from "../runner.js";
import { ShownBoard } from "../../keys/shown_board.js";
import { pageData } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

/** Milliseconds between two limits that are searched without a guess. */
const STEP_TIME = 1200;

const { activity, methods } = pageData();
/** @type {string[]} */
const names = activity.methods;
const guessed = names[names.length - 1];
/** @type {Map<number, number>} */
const guesses = new Map();
/** @type {Runner[]} */
const runners = [];
let linear = false;

export async function start() {
  const playback = new Playback(new ShownBoard({ voice }), (limit) => limit < nextLimit() || own().isSolved);
  drive({
    watch: (value) => {
      endBreadth();
      const [limit, method = guessed] = value.split(",");
      return playback.open(method, Number(limit));
    },
    keep: (value) => {
      playback.pause();
      return showBreadth(value);
    },
    scale: (value) => {
      endBreadth();
      linear = value === "linear";
      draw();
      tellShare();
    },
  });
  try {
    for (const name of names.slice(0, -1)) {
      say("lesson.running", { method: methods[name].title });
      const runner = new Runner(name);
      runners.push(runner);
      await runner.finish();
    }
    runners.push(new Runner(guessed));
    await searchTo(activity.given);
  } catch (error) {
    return sayFault(/** @type {{ code: string }} */ (error));
  }
  draw();
  await playback.open(guessed, own().rows.at(-1)?.limit ?? 1, false);
  ask(playback);
}

const own = () => runners[runners.length - 1];

/** Number of the limit to guess. */
const nextLimit = () => (own().rows.at(-1)?.limit ?? 0) + 1;

/** Search until `count` limits are finished, or the search ends; return the last of them. @param {number} count */
async function searchTo(count) {
  while (own().rows.length < count && !own().isSolved)
    if (!(await own().next())) throw new Error(texts.get("lesson.stopped"));
  return own().rows[own().rows.length - 1];
}

/** Ask for a guess; after the last one search on without. @param {Playback} playback */
function ask(playback) {
  const question = texts.get("lesson.ask.limit", { limit: nextLimit(), method: methods[guessed].title });
  askGuess(question, (guess) => place(guess, playback));
}

/** Search the limit of a guess; if that fails, the same is asked again.
 * @param {number} guess @param {Playback} playback the figure, which goes on to the limit of the guess */
async function place(guess, playback) {
  endBreadth();
  guesses.set(nextLimit(), guess);
  draw();
  say("lesson.running", { method: methods[guessed].title });
  try {
    await showNext(playback, (nodes) => judged(judge(guess, nodes)));
    if (own().isSolved) return end();
    if (guesses.size < activity.bets) return ask(playback);
    await goOn(playback);
  } catch (error) {
    sayFault(/** @type {{ code: string }} */ (error));
  }
}

/** Search the limits after the last guess; what fails is tried again. @param {Playback} playback */
async function goOn(playback) {
  while (!own().isSolved) {
    await new Promise((resolve) => setTimeout(resolve, STEP_TIME));
    await showNext(playback).catch(sayFault);
  }
  end();
}

function end() {
  finish();
  closeGuess(toEnd);
}

/** Search the next limit, and show it. @param {Playback} playback @param {(nodes: number) => string} [verdict] of a guess */
async function showNext(playback, verdict = () => "") {
  const row = await searchTo(own().rows.length + 1);
  await playback.open(guessed, row.limit, false);
  draw();
  tell(verdict(row.nodes), resultText(row, playback), growth());
}

/** Return the sentences about the nodes of a limit. The search counts all solutions; the figure stops at the first.
 * @param {import("../runner.js").Row} row @param {Playback} playback at that limit */
function resultText({ limit, nodes, state }, playback) {
  if (state !== "solved") return texts.get("lesson.ruledOut", { limit, n: nodes });
  const whole = texts.get("lesson.solvedLimit", { limit, n: nodes });
  const first = playback.nodesOf(limit);
  return first === null
    ? whole
    : [whole, texts.get("lesson.firstNode", { n: first })].join(texts.get("sentence.gap"));
}

/** Return the sentence about the last limit and the one before, or about the other method. */
function growth() {
  const { rows } = own();
  const [before, last] = rows.slice(-2);
  const other = runners.length > 1 && runners[0].rows.find(({ limit }) => limit === last.limit);
  if (other)
    return texts.get("lesson.without", { nodes: other.nodes, times: tenths(other.nodes / last.nodes) });
  return before ? texts.get("lesson.growth", { times: tenths(last.nodes / before.nodes) }) : "";
}

/** Say how much of all nodes the last limit takes. */
function tellShare() {
  const last = own().rows.at(-1);
  if (!last) return;
  say("lesson.share", { limit: last.limit, share: Math.round((100 * last.nodes) / own().nodes) });
}

const tenths = (/** @type {number} */ ratio) => Math.round(ratio * 10) / 10;

function draw() {
  const all = runners.length > 1 ? runners[0].rows : own().rows;
  const until = Math.max(nextLimit() - (own().isSolved ? 1 : 0), all.at(-1)?.limit ?? 0);
  const bars = Array.from({ length: until }, (_, index) => {
    const limit = index + 1;
    const row = own().rows.find((other) => other.limit === limit);
    const before = runners.length > 1 ? runners[0].rows.find((other) => other.limit === limit) : undefined;
    return {
      label: String(limit),
      value: row?.nodes ?? null,
      guess: guesses.get(limit) ?? null,
      before: before?.nodes ?? null,
    };
  });
  drawBars(bars, { linear, label: texts.get("lesson.barsOfLimits") });
}
