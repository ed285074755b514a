/** Drawing a board: the sketch, its undo, and what is proved about it. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Proof, solvableStarts } from "../../static/draw/proof.js";
import { knownByServer } from "../../static/draw/server_search.js";
import * as sketches from "../../static/draw/sketch.js";
import { commonId, drawingOf, idOf } from "../../static/tables/drawing.js";
import { seeded } from "../../static/stream/deal.js";

const { signal } = new AbortController();

/** @param {string} id */
function drawing(id) {
  const found = drawingOf(id);
  assert.ok(found, id);
  return found;
}

test("a sketch keeps its drawing, position and goal, on every lattice", () => {
  for (const id of [
    "own-s-2c-e-e-e-d",
    "own-d-1a1a-e-1c-2a",
    "own-t-1a-d-1c-1d-3a",
    "own-t-d-1d-2d-3d",
    "own-t-3a-b-a2a",
  ]) {
    const { points } = drawing(id);
    const position = points.map((_, hole) => "o.r"[hole === 0 ? 1 : hole === 1 ? 2 : 0]).join("");
    const sketch = sketches.sketchOf(drawing(id), position, "1");
    assert.equal(idOf(/** @type {any} */ (sketches.drawingIn(sketch))), id);
    assert.equal(sketches.positionIn(sketch), position);
    assert.equal(sketches.goalIn(sketch), "1");
  }
});

test("places become holes and none again; a hole that goes takes its peg and the goal along", () => {
  let sketch = sketches.BLANK;
  assert.equal(sketches.drawingIn(sketch), null);
  for (const place of ["4,4", "3,4", "5,4"]) sketch = sketches.withHole(sketch, place, true);
  sketch = sketches.withGoal(sketches.withCell(sketch, "5,4", "r"), "5,4");
  sketch = sketches.withCell(sketch, "3,4", ".");
  assert.deepEqual([sketches.positionIn(sketch), sketches.goalIn(sketch)], [".or", "2"]);
  sketch = sketches.withHole(sketch, "5,4", false);
  assert.deepEqual([sketches.positionIn(sketch), sketches.goalIn(sketch), sketch.red], [".o", "any", null]);
});

test("undo leads back through all changes, and a stroke is one of them", () => {
  const history = new sketches.History(sketches.BLANK);
  history.add(sketches.withHole(history.now, "0,0", true));
  history.replace(sketches.withHole(history.now, "1,0", true));
  history.add(sketches.withLattice(history.now, "t"));
  history.undo();
  assert.deepEqual([history.now.lattice, history.now.holes.size, history.canRedo], ["s", 2, true]);
  history.undo();
  assert.deepEqual([history.now, history.canUndo], [sketches.BLANK, false]);
  history.replace(sketches.withGoal(history.now, null)); // as the page does when it shows a start
  history.redo();
  assert.equal(history.now.holes.size, 2);
  history.add(sketches.BLANK);
  assert.equal(history.canRedo, false);
});

test("starts, finishes, solutions and difficulty of triangle 15 are the published ones", async () => {
  const proof = new Proof(drawing("own-t-a-b-c-d-e"), false);
  const toSelf = async (/** @type {number} */ hole) => (await proof.fromStarts(String(hole), signal))[hole];
  assert.deepEqual([await toSelf(0), await toSelf(1), await toSelf(3), await toSelf(4)], [10, 11, 9, null]);
  /** @type {(number | null)[]} */
  const ends = [];
  for await (const [hole, moves] of proof.finishes(4, signal)) ends[hole] = moves;
  assert.deepEqual(
    [...ends.keys()].filter((hole) => ends[hole] !== null),
    [12],
  );
  const jumped = await proof.about("ooooooooooooooo".replace("o", "."), "0", signal);
  assert.equal(jumped?.moves, 10);
});

test("a position with exactly one solution has one, and where there is none it is said", async () => {
  const proof = new Proof(drawing("own-d-2a-1c-e-1c-2a"), false);
  const found = await proof.withOneSolution("6", 4, seeded("one"), signal);
  const about = await proof.about(found ?? "", "6", signal);
  assert.deepEqual([about?.moves, about?.count, about?.unique], [4, 1, 1]);
  assert.equal(await proof.withOneSolution("6", 12, seeded("none"), signal), null);
  const { text, most } = await proof.hardest("6", seeded("hard"), signal);
  assert.equal((await proof.about(text, "6", signal))?.moves, most);
});

