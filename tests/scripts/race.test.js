/** Races: contestants, the summary in sentences, and runs in links and files. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import { Contestant } from "../../static/race/contestant.js";
import { asCsv, asJson, runFragment, runsFromFragment } from "../../static/race/export.js";
import { soleWinner, summary } from "../../static/race/summary.js";

/** @typedef {import("../../static/race/contestant.js").Ending} Ending */

/** Return a contestant that has ended. @param {string} title @param {number[]} nodes by limit, from 1
 * @param {{ seconds?: number, end?: Ending["type"], limit?: number, proves?: boolean }} [about] `seconds`: of each limit */
function contestant(title, nodes, { seconds = 0, end = "solved", limit = nodes.length, proves = true } = {}) {
  const one = new Contestant(
    { method: title.toLowerCase(), title, proves, node: "A node is this." },
    () => {},
  );
  const rows = nodes.map((count, index) => ({
    limit: index + 1,
    nodes: count,
    seconds,
    cut: 1,
    whole: true,
    state: /** @type {const} */ ("exhausted"),
  }));
  const ending = /** @type {Ending} */ ({
    type: end,
    limit,
    nodes: 0,
    seconds,
    total_nodes: 5,
    moves: [],
    count: null,
    reason: "other",
  });
  one.restore(rows, ending);
  return one;
}

test("the fewest nodes win, and the summary states the ratio to the most", () => {
  const race = [contestant("Plain", [17, 73]), contestant("Corners", [4, 5]), contestant("Merson", [9, 9])];
  assert.equal(summary(race), "2 moves, and no fewer. Plain counted 10 times as many nodes as Corners.");
  assert.equal(soleWinner(race), race[1]);
});

test("equal counts have no sole winner", () => {
  const race = [contestant("Plain", [7]), contestant("Corners", [7])];
  assert.equal(summary(race), "1 move, and no fewer. Plain and Corners counted equally many nodes: 7.");
  assert.equal(soleWinner(race), undefined);
});

test("another contestant may have been faster", () => {
  const race = [contestant("Plain", [70], { seconds: 1 }), contestant("Corners", [7], { seconds: 2.5 })];
  assert.match(summary(race), / By the clock, Plain was 2.5 times as fast\.$/);
  const close = [contestant("Plain", [70], { seconds: 2.1 }), contestant("Corners", [7], { seconds: 2.5 })];
  assert.doesNotMatch(summary(close), /By the clock/);
});

test("a table counts no nodes, and the others are compared with each other", () => {
  const race = [contestant("Table", [0]), contestant("Plain", [40]), contestant("Corners", [10])];
  assert.equal(
    summary(race),
    "1 move, and no fewer. Table counted no nodes: it looks the answer up in a table. Plain counted 40. Plain counted 4 times as many nodes as Corners.",
  );
  assert.match(
    summary([contestant("Table", [0]), contestant("Map", [0])]),
    /No method had to count a single node\.$/,
  );
});

test("different answers are a disagreement", () => {
  const race = [contestant("Plain", [1, 2]), contestant("Corners", [1, 2, 3])];
  assert.match(summary(race), /^The methods disagree: Plain: 2 moves, Corners: 3 moves\./);
  assert.equal(soleWinner(race), undefined);
});

test("a wrong bound proves nothing, and wins nothing", () => {
  const race = [contestant("Misprint", [1], { proves: false }), contestant("Plain", [9])];
  assert.equal(soleWinner(race), race[1]);
  assert.match(summary(race), /Misprint uses a wrong bound: its answer proves nothing\.$/);
});

test("contestants without an answer are named with what they ruled out", () => {
  const given = contestant("Plain", [4, 5], { end: "stopped", limit: 2 });
  assert.equal(
    summary([given]),
    "No method finished. Plain was stopped after 5 nodes; it had proved that at least 3 moves are needed.",
  );
  assert.match(summary([contestant("Plain", [], { end: "failed" })]), /Plain did not finish\.$/);
});

