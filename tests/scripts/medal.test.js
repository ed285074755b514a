/** Help and medals: state machines without a view. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import {
  attemptsAtOpening,
  hasHelp,
  helpOfGame,
  helpPlayedWith,
  hasMoreHelp,
  isStarAtStake,
  isStuck,
  isVerdictHidden,
  NO_HELP,
  NOT_TRIED,
  tellsLoss,
  withEnd,
  withHelp,
  withShown,
} from "../../static/game/help.js";
import { begin, lineText, movedTo, played } from "../../static/game/line.js";
import { bestMark, medalOf } from "../../static/game/medal.js";
import { Session } from "../../static/game/session.js";
import { countHelpOfPage } from "../../static/game/help_of_page.js";
import { attempts, saveAttempts } from "../../static/ui/storage.js";

/** @typedef {import("../../static/game/help.js").Shown} Shown */
/** @typedef {import("../../static/game/line.js").Verdict} Verdict */

const START = begin({ position: "oo.oo", verdict: "live", moves_left: 2 });
/** @param {import("../../static/game/line.js").Line} line @param {string} position @param {Verdict} verdict @param {number | null} left */
const step = (line, position, verdict, left) =>
  played(line, { position, verdict, moves_left: left, from: 0, to: 2, cost: 1 });
const FIRST = step(START, "..ooo", "live", 1);
const SOLVED = step(FIRST, "..o..", "solved", 0);
const LOST = step(START, "..o.o", "dead", null);

/** @param {Partial<Shown>} changed @returns {Shown} */
const shown = (changed) => ({
  line: START,
  solution: null,
  edit: null,
  assistance: "verdict",
  revealedPosition: "",
  analysis: null,
  ...changed,
});
/** @param {import("../../static/game/line.js").Line} line @param {"here" | "own"} origin */
const solution = (line, origin) => ({ line, base: 0, origin, playing: false, proved: true });
/** @param {string} position */
const nothingLeft = (position) => ({
  position,
  verdict: /** @type {Verdict} */ ("dead"),
  moves_left: null,
  steps: [],
});

test("the star needs the fewest moves and no help", () => {
  assert.equal(medalOf({ moves: 7, best: 7, help: NO_HELP }), "optimal");
  assert.equal(medalOf({ moves: 8, best: 7, help: NO_HELP }), "solved");
  assert.equal(medalOf({ moves: 7, best: null, help: NO_HELP }), "solved");
  for (const help of [{ hints: 1 }, { checks: 1 }, { solution: true }, { verdict: true }, { told: true }]) {
    assert.equal(medalOf({ moves: 7, best: 7, help: { ...NO_HELP, ...help } }), "assisted");
    assert.equal(medalOf({ moves: 9, best: 7, help: { ...NO_HELP, ...help } }), "solved");
  }
});

test("results of earlier versions keep their moves, but no star", () => {
  assert.equal(medalOf({ moves: 7, best: 7 }), "assisted");
  assert.equal(medalOf({ moves: 9, best: 7 }), "solved");
  assert.equal(medalOf({ moves: 9 }), "solved");
});

test("the mark of several results is the best of them", () => {
  assert.equal(bestMark([]), "new");
  assert.equal(bestMark([{ moves: 9, best: 7 }]), "solved");
  assert.equal(
    bestMark([
      { moves: 7, best: 7 },
      { moves: 9, best: 7, help: NO_HELP },
    ]),
    "assisted",
  );
  assert.equal(
    bestMark([
      { moves: 7, best: 7 },
      { moves: 2, best: 2, help: NO_HELP },
    ]),
    "optimal",
  );
});

test("the end of a lost game tells nothing unasked, so it is no help", () => {
  const lost = { line: LOST, analysis: nothingLeft("..o.o"), assistance: /** @type {const} */ ("off") };
  assert.equal(withShown(NO_HELP, shown(lost)), NO_HELP);
  assert.ok(!tellsLoss({ assistance: "off", help: NO_HELP }));
  const told = { ...NO_HELP, told: true };
  assert.ok(
    tellsLoss({ assistance: "off", help: told }) && tellsLoss({ assistance: "verdict", help: NO_HELP }),
  );
  assert.ok(withShown(told, shown({ line: movedTo(LOST, 0), assistance: "off" })).told, "a new try");
});

test("a solution on the board is help, a replay of the own moves is none", () => {
  assert.ok(withShown(NO_HELP, shown({ solution: solution(SOLVED, "here") })).solution);
  assert.ok(!hasHelp(withShown(NO_HELP, shown({ solution: solution(FIRST, "own") }))));
});

