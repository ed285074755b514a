/** The pace at which the rows of a search are delivered, with a server that has proved them all at once. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";

/** @typedef {import("../../static/search/search.js").SearchEvent} SearchEvent */

let time = 0;
performance.now = () => time;
Object.assign(globalThis, {
  matchMedia: () => ({ matches: false }),
  setTimeout: (/** @type {() => void} */ act, /** @type {number} */ wait) => (
    (time += wait),
    queueMicrotask(act)
  ),
});
document.documentElement.dataset.motion = "";
const { paced, Search } = await import("../../static/search/search.js");

/** @type {SearchEvent[]} */
const PROOF = [
  { type: "exhausted", limit: 1, nodes: 0, cut: 0, seconds: 0 },
  { type: "exhausted", limit: 2, nodes: 17, cut: 4, seconds: 0 },
  { type: "exhausted", limit: 3, nodes: 441, cut: 9, seconds: 0 },
  { type: "solved", limit: 4, nodes: 80, seconds: 0, moves: [], count: null, total_nodes: 538 },
];

/** Return a search whose server answers a request with `events`. @param {readonly SearchEvent[]} events */
function searchOf(events) {
  /** @type {Record<string, (data: unknown) => void>} */
  const handlers = {};
  const emit = (/** @type {string} */ _, /** @type {{ ticket: string }} */ { ticket }) =>
    events.forEach((event) => handlers[event.type]({ ...event, ticket }));
  const socket = {
    on: (/** @type {string} */ name, /** @type {(data: unknown) => void} */ act) => (handlers[name] = act),
    off() {},
    timeout: () => ({ emit }),
  };
  const request = { puzzle: "row", position: "oo.oo", goal: "any", method: "best", find: "first" };
  return new Search(/** @type {any} */ (socket), /** @type {any} */ (request));
}

/** Return the events of a search with the times of their delivery. @param {InstanceType<typeof Search>} search
 * @param {(event: SearchEvent) => void} [seen] */
async function watched(search, seen = () => {}) {
  time = 0;
  const found = [];
  for await (const event of paced(search)) {
    found.push({ ...event, time });
    seen(event);
  }
  return found;
}

/** @param {SearchEvent} event */
const isRow = ({ type }) => type !== "progress";

test("the rows of a film come one after another, the last one after the longest time", async () => {
  const search = searchOf(PROOF);
  search.pace = "film";
  const rows = (await watched(search)).filter(isRow);
  const gaps = rows.map((row, index) => row.time - (rows[index - 1]?.time ?? 0));
  assert.deepEqual(
    rows.map((row) => "limit" in row && row.limit),
    [1, 2, 3, 4],
  );
  assert.ok(gaps.every((gap) => gap >= 500 && gap <= 1500));
  assert.equal(Math.max(...gaps), gaps[3]);
});

test("a film counts the nodes of each limit up to those of its row", async () => {
  const search = searchOf(PROOF);
  search.pace = "film";
  /** @type {Record<number, number[]>} */
  const counts = {};
  for (const event of await watched(search))
    if ("nodes" in event) (counts[event.limit] ??= []).push(event.nodes);
  for (const [limit, numbers] of Object.entries(counts))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
      `limit ${limit}`,
    );
  assert.equal(counts[3].at(-1), 441);
  assert.ok(new Set(counts[3]).size > 5);
});

test("a replayed count goes on from the nodes that the server has told", async () => {
  const search = searchOf([
    ...PROOF.slice(0, 2),
    { type: "progress", limit: 3, nodes: 400, seconds: 1 },
    ...PROOF.slice(2),
  ]);
  search.pace = "film";
  const events = await watched(search);
  const [told, ...replayed] = events.flatMap((event) =>
    event.type === "progress" && event.limit === 3 ? [event] : [],
  );
  assert.deepEqual([told.nodes, told.replayed], [400, undefined]);
  assert.ok(replayed.length > 5 && replayed.every(({ nodes, replayed }) => nodes >= 400 && replayed));
  const [, second, third] = events.filter(isRow);
  assert.ok(third.time - second.time >= 500);
});

test("a film that is skipped shows all that is left at once", async () => {
  const search = searchOf(PROOF);
  search.pace = "film";
  const events = await watched(search, (event) => {
    if (event.type === "exhausted" && event.limit === 2) search.pace = "none";
  });
  const [, second, third, last] = events.filter(isRow);
  assert.deepEqual([third.time, last.time], [second.time, second.time]);
});

test("with reduced motion nothing waits", async () => {
  document.documentElement.dataset.motion = "none";
  const events = await watched(searchOf(PROOF));
  document.documentElement.dataset.motion = "";
  assert.deepEqual(
    events.map(({ time }) => time),
    [0, 0, 0, 0],
  );
});

test("other rows that arrive together keep a short distance, and nothing is counted", async () => {
  const events = await watched(searchOf(PROOF));
  assert.ok(events.every(isRow));
  const times = events.map(({ time }) => time);
  assert.equal(times[0], 0);
  assert.ok(times.slice(1).every((now, index) => now > times[index] && now - times[index] <= 70));
});
