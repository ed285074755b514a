/** The help shows a board to try: this puzzle, a few moves before its end. It is made when the help is first opened. */
import { element, find } from "../ui/dom.js";

/** Moves left to the player. */
const LEFT = 2;

/** @param {import("../game/api.js").Api} api @param {string} start */
export function offerPractice(api, start) {
  const frame = find("#practice", HTMLIFrameElement);
  element("#help").addEventListener("toggle", async () => {
    if (frame.hasAttribute("src")) return;
    const position = await nearTheEnd(api, start).catch(() => start);
    const asked = new URLSearchParams({ position, goal: api.goal, embed: "1" });
    frame.src = `/puzzles/${api.puzzle}?${asked}`;
  });
}

/** @param {import("../game/api.js").Api} api @param {string} start */
async function nearTheEnd(api, start) {
  const { moves, found } = await api.solution(start);
  const { steps } = await api.line(start, (moves.length ? moves : found).slice(0, -LEFT));
  return steps.at(-1)?.position ?? start;
}
