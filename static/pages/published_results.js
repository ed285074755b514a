/**
 * The published results, run again at one press, each beside what was published.
 *
 * @typedef {import("../search/result_queue.js").PublishedResult} PublishedResult
 * @typedef {import("../search/result_queue.js").Outcome} Outcome
 * @typedef {import("../search/result_queue.js").Task} Task
 */
import "../ui/settings.js";
import { duration } from "../search/metrics.js";
import { button, element, enableKeys, find, onceAFrame, pageData, write } from "../ui/dom.js";
import { ResultQueue, sum } from "../search/result_queue.js";
import * as store from "../ui/storage.js";
import { Words } from "../ui/i18n.js";

const { language, words: entries, classics, names, engine } = pageData();
const words = new Words(language, entries);
const programme = new ResultQueue(classics, () => (keepNew(), refresh()));
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const { format } = words.number;
const runKey = button("run-all");
const [stopKey, skipKey] = [button("stop-run"), button("skip-one")];

/** Under which a result is kept. @param {PublishedResult} classic */
const nameOf = ({ puzzle, start, goal, method, first_move }) => [puzzle, start, goal, method, first_move ?? ""].join("|");

/** What has just come out is there after a reload, too. */
function keepNew() {
  for (const task of programme.done.filter(({ when }) => !when)) {
    task.when = Date.now();
    if (task.outcome) store.saveClassic(nameOf(task.classic), { outcome: task.outcome, engine, when: task.when });
  }
}

/** Begin with what is kept. */
function recall() {
  const kept = store.classics();
  for (const task of programme.tasks) {
    const known = kept[nameOf(task.classic)];
    if (Array.isArray(known?.outcome?.nodes)) task.recall(known, engine);
  }
  if (programme.tasks.some(({ outcome }) => outcome)) refresh();
}

/** In the form of what was published. @param {PublishedResult} classic @param {Outcome} outcome */
function text(classic, { moves, count }) {
  if (classic.solvable || classic.unsolvable) return words.say(moves === null ? "classics.none" : "classics.some");
  if (classic.farthest !== null) return `≤${moves}`;
  return classic.count === null ? `${moves}` : `${moves} ×${count}`;
}

/** Draw what is new. */
const refresh = onceAFrame(show);

function show() {
  const { tasks, done, isRunning, isHeld } = programme;
  tasks.forEach(showRow);
  const left = tasks.length - done.length;
  runKey.disabled = isRunning && !isHeld;
  write(runKey, words.say(isHeld ? "classics.goOn" : left && done.length ? "classics.left" : "classics.run", { n: left || tasks.length }));
  stopKey.disabled = !isRunning || isHeld;
  skipKey.disabled = programme.task?.state !== "running";
  find("progress", HTMLProgressElement).value = done.length;
  element(".programme").dataset.state = isHeld ? "held" : isRunning ? "running" : "idle";
  write(element(".run-now"), now());
  write(element('[role="status"]'), said());
}

/** Spoken: only where something came to an end. */
function said() {
  const { tasks, done, isRunning, isHeld, task } = programme;
  const values = { done: done.length, all: tasks.length, agreed: done.filter(({ state }) => state === "agrees").length };
  if (isHeld) return words.say("classics.held", values) + (task?.state === "running" ? words.say("sentence.gap") + words.say("classics.rests", about(task)) : "");
  if (isRunning) return words.say("classics.running", values);
  const left = tasks.length - done.length;
  const old = tasks.filter(({ state }) => state === "old").length;
  if (!programme.hasRun) return words.say("classics.kept", values) + (old ? words.say("sentence.gap") + words.say("classics.again", { n: old }) : "");
  return words.say("classics.done", values) + (left ? words.say("sentence.gap") + words.say("classics.leftOut", { n: left }) : "");
}

/** Ticks on, so it is not spoken. */
function now() {
  const { task, tasks, done, isRunning } = programme;
  if (!isRunning || task?.state !== "running") return words.say("classics.count", { done: done.length, all: tasks.length });
  const key = task.isLost ? "classics.lost" : task.limit ? "classics.now" : "classics.begins";
  return words.say("classics.count", { done: done.length, all: tasks.length }) + words.say("sentence.gap") + words.say(key, about(task));
}

/** @param {Task} task */
const about = (task) => ({ ...names[task.index], limit: task.limit, nodes: task.entered, time: duration(task.seconds, words) });

/** @param {Task} task */
function showRow(task) {
  const row = element(`[data-classic="${task.index}"]`);
  const { classic, outcome, state } = task;
  if (row.dataset.state === state && state !== "running") return;
  const put = (/** @type {string} */ name, /** @type {string} */ said) => write(find(`[data-out="${name}"]`, HTMLElement, row), said);
  row.dataset.state = state;
  const counts = classic.nodes.length > 0 || classic.total !== null;
  put("moves", outcome ? text(classic, outcome) : "");
  put("nodes", outcome ? (counts ? format(sum(outcome.nodes)) : "") : task.entered ? format(task.entered) : "");
  put("time", outcome ? duration(outcome.seconds, words) : task.limit ? duration(task.seconds, words) : expected(classic));
  put("mark", mark(task));
}

/** How long it may take, where that is long. @param {PublishedResult} classic */
const expected = ({ seconds }) => (seconds ? words.say("classics.about", { n: seconds }) : "");

/** @param {Task} task */
function mark({ state, why, detail, limit, when }) {
  if (state === "waiting") return "";
  if (state === "running") return limit ? words.say("classics.limit", { limit }) : "…";
  if (state === "old") return words.say("classics.old", { date: day.format(when) });
  return why ? words.say(words.has(why) ? why : "failed.other", { why: detail }) : words.say(`classics.${state}`);
}

runKey.addEventListener("click", () => (programme.isHeld ? programme.goOn() : programme.run()));
stopKey.addEventListener("click", () => programme.stop());
skipKey.addEventListener("click", () => programme.skip());
recall();
enableKeys();
