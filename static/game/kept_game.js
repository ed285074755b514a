/**
 * The unfinished game of this puzzle or card in the storage, which all tabs share. A tab replaces its own game of a problem
 * freely, but a longer game of another problem or tab only if it continues it, or if that game has run into a dead end.
 *
 * @typedef {import("./line.js").Line} Line
 * @typedef {import("../ui/stored_kinds.js").Unfinished} Unfinished
 */
import { movesMade, positionAt, stepsTo } from "./line.js";
import { address, gameKey, goal } from "./position.js";
import { addressOf, goalOf, storedLine } from "./url_state.js";
import { onForeignChange, saveUnfinished, tabName, unfinished } from "../ui/storage.js";

/** The game that this page has kept last. @type {Line | null} */
let own = null;

/** Keep the game, or remove it if it is solved. @param {Line} line
 * @param {boolean} [keepsSolved] whether a solved one is kept, too: the page of a card shows its end again */
export function keepGame(line, keepsSolved = false) {
  const kept = unfinished(gameKey);
  if ((!line.at && !keepsSolved) || (kept && isOther(kept, line) && stepsOf(kept) > line.at)) return;
  const isSolved = positionAt(line).verdict === "solved" && !keepsSolved;
  own = isSolved ? null : line;
  if (own) save(own);
  else if (kept && !isOther(kept, line)) saveUnfinished(gameKey, null);
}

/** Keep the game of this page again whenever another tab has replaced it by a shorter one. */
export function defendGame() {
  onForeignChange(`game/${gameKey}`, () => {
    const kept = unfinished(gameKey);
    if (kept && own && own.at > stepsOf(kept) && !isDead(own)) save(own);
  });
}

/** @param {Line} line */
const save = (line) =>
  saveUnfinished(gameKey, {
    url: `${address}${addressOf(line)}`,
    moves: movesMade(line),
    tab: tabName(),
    line,
  });

/** Return whether a kept game is of another tab or problem, not on the line and not at a dead end. @param {Unfinished} kept @param {Line} line */
function isOther(kept, line) {
  const theirs = storedLine(kept);
  const isOnLine =
    theirs !== null &&
    theirs.start.position === line.start.position &&
    stepsTo(line, positionAt(theirs).position) >= 0;
  const isOfProblem = theirs?.start.position === line.start.position && goalOf(kept) === goal;
  return !(kept.tab === tabName() && isOfProblem) && !isOnLine && !(theirs && isDead(theirs));
}

/** @param {Line} line */
const isDead = (line) => positionAt(line).verdict === "dead";

/** Return the number of steps of a kept game; without its line, the number of its moves. @param {Unfinished} kept */
const stepsOf = (kept) => storedLine(kept)?.at ?? kept.moves;