test("a link holds a run, and gives it back", () => {
  const race = [
    contestant("Plain", [17, 73], { seconds: 0.9996 }),
    contestant("Corners", [4], { end: "stopped", limit: 1 }),
  ];
  const runs = runsFromFragment(runFragment(race));
  assert.deepEqual(
    runs.map(({ method, ending }) => [method, ending?.type]),
    [
      ["plain", "solved"],
      ["corners", "stopped"],
    ],
  );
  assert.deepEqual(
    runs[0].rows.map(({ limit, nodes, seconds, state }) => [limit, nodes, seconds, state]),
    [
      [1, 17, 0.9996, "exhausted"],
      [2, 73, 0.9996, "solved"],
    ],
  );
  assert.equal(runFragment([contestant("Plain", [])]), "");
});

for (const text of [
  "#run=x",
  "#other=[]",
  "#run=",
  '#run=[["c",[[1,-1,0,0,1]],null]]',
  '#run=[["c",[[1,"2",0,0,1]],null]]',
  "#run=[5]",
  "#run=%",
  `#run=[${" ".repeat(20_000)}]`,
]) {
  test(`a link without a run shows none: ${text.slice(0, 40)}`, () =>
    assert.deepEqual(runsFromFragment(text), []));
}

test("files hold the figures of every row", () => {
  const race = [contestant("Plain", [17, 73]), contestant("Misprint", [5], { proves: false })];
  const [head, ...lines] = asCsv(race).trimEnd().split("\r\n");
  assert.equal(head, "method,limit,nodes,cut,seconds,growth,branching,result");
  assert.deepEqual(
    lines.map((line) => line.split(",").filter((_, column) => column !== 5 && column !== 6)),
    [
      ["plain", "1", "17", "1", "0", "exhausted"],
      ["plain", "2", "73", "1", "0", "exhausted"],
      ["misprint", "1", "5", "1", "0", "unproved"],
    ],
  );
  const { runs } = JSON.parse(
    asJson({ puzzle: "row", position: "", goal: "", find: "all" }, race, "address"),
  );
  assert.equal(runs[0].counted, "A node is this.");
  assert.deepEqual(
    runs.map((/** @type {any} */ { proved, total_nodes: nodes }) => [proved, nodes]),
    [
      [true, 90],
      [false, 5],
    ],
  );
});

test("a wrong bound proves nothing in a link and in the files of the run that it holds", () => {
  const misprint = { proves: false, end: /** @type {const} */ ("stopped"), limit: -1 };
  const race = [contestant("Plain", [17, 73]), contestant("Misprint", [5], misprint)];
  const [right, wrong] = runsFromFragment(runFragment(race));
  assert.deepEqual([right.ending?.type, wrong.ending?.type], ["solved", "stopped"]);
  const solved = contestant("Misprint", [5], { proves: false });
  for (const { rows, ending } of runsFromFragment(runFragment([solved]))) solved.restore(rows, ending);
  const { runs } = JSON.parse(asJson({ puzzle: "", position: "", goal: "", find: "all" }, [solved], ""));
  assert.equal(runs[0].ending.proved, false);
  assert.equal(solved.resultOf(solved.rows.all[0]), "unproved");
});

test("early events count as an answer, and a new run begins without one", async () => {
  /** @type {[boolean, number][]} */
  const seen = [];
  /** @type {Record<string, (event: unknown) => void>} */
  const handlers = {};
  const one = new Contestant({ method: "", title: "", proves: true, node: "" }, () =>
    seen.push([one.hasAnswered, one.ahead]),
  );
  const events = [{ type: "progress", limit: 0 }, { type: "found" }, { type: "stopped" }];
  const emit = (/** @type {string} */ _, /** @type {any} */ { ticket }) =>
    events.forEach((event) => handlers[event.type]({ ...event, ticket }));
  const on = (/** @type {string} */ name, /** @type {any} */ handler) => (handlers[name] = handler);
  const socket = /** @type {any} */ ({ on, off: () => {}, timeout: () => ({ emit }) });
  one.ahead = 4;
  for (let runs = 0; runs < 2; runs++) await one.run(socket, /** @type {any} */ ({}));
  // a note comes at the start and after each event
  const run = [[false, -1], ...Array(3).fill([true, -1])];
  assert.deepEqual(seen, [...run, ...run]);
});
