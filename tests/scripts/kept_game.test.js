/** The unfinished game that all tabs share. The module remembers its own game, so every test imports it anew. */
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { changeFromOtherTab } from "./page.js";
import { begin, played } from "../../static/game/line.js";
import { saveUnfinished, unfinished } from "../../static/ui/storage.js";

/** @typedef {import("../../static/game/line.js").Line} Line */

let imports = 0;
/** @returns {Promise<typeof import("../../static/game/kept_game.js")>} */
const newPage = () => import(`../../static/game/kept_game.js?${imports++}`);

/** Return a line whose positions have one peg less after every step. @param {number} count steps
 * @param {import("../../static/game/line.js").Verdict} [verdict] of its end */
function line(count, verdict = "live") {
  let line = begin({ position: "ooooo", verdict: "live", moves_left: null });
  for (let at = 1; at <= count; at++) {
    line = played(line, {
      position: "ooooo".slice(at) + ".".repeat(at),
      verdict: at === count ? verdict : "live",
      moves_left: null,
      from: 0,
      to: 1,
      cost: 1,
    });
  }
  return line;
}

/** Return another line of the same length. @param {number} count steps */
const otherLine = (count, /** @type {import("../../static/game/line.js").Verdict} */ verdict = "live") => ({
  ...line(count, verdict),
  start: { ...line(0).start, position: "oooo." },
});

/** Let another tab keep a game. @param {Line} line */
const keepElsewhere = (line) =>
  saveUnfinished("row", { url: "/puzzles/row?x", moves: line.at, tab: "other", line });
const keptSteps = () => /** @type {{ line?: Line } | null} */ (unfinished("row"))?.line?.at;

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

test("a game is kept, with shorter ones of the same tab, and removed when it is solved", async () => {
  const { keepGame } = await newPage();
  for (const count of [1, 3, 2]) {
    keepGame(line(count));
    assert.equal(keptSteps(), count);
  }
  keepGame(line(0));
  assert.equal(keptSteps(), 2, "a game without steps is none");
  keepGame(line(3, "solved"));
  assert.equal(unfinished("row"), null);
});

test("a longer game of another tab is replaced only by its own continuation or after a dead end", async () => {
  const { keepGame } = await newPage();
  keepElsewhere(otherLine(3));
  keepGame(line(2));
  assert.equal(unfinished("row")?.tab, "other");
  keepGame(line(2, "solved"));
  assert.equal(unfinished("row")?.tab, "other", "solving removes only the own game");
  keepElsewhere(line(3));
  keepGame(line(4));
  assert.equal(keptSteps(), 4);
  keepElsewhere(otherLine(4, "dead"));
  keepGame(line(1));
  assert.equal(keptSteps(), 1);
});

test("a few moves of another problem do not replace a longer game of the same tab", async () => {
  const { keepGame } = await newPage();
  keepGame(line(3));
  keepGame(otherLine(1));
  assert.equal(keptSteps(), 3);
  keepGame(otherLine(4));
  assert.equal(keptSteps(), 4);
  keepGame(otherLine(1));
  assert.equal(keptSteps(), 1, "its own shorter one");
});

test("a game that another tab has replaced by a shorter one is kept again, unless it is dead", async () => {
  const page = await newPage();
  page.defendGame();
  page.keepGame(line(3));
  keepElsewhere(otherLine(1));
  changeFromOtherTab("puzzles/game/row");
  assert.equal(keptSteps(), 3);
  page.keepGame(line(4, "dead"));
  keepElsewhere(otherLine(1));
  changeFromOtherTab("puzzles/game/row");
  assert.equal(keptSteps(), 1);
});