test("a verdict is help after the first step and before the end", () => {
  const verdictAt = (/** @type {Partial<Shown>} */ changed) => withShown(NO_HELP, shown(changed)).verdict;
  assert.ok(!verdictAt({ line: START }));
  assert.ok(verdictAt({ line: FIRST }));
  assert.ok(verdictAt({ line: LOST }), "dead, with jumps left");
  assert.ok(!verdictAt({ line: LOST, analysis: nothingLeft("..o.o") }), "the end");
  assert.ok(!verdictAt({ line: SOLVED }));
  assert.ok(!verdictAt({ line: FIRST, assistance: "off" }));
  assert.ok(!verdictAt({ line: step(START, "..ooo", "checking", null) }));
});

test("only a start with a hidden verdict forgets the verdict, and nothing forgets other help", () => {
  const help = { hints: 1, checks: 2, solution: true, verdict: true, told: true };
  assert.equal(withShown(help, shown({ line: movedTo(FIRST, 0) })), help);
  assert.equal(withShown(help, shown({ line: FIRST, assistance: "off" })), help);
  assert.deepEqual(withShown(help, shown({ line: movedTo(FIRST, 0), assistance: "off" })), {
    ...help,
    verdict: false,
  });
});

test("a hidden verdict is shown when asked for, and at the end", () => {
  const isHidden = (/** @type {Partial<Shown>} */ changed) =>
    isVerdictHidden(shown({ assistance: "off", ...changed }));
  assert.ok(isHidden({ line: FIRST }));
  assert.ok(!isHidden({ line: FIRST, assistance: "marks" }));
  assert.ok(!isHidden({ line: FIRST, revealedPosition: "..ooo" }));
  assert.ok(isHidden({ line: START, revealedPosition: "..ooo" }), "another position");
  assert.ok(!isHidden({ line: SOLVED }));
  assert.ok(isHidden({ line: LOST }), "dead, with jumps left");
  assert.ok(!isHidden({ line: LOST, analysis: nothingLeft("..o.o") }));
});

test("stuck is a position without a step, reached by play", () => {
  assert.ok(isStuck(shown({ line: LOST, analysis: nothingLeft("..o.o") })));
  assert.ok(!isStuck(shown({ line: LOST, analysis: nothingLeft("..ooo") })), "answer of another position");
  assert.ok(!isStuck(shown({ line: LOST })), "not answered yet");
  assert.ok(!isStuck(shown({ line: START, analysis: nothingLeft("oo.oo") })), "nothing was played");
  assert.ok(!isStuck(shown({ line: SOLVED, analysis: nothingLeft("..o..") })));
});

test("a page begins with the attempts of the day, or of the game that it continues", () => {
  const ended = { line: "0-2", tries: 3, help: NO_HELP };
  const stored = { help: { ...NO_HELP, hints: 2 }, tries: 3, ended, day: "2026-11-26" };
  const { day, ...attempts } = stored;
  assert.deepEqual(attemptsAtOpening(null, day, "new", false), NOT_TRIED);
  assert.deepEqual(attemptsAtOpening(stored, day, "new", false), attempts);
  assert.deepEqual(attemptsAtOpening(stored, "2026-11-27", "new", false), NOT_TRIED);
  assert.deepEqual(attemptsAtOpening(stored, "2026-11-27", "own", false), attempts);
  assert.ok(attemptsAtOpening(null, day, "foreign", false).help.solution, "moves of a link");
  assert.deepEqual(
    attemptsAtOpening(stored, "2026-11-27", "new", true),
    { ...attempts, tries: 0, ended: null },
    "a card never forgets",
  );
  const early = { help: { hints: 0, checks: 1, solution: false, verdict: false }, tries: 1, day };
  assert.deepEqual(
    attemptsAtOpening(early, day, "new", false),
    { help: { ...NO_HELP, checks: 1 }, tries: 1, ended: null },
    "stored by an earlier version",
  );
  assert.deepEqual(attemptsAtOpening(null, "2026-11-27", "new", true), NOT_TRIED);
});

test("the help of a game that has ended is its own, and that of any other line is not known", () => {
  const own = { ...NO_HELP, checks: 1 };
  const stored = {
    help: { ...own, solution: true }, // shown later
    tries: 2,
    ended: { line: lineText(SOLVED), tries: 1, help: own },
    day: "2026-11-26",
  };
  assert.deepEqual(helpOfGame(stored, SOLVED), own);
  assert.equal(helpOfGame(stored, LOST), null);
  assert.equal(helpOfGame({ ...stored, ended: null }, SOLVED), null);
  assert.equal(helpOfGame(null, SOLVED), null);
});

