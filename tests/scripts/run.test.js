/** The state of a search in a page, as it follows from the events. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import { Rows } from "../../static/search/rows.js";
import { SearchRun, stateKey } from "../../static/search/run.js";

/** @typedef {import("../../static/search/search.js").SearchEvent} SearchEvent */

/** Return a search with the given events. @param {SearchEvent[]} events @returns {any} */
const searchOf = (...events) => ({
  pace: "none",
  isLost: false,
  paused: false,
  stopped: false,
  pause() {
    this.paused = true;
  },
  stop() {
    this.stopped = true;
  },
  async *events() {
    for (const event of events) {
      this.isLost = event.type === "lost";
      yield event;
    }
  },
});

/** Return how a run stands after each event: its key and its rows. @param {SearchRun<Rows>} run @param {any} search */
async function stages(run, search) {
  const found = [];
  for await (const { type } of run.begin(search))
    found.push([type, stateKey(run), run.rows.all.map(({ limit, state }) => `${limit} ${state}`).join()]);
  return found;
}

/** @param {number} limit @param {number} nodes @returns {SearchEvent} */
const counted = (limit, nodes) => ({ type: "progress", limit, nodes, seconds: 0 });
/** @param {number} limit @returns {SearchEvent} */
const ruledOut = (limit) => ({ type: "exhausted", limit, nodes: 9, cut: 1, seconds: 0 });

test("rows and state follow from the events", async () => {
  const search = searchOf({ type: "queued", ahead: 2 }, counted(0, 0), ruledOut(1), counted(2, 5), {
    type: "solved",
    limit: 2,
    nodes: 8,
    seconds: 0,
    moves: [],
    count: 1,
    total_nodes: 17,
  });
  assert.deepEqual(await stages(new SearchRun(new Rows()), search), [
    ["queued", "search.queued", ""],
    ["progress", "search.running", ""],
    ["exhausted", "search.running", "1 exhausted"],
    ["progress", "search.running", "1 exhausted,2 searching"],
    ["solved", "state.done", "1 exhausted,2 solved"],
  ]);
});

test("after a lost connection the unfinished row is dropped", async () => {
  const search = searchOf(ruledOut(1), counted(2, 5), { type: "lost" }, { type: "again" });
  assert.deepEqual((await stages(new SearchRun(new Rows()), search)).slice(2), [
    ["lost", "search.reconnecting", "1 exhausted,2 searching"],
    ["again", "search.running", "1 exhausted"],
  ]);
});

test("a stopped search keeps its unfinished row and can be paused no more", async () => {
  const run = new SearchRun(new Rows());
  const search = searchOf(counted(1, 5), {
    type: "stopped",
    reason: "limit",
    limit: 0,
    total_nodes: 5,
    seconds: 0,
  });
  assert.deepEqual((await stages(run, search)).at(-1), ["stopped", "state.limit", "1 searching"]);
  run.togglePause();
  assert.deepEqual([run.isPaused, search.paused, run.running], [false, false, null]);
});

test("a further search stops the one before and ends its events", async () => {
  const run = new SearchRun(new Rows());
  const first = searchOf(ruledOut(1), ruledOut(2));
  const events = run.begin(first);
  await events.next();
  run.begin(searchOf());
  assert.deepEqual([(await events.next()).done, first.stopped, run.rows.all.length], [true, true, 1]);
});
