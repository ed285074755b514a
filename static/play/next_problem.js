/**
 * What to play next: after a position that was dealt another of its kind; else a problem of this puzzle that is not
 * solved yet, in order of difficulty; then a position dealt anew; then another puzzle.
 *
 * @typedef {[start: string, goal: string]} Problem
 */
import { find } from "../ui/dom.js";
import { medalOf, results } from "../ui/storage.js";

/** The kind of position that the address asks for. */
const kind = new URLSearchParams(location.search).get("deal");

/** @param {string} puzzle its id @param {readonly Problem[]} deck @param {Problem} here @returns {string | null} an address */
function nextProblem(puzzle, deck, here) {
  const solved = results(puzzle);
  const keys = deck.map((problem) => problem.join("|"));
  const at = keys.indexOf(here.join("|"));
  if (kind && at < 0) return randomPosition(`="${CSS.escape(kind)}"`);
  const open = [...deck.keys()].filter((index) => index !== at && !solved[keys[index]]);
  const index = open.find((other) => other > at) ?? open[0];
  if (index === undefined) return randomPosition() ?? nextPuzzle(puzzle);
  const [start, goal] = deck[index];
  return `/puzzles/${puzzle}?${new URLSearchParams({ start, goal })}`;
}

const randomPosition = (which = "") => document.querySelector(`[data-deal${which}]`)?.getAttribute("href") ?? null;

/** The next puzzle on the shelf that was never solved. @param {string} puzzle */
function nextPuzzle(puzzle) {
  const items = [...document.querySelectorAll(".shelf li[data-puzzle]")];
  const at = items.findIndex((item) => item.getAttribute("data-puzzle") === puzzle);
  const round = [...items.slice(at + 1), ...items.slice(0, at)];
  const next = round.find((item) => medalOf(results(item.getAttribute("data-puzzle") ?? "")) === "new") ?? round[0];
  return next?.querySelector("a")?.getAttribute("href") ?? null;
}

/**
 * The link that appears when a puzzle is solved, with the focus on it; and the same as a key.
 * @param {import("../game/session.js").Session} session @param {string} puzzle @param {readonly Problem[]} deck @param {string} goal
 */
export function offerNext(session, puzzle, deck, goal) {
  const link = find("#next", HTMLAnchorElement);
  const update = () => {
    const address = nextProblem(puzzle, deck, [session.state.line.start.position, goal]);
    if (address) link.href = address;
    return address !== null;
  };
  session.subscribe(({ line, solution, edit }, before) => {
    const solved = !solution && !edit && line.at > 0 && line.steps[line.at - 1].verdict === "solved";
    const was = link.hidden;
    link.hidden = !solved || !update();
    if (was && !link.hidden && line !== before.line) link.focus({ preventScroll: true });
  });
  return { go: () => update() && link.click() };
}