test("help had elsewhere counts once, and changes nothing if it adds nothing", () => {
  const own = { ...NO_HELP, hints: 2, verdict: true };
  assert.deepEqual(withHelp(own, { ...NO_HELP, hints: 1, solution: true }), { ...own, solution: true });
  assert.equal(withHelp(own, { ...NO_HELP, hints: 1 }), own);
  assert.ok(!hasMoreHelp(NO_HELP, own) && !hasMoreHelp(own, own));
  assert.ok(hasMoreHelp({ ...own, checks: 1 }, own));
});

test("a game that has ended keeps the help it was played with, and a later try does not", () => {
  const end = { ...shown({ line: SOLVED }), help: NO_HELP, tries: 1, ended: null, savedLine: null };
  const ended = withEnd(end);
  assert.deepEqual(ended, { line: "0-2.0-2", tries: 1, help: NO_HELP, earlier: [] });
  const later = { ...end, ended, help: { ...NO_HELP, solution: true } };
  assert.equal(withEnd(later), ended, "undone and redone");
  assert.equal(helpPlayedWith(later), NO_HELP);
  assert.ok(helpPlayedWith({ ...later, tries: 2 }).solution, "the same moves in a later try");
  assert.ok(helpPlayedWith({ ...later, line: movedTo(SOLVED, 1) }).solution, "other moves in the same try");
  const takenOver = { ...later, savedLine: SOLVED, line: LOST, analysis: nothingLeft("..o.o") };
  assert.equal(withEnd(takenOver), ended, "a solution that was taken over ends no try");
  const second = withEnd({ ...end, ended, tries: 2 });
  assert.deepEqual(second?.earlier, ["0-2.0-2"], "the last lines of earlier tries are kept");
  const third = withEnd({ ...end, ended: second, tries: 3, line: LOST, analysis: nothingLeft("..o.o") });
  assert.deepEqual(third?.earlier, ["0-2.0-2", "0-2.0-2"]);
});

test("no way of seeing a solution after the end changes the medal of the game, and each costs that of the next", () => {
  /** Ways of seeing a solution, in the page and on other pages. @type {((session: Session) => void)[]} */
  const ways = [
    (session) => session.showSolution({ ...solution(SOLVED, "own"), origin: "start" }),
    (session) => session.addShownSolution(),
    (session) => session.countHelp({ ...NO_HELP, solution: true }),
    () => countHelpOfPage("row", START.start.position, "..o.."),
  ];
  for (const see of ways) {
    localStorage.clear();
    const session = new Session(SOLVED, { help: NO_HELP, tries: 1, ended: null });
    assert.equal(session.state.medal, "optimal");
    saveAttempts("row", START.start.position, "..o..", { ...session.state, day: "2026-11-27" });
    see(session);
    assert.equal(session.state.medal, "optimal", "still on the board");
    session.showSolution(null);
    session.goTo(0);
    session.goTo(2);
    assert.equal(session.state.medal, "optimal", "undone and redone");
    if (session.state.help.solution)
      saveAttempts("row", START.start.position, "..o..", { ...session.state, day: "2026-11-27" });
    const stored = attempts("row", START.start.position, "..o..");
    const opened = attemptsAtOpening(stored, "2026-11-28", "own", false);
    assert.equal(new Session(SOLVED, opened).state.medal, "optimal", "opened again");
    assert.equal(new Session(SOLVED, { ...opened, tries: 2 }).state.medal, "assisted", "a later try");
  }
});

test("a review costs the star, on every later day, and is not called a solution", () => {
  localStorage.clear();
  const { position } = START.start;
  countHelpOfPage("row", position, "..o..", "reviewed");
  const { help } = attemptsAtOpening(attempts("row", position, "..o.."), "2030-01-01", "new", true);
  assert.deepEqual(help, { ...NO_HELP, reviewed: true });
  assert.ok(hasHelp(help));
  saveAttempts("row", "other", "..o..", { help: NO_HELP, tries: 1, day: "2030-01-01" });
  assert.ok(attempts("row", position, "..o..")?.help.reviewed, "kept while other games are played");
});

test("help has a price until it was paid or the star is won", () => {
  assert.ok(isStarAtStake({ help: NO_HELP, medal: null }));
  assert.ok(isStarAtStake({ help: NO_HELP, medal: "solved" }));
  assert.ok(!isStarAtStake({ help: NO_HELP, medal: "optimal" }));
  assert.ok(!isStarAtStake({ help: { ...NO_HELP, reviewed: true }, medal: null }));
});
