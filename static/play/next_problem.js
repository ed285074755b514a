/**
 * The next problem to play: after a random position, another random position of its kind; otherwise an unsolved problem
 * of this puzzle in order of difficulty, then a random position, then another puzzle.
 *
 * @typedef {[start: string, goal: string]} Problem
 */
import { isWon } from "../game/line.js";
import { goal, puzzle } from "../game/position.js";
import { SHOWN } from "../game/session.js";
import { find } from "../ui/dom.js";
import { results } from "../ui/storage.js";

/** Kind of random position in the address, or null. */
const kind = new URLSearchParams(location.search).get("deal");

/** Return the address of the next problem, or null.
 * @param {readonly Problem[]} problems @param {Problem} here @returns {string | null} */
function nextProblem(problems, here) {
  const solved = results(puzzle.id);
  const keys = problems.map((problem) => problem.join("|"));
  const at = keys.indexOf(here.join("|"));
  if (kind && at < 0) return randomPosition(`="${CSS.escape(kind)}"`);
  const open = [...problems.keys()].filter((index) => index !== at && !solved[keys[index]]);
  const index = open.find((other) => other > at) ?? open[0];
  if (index === undefined) return randomPosition() ?? nextPuzzle();
  const [start, end] = problems[index];
  return `/puzzles/${puzzle.id}?${new URLSearchParams({ start, goal: end })}`;
}

/** Return the address of a new random position, or null. @param {string} [which] CSS condition on its kind */
const randomPosition = (which = "") =>
  document.querySelector(`[data-random${which}]`)?.getAttribute("href") ?? null;

/** Return the address of the next puzzle without a result, or else of the next in the list; or null. */
function nextPuzzle() {
  const items = [...document.querySelectorAll(".puzzle-list li[data-puzzle]")];
  const at = items.findIndex((item) => item.getAttribute("data-puzzle") === puzzle.id);
  const round = [...items.slice(at + 1), ...items.slice(0, at)];
  const next =
    round.find((item) => !Object.keys(results(item.getAttribute("data-puzzle") ?? "")).length) ?? round[0];
  return next?.querySelector("a")?.getAttribute("href") ?? null;
}

/** Show and focus a link to the next problem when the puzzle is solved. Return a function that follows the link.
 * @param {import("../game/session.js").Session} session @param {readonly Problem[]} problems in order of difficulty */
export function offerNext(session, problems) {
  const link = find("#next", HTMLAnchorElement);
  /** Point the link to the next problem; return whether there is one. */
  const updateLink = () => {
    const address = nextProblem(problems, [session.state.line.start.position, goal]);
    if (address) link.href = address;
    return address !== null;
  };
  session.follow(SHOWN, ({ line, solution, edit }, before) => {
    const wasHidden = link.hidden;
    link.hidden = solution !== null || edit !== null || !isWon(line) || !updateLink();
    if (wasHidden && !link.hidden && line !== before.line) link.focus({ preventScroll: true });
  });
  return () => updateLink() && link.click();
}
