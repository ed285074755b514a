/**
 * The published results: runs them again and shows each new result next to the published one.
 *
 * @typedef {import("../search/published_runs.js").PublishedResult} PublishedResult
 * @typedef {import("../search/published_runs.js").Outcome} Outcome
 * @typedef {import("../search/published_runs.js").ResultRun} ResultRun
 */
import "../ui/settings.js";
import { duration } from "../search/rows.js";
import { button, element, enableButtons, find, oncePerFrame, pageData, write } from "../ui/dom.js";
import { ResultQueue, total } from "../search/published_runs.js";
import * as store from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

const { language, published, names, engine } = pageData();
const queue = new ResultQueue(published, () => (storeNew(), refresh()));
const day = new Intl.DateTimeFormat(language, { dateStyle: "medium" });
const runButton = button("run-all");
const [stopButton, skipButton] = [button("stop-run"), button("skip-one")];

/** Return the key of a result in the storage. @param {PublishedResult} published */
const nameOf = ({ puzzle, start, goal, method, first_move }) =>
  [puzzle, start, goal, method, first_move ?? ""].join("|");

/** Store new results, so that they are shown after a reload. */
function storeNew() {
  for (const run of queue.done.filter(({ finishedAt }) => !finishedAt)) {
    run.finishedAt = Date.now();
    if (run.outcome)
      store.savePublishedRun(nameOf(run.published), { outcome: run.outcome, engine, when: run.finishedAt });
  }
}

/** Show the stored results. */
function restoreStored() {
  const stored = store.publishedRuns();
  for (const run of queue.runs) {
    const known = stored[nameOf(run.published)];
    if (Array.isArray(known?.outcome?.nodes)) run.restore(known, engine);
  }
  if (queue.runs.some(({ outcome }) => outcome)) refresh();
}

/** Return a result in the format of the published one. @param {PublishedResult} published @param {Outcome} outcome */
function text(published, { moves, count }) {
  if (published.solvable || published.unsolvable)
    return texts.get(moves === null ? "published.none" : "published.some");
  if (published.max_moves !== null) return `≤${moves}`;
  return published.count === null ? `${moves}` : `${moves} ×${count}`;
}

/** Redraw the page in the next animation frame. */
const refresh = oncePerFrame(show);

function show() {
  const { runs, done, isRunning, isPaused } = queue;
  runs.forEach(showRow);
  const remaining = runs.length - done.length;
  runButton.disabled = isRunning && !isPaused;
  write(
    runButton,
    texts.get(isPaused ? "published.goOn" : remaining && done.length ? "published.left" : "published.run", {
      n: remaining || runs.length,
    }),
  );
  stopButton.disabled = !isRunning || isPaused;
  skipButton.disabled = queue.current?.state !== "running";
  find("progress", HTMLProgressElement).value = done.length;
  element(".programme").dataset.state = isPaused ? "held" : isRunning ? "running" : "idle";
  write(element(".run-now"), progressText());
  write(element('[role="status"]'), statusText());
}

/** Return the text of the live region. It changes only when a result is complete or a run starts, pauses or ends. */
function statusText() {
  const { runs, done, isRunning, isPaused, current } = queue;
  const values = {
    done: done.length,
    all: runs.length,
    agreed: done.filter(({ state }) => state === "agrees").length,
  };
  if (isPaused)
    return (
      texts.get("published.held", values) +
      (current?.state === "running"
        ? texts.get("sentence.gap") + texts.get("published.rests", about(current))
        : "")
    );
  if (isRunning) return texts.get("published.running", values);
  const remaining = runs.length - done.length;
  const old = runs.filter(({ state }) => state === "old").length;
  if (!queue.hasRun)
    return (
      texts.get("published.kept", values) +
      (old ? texts.get("sentence.gap") + texts.get("published.again", { n: old }) : "")
    );
  return (
    texts.get("published.done", values) +
    (remaining ? texts.get("sentence.gap") + texts.get("published.leftOut", { n: remaining }) : "")
  );
}

/** Return the progress of the current result as text. It changes all the time, so it is in no live region. */
function progressText() {
  const { current, runs, done, isRunning } = queue;
  if (!isRunning || current?.state !== "running")
    return texts.get("published.count", { done: done.length, all: runs.length });
  const key =
    current.search.state === "lost" ? "published.lost" : current.limit ? "published.now" : "published.begins";
  return (
    texts.get("published.count", { done: done.length, all: runs.length }) +
    texts.get("sentence.gap") +
    texts.get(key, about(current))
  );
}

/** @param {ResultRun} run */
const about = (run) => ({
  ...names[run.index],
  limit: run.limit,
  nodes: run.rows.nodes,
  time: duration(run.rows.seconds),
});

/** @param {ResultRun} run */
function showRow(run) {
  const row = element(`[data-published="${run.index}"]`);
  const { published, outcome, state } = run;
  if (row.dataset.state === state && state !== "running") return;
  const put = (/** @type {string} */ name, /** @type {string} */ text) =>
    write(find(`[data-out="${name}"]`, HTMLElement, row), text);
  row.dataset.state = state;
  const counts = published.nodes.length > 0 || published.total !== null;
  put("moves", outcome ? text(published, outcome) : "");
  put(
    "nodes",
    outcome
      ? counts
        ? texts.number.format(total(outcome.nodes))
        : ""
      : run.rows.nodes
        ? texts.number.format(run.rows.nodes)
        : "",
  );
  put(
    "time",
    outcome ? duration(outcome.seconds) : run.limit ? duration(run.rows.seconds) : expected(published),
  );
  put("mark", mark(run));
}

/** Return the expected time of a long run as text, or "" for a short run. @param {PublishedResult} published */
const expected = ({ seconds }) => (seconds ? texts.get("published.about", { n: seconds }) : "");

/** @param {ResultRun} run */
function mark({ state, why, detail, limit, finishedAt }) {
  if (state === "waiting") return "";
  if (state === "running") return limit ? texts.get("published.limit", { limit }) : "…";
  if (state === "old") return texts.get("published.old", { date: day.format(finishedAt) });
  return why
    ? texts.get(texts.has(why) ? why : "failed.other", { why: detail })
    : texts.get(`published.${state}`);
}

runButton.addEventListener("click", () => (queue.isPaused ? queue.resume() : queue.run()));
stopButton.addEventListener("click", () => queue.pause());
skipButton.addEventListener("click", () => queue.skip());
restoreStored();
enableButtons();
