/**
 * The published results: runs them again and shows each next to the published one.
 *
 * @typedef {import("../search/result_queue.js").PublishedResult} PublishedResult
 * @typedef {import("../search/result_queue.js").Outcome} Outcome
 * @typedef {import("../search/result_queue.js").ResultRun} Task
 */
import "../ui/settings.js";
import { duration } from "../search/metrics.js";
import { button, element, enableButtons, find, oncePerFrame, pageData, write } from "../ui/dom.js";
import { ResultQueue, total } from "../search/result_queue.js";
import * as store from "../ui/storage.js";
import { Texts } from "../ui/i18n.js";

const { language, words: entries, classics, names, engine } = pageData();
const texts = new Texts(language, entries);
const queue = new ResultQueue(classics, () => (storeNew(), refresh()));
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const { format } = texts.number;
const runKey = button("run-all");
const [stopKey, skipKey] = [button("stop-run"), button("skip-one")];

/** Return the key of a result in the storage. @param {PublishedResult} classic */
const nameOf = ({ puzzle, start, goal, method, first_move }) => [puzzle, start, goal, method, first_move ?? ""].join("|");

/** Store new results, so that they are shown after a reload. */
function storeNew() {
  for (const task of queue.done.filter(({ finishedAt }) => !finishedAt)) {
    task.finishedAt = Date.now();
    if (task.outcome) store.savePublishedRun(nameOf(task.classic), { outcome: task.outcome, engine, when: task.finishedAt });
  }
}

/** Show the stored results. */
function restoreStored() {
  const stored = store.publishedRuns();
  for (const task of queue.tasks) {
    const known = stored[nameOf(task.classic)];
    if (Array.isArray(known?.outcome?.nodes)) task.restore(known, engine);
  }
  if (queue.tasks.some(({ outcome }) => outcome)) refresh();
}

/** Return a result in the format of the published one. @param {PublishedResult} classic @param {Outcome} outcome */
function text(classic, { moves, count }) {
  if (classic.solvable || classic.unsolvable) return texts.get(moves === null ? "classics.none" : "classics.some");
  if (classic.farthest !== null) return `≤${moves}`;
  return classic.count === null ? `${moves}` : `${moves} ×${count}`;
}

/** Redraw the page in the next animation frame. */
const refresh = oncePerFrame(show);

function show() {
  const { tasks, done, isRunning, isPaused } = queue;
  tasks.forEach(showRow);
  const remaining = tasks.length - done.length;
  runKey.disabled = isRunning && !isPaused;
  write(runKey, texts.get(isPaused ? "classics.goOn" : remaining && done.length ? "classics.left" : "classics.run", { n: remaining || tasks.length }));
  stopKey.disabled = !isRunning || isPaused;
  skipKey.disabled = queue.task?.state !== "running";
  find("progress", HTMLProgressElement).value = done.length;
  element(".programme").dataset.state = isPaused ? "held" : isRunning ? "running" : "idle";
  write(element(".run-now"), progressText());
  write(element('[role="status"]'), statusText());
}

/** Return the text of the live region. It changes only when a result is complete. */
function statusText() {
  const { tasks, done, isRunning, isPaused, task } = queue;
  const values = { done: done.length, all: tasks.length, agreed: done.filter(({ state }) => state === "agrees").length };
  if (isPaused) return texts.get("classics.held", values) + (task?.state === "running" ? texts.get("sentence.gap") + texts.get("classics.rests", about(task)) : "");
  if (isRunning) return texts.get("classics.running", values);
  const remaining = tasks.length - done.length;
  const old = tasks.filter(({ state }) => state === "old").length;
  if (!queue.hasRun) return texts.get("classics.kept", values) + (old ? texts.get("sentence.gap") + texts.get("classics.again", { n: old }) : "");
  return texts.get("classics.done", values) + (remaining ? texts.get("sentence.gap") + texts.get("classics.leftOut", { n: remaining }) : "");
}

/** Return the progress of the current result. It changes all the time, so it is no live region. */
function progressText() {
  const { task, tasks, done, isRunning } = queue;
  if (!isRunning || task?.state !== "running") return texts.get("classics.count", { done: done.length, all: tasks.length });
  const key = task.isLost ? "classics.lost" : task.limit ? "classics.now" : "classics.begins";
  return texts.get("classics.count", { done: done.length, all: tasks.length }) + texts.get("sentence.gap") + texts.get(key, about(task));
}

/** @param {Task} task */
const about = (task) => ({ ...names[task.index], limit: task.limit, nodes: task.nodesSoFar, time: duration(task.seconds, texts) });

/** @param {Task} task */
function showRow(task) {
  const row = element(`[data-classic="${task.index}"]`);
  const { classic, outcome, state } = task;
  if (row.dataset.state === state && state !== "running") return;
  const put = (/** @type {string} */ name, /** @type {string} */ text) => write(find(`[data-out="${name}"]`, HTMLElement, row), text);
  row.dataset.state = state;
  const counts = classic.nodes.length > 0 || classic.total !== null;
  put("moves", outcome ? text(classic, outcome) : "");
  put("nodes", outcome ? (counts ? format(total(outcome.nodes)) : "") : task.nodesSoFar ? format(task.nodesSoFar) : "");
  put("time", outcome ? duration(outcome.seconds, texts) : task.limit ? duration(task.seconds, texts) : expected(classic));
  put("mark", mark(task));
}

/** Return the expected time of a long run as text. @param {PublishedResult} classic */
const expected = ({ seconds }) => (seconds ? texts.get("classics.about", { n: seconds }) : "");

/** @param {Task} task */
function mark({ state, why, detail, limit, finishedAt }) {
  if (state === "waiting") return "";
  if (state === "running") return limit ? texts.get("classics.limit", { limit }) : "…";
  if (state === "old") return texts.get("classics.old", { date: day.format(finishedAt) });
  return why ? texts.get(texts.has(why) ? why : "failed.other", { why: detail }) : texts.get(`classics.${state}`);
}

runKey.addEventListener("click", () => (queue.isPaused ? queue.resume() : queue.run()));
stopKey.addEventListener("click", () => queue.stop());
skipKey.addEventListener("click", () => queue.skip());
restoreStored();
enableButtons();
