/** What is said of a game, and what a typed line means, in two languages. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import * as texts from "../../static/ui/i18n.js";
import { begin, movedTo } from "../../static/game/line.js";
import { puzzle } from "../../static/game/position.js";
import { boardSentence, changeSentence, listed, rowSentence, spoken } from "../../static/speech/sentences.js";
import { answerTo, holesOf, parse } from "../../static/speech/typed_line.js";
import { Voice } from "../../static/speech/voice.js";

/** @typedef {import("../../static/game/line.js").Step} Step @typedef {import("../../static/game/line.js").Line} Line */

const start = begin({ position: "oo.oo", verdict: "live", moves_left: 2 });
const known = { cost: 1, verdict: /** @type {const} */ ("live"), moves_left: 1 };
/** @type {Step[]} */
const steps = [
  { from: 0, to: 2, position: "..ooo", ...known },
  { from: 4, to: 1, position: ".oo..", ...known },
];
/** @type {Line} */
const line = { ...start, steps };

test("steps are words", () => {
  assert.equal(spoken(texts, "Hint: 2–\u20600–\u20606, free (+0)"), "Hint: 2 to 0 to 6, free");
  assert.equal(listed(texts, [5, 1, 4]), "5, 1 and 4");
  assert.equal(listed(texts, [3, 11], "say.or"), "3 or 11");
});

test("a move, its undo and a new position are different sentences", () => {
  const change = (/** @type {Line} */ was, /** @type {Line} */ now, isSolution = false) =>
    changeSentence(puzzle, texts, was, now, isSolution);
  assert.equal(change(line, movedTo(line, 1)), "0 to 2, over 1. 3 pegs.");
  assert.equal(change(movedTo(line, 1), line), "Undone: 0 to 2.");
  assert.equal(change(movedTo(line, 2), line), "Back at the start. 4 pegs.");
  assert.equal(change(line, movedTo(line, 1), true), "Move 1 of 2: 0 to 2, over 1.");
  assert.equal(change(line, line), "");
  const other = begin({ position: "o.o..", verdict: "live", moves_left: 1 });
  assert.equal(change(line, other), "A new position. 2 pegs.");
});

test("the board and a row are told", () => {
  assert.equal(boardSentence(puzzle, texts, "oo.oo"), "Pegs: 0, 1, 3, 4. Empty: 2.");
  assert.equal(rowSentence(puzzle, texts, "oo.oo", 1), "Row 1: 0 peg, 1 peg, 2 empty, 3 peg, 4 peg.");
  assert.equal(rowSentence(puzzle, texts, "oo.oo", 2), "There is no row 2: the board has 1 row.");
});

test("moves and commands are read in any width and with any separator", () => {
  const meaning = (/** @type {string} */ text) => parse(text, texts.get);
  for (const text of ["6-8-10", "6 8 10", "６ー８ー１０", "6–8–10", "6, 8, 10", "6 to 8 to 10", " 6>8>10 "])
    assert.deepEqual(meaning(text), { kind: "play", numbers: [6, 8, 10] }, text);
  assert.deepEqual(meaning("Row 2"), { kind: "row", numbers: [2] });
  assert.deepEqual(meaning("How many?"), { kind: "count", numbers: [] });
  assert.deepEqual(meaning("tile 8"), { kind: "play", numbers: [8] });
  assert.equal(meaning("jump about").kind, "unknown");
});

test("Japanese words are commands, too", () => {
  /** @type {Record<string, string>} */
  const words = { "typed.words.row": "段|段目", "typed.words.undo": "戻す" };
  const get = (/** @type {string} */ key) => words[key] ?? key;
  assert.deepEqual(parse("２段目", get), { kind: "row", numbers: [2] });
  assert.deepEqual(parse("6から8から10", get), { kind: "play", numbers: [6, 8, 10] });
  assert.equal(parse("戻す。", get).kind, "undo");
});

test("holes must be on the board, and a number may be a tile", () => {
  assert.equal(holesOf([0, 5], { puzzle, position: "oo.oo" }), null);
  const tiles = { ...puzzle, glyphs: { a: "tile-1", b: "tile-2" } };
  assert.deepEqual(holesOf([2], { puzzle: tiles, position: "ba._." }), [0]);
});

test("a question has one answer, an action none", () => {
  const game = { puzzle, position: "oo.oo", steps: [{ from: 0, to: 2 }], moves: 1 };
  const answer = (/** @type {string} */ text) => answerTo(parse(text, texts.get), text, game, texts);
  assert.equal(answer("how many"), "4 pegs. 1 move.");
  assert.equal(answer("moves"), "0 to 2.");
  assert.equal(answer("undo"), null);
  assert.match(answer("what now") ?? "", /^“what now” is neither/);
});

test("the same sentence is a new node, and sentences of one moment are one", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  /** @type {string[]} */
  const nodes = [];
  const voice = new Voice({ replaceChildren: (text) => void nodes.push(text) }, (text) => text);
  for (const text of ["9 to 3.", "9 to 3."]) {
    voice.say(text);
    voice.say("10 pegs.");
    context.mock.timers.tick(200);
  }
  assert.deepEqual(nodes, ["9 to 3. 10 pegs.", "9 to 3. 10 pegs."]);
});

test("of many mentions one is said in five seconds, and the end at once", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  context.mock.method(performance, "now", () => now);
  /** @type {string[]} */
  const said = [];
  const voice = new Voice({ replaceChildren: (text) => void said.push(text) }, (text) => text);
  for (let limit = 1; limit <= 120; limit++) {
    voice.mention(`limit ${limit}`);
    now += 100;
    context.mock.timers.tick(100);
  }
  voice.say("done");
  now += 10_000;
  context.mock.timers.tick(10_000);
  assert.equal(said.length, 4);
  assert.equal(said[3], "done");
});
