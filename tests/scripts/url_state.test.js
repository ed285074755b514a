/** The game in the address, the history and the storage. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./page.js";
import { begin, movedTo, played } from "../../static/game/line.js";
import { addressOf, firstLine, storedLine } from "../../static/game/url_state.js";
import { saveUnfinished } from "../../static/ui/storage.js";

/** @typedef {import("../../static/game/line.js").Line} Line */

/** @param {string} position @returns {import("../../static/game/line.js").PositionVerdict} */
const at = (position) => ({ position, verdict: "live", moves_left: null });
/** @param {string} start @param {[number, number, string][]} steps @returns {Line} */
const line = (start, ...steps) =>
  steps.reduce(
    (line, [from, to, position]) => played(line, { ...at(position), from, to, cost: 1 }),
    begin(at(start)),
  );

const OWN_START = line("oo.oo", [0, 2, "..ooo"], [4, 1, ".oo.."]);

/** Open the page with a query and an entry of the history. @param {string} search @param {unknown} [state] */
const open = (search, state = null) =>
  Object.assign(globalThis, { location: { pathname: "/puzzles/row", search }, history: { state } });

beforeEach(() => {
  localStorage.clear();
  open("");
});

test("the address holds position, goal and the steps on the board", () => {
  assert.equal(addressOf(OWN_START), "?position=.oo..&goal=..o..&line=0-2.4-1");
  assert.equal(addressOf(movedTo(OWN_START, 1)), "?position=..ooo&goal=..o..&line=0-2");
  assert.equal(addressOf(begin(at("oo.oo"))), "?position=oo.oo&goal=..o..");
});

test("the address holds another start, but no line that is too long", () => {
  assert.equal(addressOf(line("ooooo", [0, 2, "..ooo"])), "?position=..ooo&goal=..o..&line=0-2&start=ooooo");
  const long = line("oo.oo", ...Array(400).fill([0, 2, "..ooo"]));
  assert.equal(addressOf(long), "?position=..ooo&goal=..o..");
});

test("only a line of a right form is read", () => {
  assert.deepEqual(storedLine({ line: OWN_START }), OWN_START);
  const step = OWN_START.steps[0];
  const wrong = [
    null,
    {},
    { line: [] },
    { line: { ...OWN_START, at: 3 } },
    { line: { ...OWN_START, at: -1 } },
    { line: { ...OWN_START, at: 0.5 } },
    { line: { ...OWN_START, start: at("oo.o") } },
    { line: { ...OWN_START, start: at("oxxoo") } },
    { line: { ...OWN_START, start: { position: "oo.oo", verdict: "won" } } },
    ...[{ from: 9 }, { cost: 2 }, { moves_left: "3" }, { bounds: { least: "x" } }].map((part) => ({
      line: { ...OWN_START, steps: [{ ...step, ...part }], at: 1 },
    })),
  ];
  for (const state of wrong) assert.equal(storedLine(state), null, JSON.stringify(state));
});

test("the page shows the line that the server sent, and the undone steps of the history", () => {
  const sent = movedTo(line("oo.oo", [0, 2, "..ooo"]), 1);
  const query = { position: "..ooo" };
  open("?position=..ooo");
  assert.deepEqual(firstLine({ line: sent, query }), { line: sent, isOther: false, origin: "foreign" });
  open("?position=..ooo", { line: movedTo(OWN_START, 1) });
  assert.deepEqual(firstLine({ line: sent, query }).line.steps, OWN_START.steps);
  open("?position=..ooo&lang=ja", { line: OWN_START });
  assert.deepEqual(
    firstLine({ line: sent, query }),
    { line: sent, isOther: false, origin: "own" },
    "the history is at another position",
  );
});

test("a page cached under another address shows the stored game only if it is that of the address", () => {
  const sent = begin(at("oo.oo"));
  open("?position=.oo..");
  assert.deepEqual(firstLine({ line: sent, query: {} }), { line: sent, isOther: true, origin: "new" });
  saveUnfinished("row", { url: "/puzzles/row?position=.oo..", moves: 2, line: OWN_START });
  assert.deepEqual(firstLine({ line: sent, query: {} }), { line: OWN_START, isOther: false, origin: "own" });
  open("?position=.oo..&goal=o....");
  assert.equal(firstLine({ line: sent, query: {} }).isOther, true);
});
