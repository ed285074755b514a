/** The card page without its view: the stages of a game, a friend's result, slots, countdown and the kept game. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import "./page.js";
import { begin, played } from "../../static/game/line.js";
import { keptLine } from "../../static/game/url_state.js";
import { friendText, readFriend } from "../../static/review/friend.js";
import { after, ARRIVED, opened } from "../../static/review/stages.js";
import { hoursAndMinutes } from "../../static/today/countdown.js";
import { slotsOf } from "../../static/today/slots.js";
import { friendOf, saveFriend, saveUnfinished } from "../../static/ui/storage.js";

/** @typedef {import("../../static/review/stages.js").Event} Event */

/** @param {Event[]} events */
const through = (...events) => events.reduce(after, ARRIVED);
/** @param {number} moves @param {string} [end] @returns {Event} */
const board = (moves, end = "") => ({ type: "board", moves, end });
/** @param {string} end @returns {Event} */
const landed = (end) => ({ type: "landed", end });

test("a game arrives, is played and ends; the sheet waits for the last landing", () => {
  assert.equal(through(board(0)).stage, "arrive");
  assert.equal(through(board(1)).stage, "play");
  assert.deepEqual(through(board(2, "won")), { stage: "end", sheet: "waiting", end: "won" });
  assert.equal(through(board(2, "won"), landed("won")).sheet, "open");
});

test("an end that is taken back in the air opens no sheet, and the next end waits for its own landing", () => {
  const undone = through(board(2, "won"), board(1), landed("won"));
  assert.deepEqual([undone.stage, undone.sheet], ["play", "away"]);
  const other = through(board(2, "won"), board(1), board(2, "lost"), landed("won"));
  assert.deepEqual([other.stage, other.sheet], ["end", "waiting"]);
});

test("a closed sheet stays closed while the same end is on the board", () => {
  const closed = through(board(2, "won"), landed("won"), { type: "closed" });
  assert.deepEqual([closed.stage, closed.sheet], ["end", "away"]);
  assert.equal(after(closed, board(2, "won")).sheet, "away");
  assert.equal(after(after(closed, board(0)), board(2, "won")).sheet, "waiting", "played again");
});

test("the end of an own game is shown on return, that of a link is not", () => {
  assert.equal(opened(2, "won", true).sheet, "waiting");
  assert.equal(opened(2, "won", false).sheet, "away");
  assert.equal(opened(0, "", true).stage, "arrive");
});

test("a friend's result survives the link", () => {
  /** @type {import("../../static/review/friend.js").FriendResult[]} */
  const results = [
    { medal: "optimal", moves: 3, tries: 2, signs: ["costs", "best", "best"] },
    { medal: "assisted", moves: 3, tries: 1, signs: ["best", "help", "best"] },
    { medal: "solved", moves: 4, tries: 12, signs: ["best", "lost", "late", "open"] },
  ];
  assert.equal(friendText(results[0]), "#s-3-2-cbb");
  for (const result of results) assert.deepEqual(readFriend(friendText(result), 3), result);
});

test("what no game of the card can have made is ignored", () => {
  assert.ok(readFriend("#s-3-1-bbb", 3));
  const forged = [
    ...[
      "",
      "#",
      "#board",
      "#s-3-1-bb",
      "#s-3-1-bbbb",
      "#s-3-1-bbx",
      "#x-3-1-bbb",
      "#s-3-0-bbb",
      "#s-03-1-bbb",
    ],
    ...["#s-2-1-bb", "#d-3-1-bbb", "#s-4-1-bbbb", "#h-4-1-bbbb", "#s-3-1-bhb", "#s-3-1-bbb ", "#S-3-1-bbb"],
    ...["#s-3-100-bbb", "s-3-1-bbb", "#s-3-1-bbb#", "#s-3-1-<b>", `#d-100-1-${"b".repeat(100)}`],
  ];
  for (const text of forged) assert.equal(readFriend(text, 3), null, text);
});

test("a friend's result stays with its card, the last that came, and old ones give way", () => {
  localStorage.clear();
  assert.equal(friendOf("hoppers/17"), "");
  for (const text of ["#s-3-1-bbb", "#s-3-2-cbb"]) saveFriend("hoppers/17", text);
  saveFriend("hoppers/18", "#d-4-1-bbbb");
  assert.equal(friendOf("hoppers/17"), "#s-3-2-cbb");
  localStorage.setItem(
    "puzzles/friends",
    JSON.stringify({ "hoppers/17": "<b>", "hoppers/18": "#s-3-1-bbb" }),
  );
  assert.deepEqual([friendOf("hoppers/17"), friendOf("hoppers/18")], ["", "#s-3-1-bbb"]);
  for (let day = 1; day <= 50; day++) saveFriend(`daily/${day}`, "#s-3-1-bbb");
  assert.deepEqual([friendOf("hoppers/18"), friendOf("daily/1")], ["", "#s-3-1-bbb"]);
});

test("there is a slot for each of the fewest moves, and one beyond them only when it is needed", () => {
  const text = (/** @type {ReturnType<typeof slotsOf>} */ slots) =>
    slots.map(({ isFull, isOver }) => (isOver ? (isFull ? "X" : "x") : isFull ? "O" : "o")).join("");
  assert.equal(text(slotsOf(0, 3, false)), "ooo");
  assert.equal(text(slotsOf(2, 3, false)), "OOo");
  assert.equal(text(slotsOf(3, 3, false)), "OOOx");
  assert.equal(text(slotsOf(3, 3, true)), "OOO");
  assert.equal(text(slotsOf(5, 3, false)), "OOOXXx");
});

test("the countdown never says nothing while there is time left", () => {
  assert.deepEqual(hoursAndMinutes(0), { hours: 0, minutes: 0 });
  assert.deepEqual(hoursAndMinutes(1), { hours: 0, minutes: 1 });
  assert.deepEqual(hoursAndMinutes(3_600_000), { hours: 1, minutes: 0 });
  assert.deepEqual(hoursAndMinutes(5 * 3_600_000 + 12 * 60_000 - 1), { hours: 5, minutes: 12 });
});

/** @param {string} position @param {"live" | "solved"} [verdict] */
const at = (position, verdict = "live") => ({ position, verdict, moves_left: null });
const SENT = begin(at("oo.oo"));
const BEGUN = played(SENT, { ...at("..ooo"), from: 0, to: 2, cost: 1 });
const SOLVED = played(BEGUN, { ...at("..o..", "solved"), from: 3, to: 1, cost: 1 });
/** @param {import("../../static/game/line.js").Line} line */
const keep = (line) => saveUnfinished("row", { url: "/puzzles/row?goal=..o..", moves: line.at, line });

beforeEach(() => localStorage.clear());

test("a card goes on with its kept game, whatever the address says", () => {
  const open = (isFromToday = true) => keptLine({ line: SENT }, () => isFromToday);
  assert.deepEqual(open().line, SENT);
  keep(BEGUN);
  assert.deepEqual([open(false).line, open(false).origin], [BEGUN, "own"]);
  keep(SOLVED);
  assert.deepEqual(open(true).line, SOLVED, "the end of today is shown again");
  assert.deepEqual([open(false).line, open(false).origin], [SENT, "new"]);
  keep({ ...SOLVED, at: 0 });
  assert.deepEqual(open(true).line, SOLVED, "begun again without a move: its result is not lost");
  assert.deepEqual(open(false).line, SENT);
  keep({ ...BEGUN, start: at("ooo..") });
  assert.deepEqual(open().line, SENT, "a game of another start");
});
