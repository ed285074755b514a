/**
 * The next problem to play: after one of a set for a class the next of the set, or its page; after a random position, another random position of its kind; otherwise an unsolved problem
 * of this puzzle in order of difficulty, then a random position, then another puzzle.
 *
 * @typedef {[start: string, goal: string]} Problem
 */
import { isWon } from "../game/line.js";
import { goal, puzzle } from "../game/position.js";
import { SHOWN } from "../game/session.js";
import { localDay } from "../days/dates.js";
import { find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { results, sets } from "../ui/storage.js";

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

/** Return the set of today that has a problem, or null. @param {Problem} here */
const setOf = ([start, end]) =>
  Object.values(sets()).find(
    ({ day, problems }) => day === localDay() && problems.includes([puzzle.id, start, end].join(" ")),
  ) ?? null;

/** Return the address and the name of what follows a problem in its set. @param {Problem} here
 * @param {import("../ui/stored_kinds.js").StoredSet} set @returns {[address: string, name: string]} */
function nextOfSet([start, end], { address, problems }) {
  const next = problems[problems.indexOf([puzzle.id, start, end].join(" ")) + 1];
  if (!next) return [address, "class.back"];
  const [id, position, to] = next.split(" ");
  return [`/puzzles/${id}?${new URLSearchParams({ position, goal: to })}`, "class.next"];
}

/** Let the link up lead back to the set of a problem. @param {Problem} here */
export function offerWayBack(here) {
  const set = setOf(here);
  if (!set) return;
  const link = find("a.up", HTMLAnchorElement);
  link.href = set.address;
  link.ariaLabel = texts.get("class.back");
}

/** Show and focus a link to the next problem when the puzzle is solved. Return a function that follows the link.
 * @param {import("../game/session.js").Session} session @param {readonly Problem[]} problems in order of difficulty */
export function offerNext(session, problems) {
  const link = find("#next", HTMLAnchorElement);
  /** Point the link to the next problem; return whether there is one. */
  const updateLink = () => {
    /** @type {Problem} */
    const here = [session.state.line.start.position, goal];
    const set = setOf(here);
    const [address, name] = set ? nextOfSet(here, set) : [nextProblem(problems, here), null];
    if (address) link.href = address;
    if (name) write(link, texts.get(name));
    return address !== null;
  };
  session.follow(SHOWN, ({ line, solution, edit }, before) => {
    const wasHidden = link.hidden;
    link.hidden = solution !== null || edit !== null || !isWon(line) || !updateLink();
    if (wasHidden && !link.hidden && line !== before.line) link.focus({ preventScroll: true });
  });
  return () => updateLink() && link.click();
}