test("of 3,040 positions of Diamond 13 without an active peg 936 have exactly one solution", async () => {
  const proof = new Proof(drawing("own-d-2a-1c-e-1c-2a"), false);
  const table = await proof.table("0", signal);
  let [solvable, single] = [0, 0];
  for (let state = 1; state < table.moves.length; state += 1) {
    if (table.moves[state] === 255 || table.moves[state] === 0) continue;
    solvable += 1;
    single += Number((await proof.about(table.format({ state, active: -1 }), "0", signal))?.count === 1);
  }
  assert.deepEqual([solvable, single], [3040, 936]);
});

test("an aborted proof ends at the next slice, and the next one begins anew", async () => {
  const control = new AbortController();
  const proof = new Proof(drawing("own-d-2c-e-e-e-d"), false);
  const begun = proof.fromStarts("any", control.signal);
  setTimeout(() => control.abort());
  await assert.rejects(begun, { name: "AbortError" });
  const small = new Proof(drawing("own-s-d"), false);
  assert.deepEqual(await small.fromStarts("any", signal), [null, 2, 2, null]);
});

test("one hole more changes how many starts can be solved", async () => {
  assert.equal(await solvableStarts(drawing("own-s-c"), signal), 2);
  assert.equal(await solvableStarts(drawing("own-s-d"), signal), 2);
  assert.equal(await solvableStarts(drawing("own-s-e"), signal), 0);
});

test("a board has one common id, however it is turned", () => {
  const ids = ["own-t-a-b-c-d-e", "own-t-e-1d-2c-3b-4a"].map((id) => commonId(drawing(id)));
  assert.equal(ids[0], ids[1]);
});

/** Answer requests by the end of their path. @param {Record<string, unknown[]>} answers lines of JSON */
function answerWith(answers) {
  globalThis.fetch = async (address) => {
    const path = String(address).split("?")[0];
    return new Response(answers[path].map((line) => JSON.stringify(line)).join("\n") + "\n\n");
  };
}

test("a search on the server narrows the bounds until it has proved or reached its limit", async () => {
  const search = [
    { event: "queued", ahead: 1 },
    { event: "exhausted", limit: 13 },
    { event: "found", limit: 16 },
    { event: "exhausted", limit: 14 },
  ];
  const open = { verdict: "unknown", moves_left: null };
  const known = async () => {
    const all = [];
    for await (const each of knownByServer("p", new URLSearchParams(), signal)) all.push(each);
    return all.map(({ verdict, moves, least, most, isOver }) => [verdict, moves, least, most, isOver].join());
  };
  answerWith({ p: [open], "p/search": [...search, { event: "stopped" }] });
  const narrowing = [
    "unknown,,1,,false",
    "unknown,,1,,false",
    "unknown,,14,,false",
    "live,,14,16,false",
    "live,,15,16,false",
  ];
  assert.deepEqual(await known(), [...narrowing, "live,,15,16,false", "live,,15,16,true"]);
  answerWith({ p: [open], "p/search": [...search, { event: "solved", limit: 15 }] });
  assert.equal((await known()).at(-1), "live,15,15,16,true");
  answerWith({ p: [open], "p/search": [{ event: "unsolvable" }], "p/reason": [{ sentence: "why" }] });
  assert.equal((await known()).at(-1), "dead,,1,,true");
  answerWith({ p: [{ verdict: "live", moves_left: 15, bounds: { least: 15, most: 15 } }] });
  assert.deepEqual(await known(), ["live,15,15,15,true"]);
});

test("a server that cannot search says so, and what it knew stays", async () => {
  const known = { verdict: "unknown", moves_left: null, bounds: { least: 5, most: null } };
  const refusal = { error: { code: "not_supported", message: "This server cannot search here." } };
  globalThis.fetch = async (address) =>
    String(address).includes("/search") ? Response.json(refusal, { status: 501 }) : Response.json(known);
  const all = [];
  for await (const each of knownByServer("p", new URLSearchParams(), signal)) all.push(each);
  const { least, isOver, sentence } = all.at(-1) ?? {};
  assert.deepEqual([least, isOver, sentence], [5, true, refusal.error.message]);
});
