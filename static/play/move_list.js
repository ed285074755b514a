/**
 * A line as chips, one for each move, with marks where the fewest moves were missed and where the position became
 * unsolvable.
 *
 * @typedef {import("../game/line.js").Line} Line
 */
import { needsMoreThanFewest, moves, positionAt } from "../game/line.js";
import { inNotation } from "../game/position.js";
import { create, icon } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Show a line as chips. @param {Element} list @param {Line} line @param {number} from index of the first step shown
 * @param {(at: number) => void} go called with the steps up to a pressed chip
 * @param {boolean} [showMistakes] whether to mark mistakes */
export function showMoveList(list, line, from, go, showMistakes = true) {
  const all = moves(line);
  const first = (/** @type {(at: number) => boolean} */ is) =>
    showMistakes ? all.findIndex(({ end }) => end > from && is(end)) : -1;
  const isDead = (/** @type {number} */ at) => positionAt(line, at).verdict === "dead";
  const isMissed = (/** @type {number} */ at) => needsMoreThanFewest(line, at);
  const [fatal, missed] = [first(isDead), first(isMissed)];
  /** Return whether a mistake may be shown: in the current move only after it has happened.
   * @type {(move: import("../game/line.js").Move, is: (at: number) => boolean) => boolean} */
  const hasHappened = ({ first, end }, is) => line.at <= first || end <= line.at || is(line.at);
  const items = all.flatMap((move, index) => {
    if (move.end <= from) return [];
    const chip = create("li", {}, chipOf(line, move, index, go));
    if (index === missed && hasHappened(move, isMissed))
      return [chip, create("li", { className: "here" }, icon("more"), texts.get("missed"))];
    if (index !== fatal || !hasHappened(move, isDead)) return [chip];
    chip.firstElementChild?.classList.add("fatal");
    return [chip, create("li", { className: "here" }, icon("dead"), texts.get("died"))];
  });
  list.replaceChildren(...items);
  requestAnimationFrame(() => keepInSight(list)); // after the layout around the list has settled
}

/** Scroll the current move into view. A long list scrolls itself; a list of unlimited height is scrolled by its sheet,
 * to below the buttons of the solution player. The player's own line does not scroll while a solution is shown.
 * @param {Element} list */
function keepInSight(list) {
  const chip = list.querySelector("[aria-current]");
  const player = list.closest(".player");
  if (chip instanceof HTMLElement && list.scrollWidth > list.clientWidth)
    list.scrollLeft = chip.offsetLeft - (list.clientWidth - chip.offsetWidth) / 2; // a list in one row
  const frame = list.scrollHeight > list.clientHeight ? list : list.closest(".sheet");
  if (!chip || !frame || (!player && document.querySelector(".player:not([hidden])"))) return;
  const covered = frame === list ? 0 : (player?.querySelector(".player-keys")?.clientHeight ?? 0);
  const [{ top, bottom }, box] = [frame.getBoundingClientRect(), chip.getBoundingClientRect()];
  if (box.bottom > bottom) frame.scrollTop += Math.ceil(box.bottom - bottom);
  else if (box.top < top + covered) frame.scrollTop -= top + covered - box.top;
}

/** @param {Line} line @param {import("../game/line.js").Move} move @param {number} index
 * @param {(at: number) => void} go */
function chipOf(line, move, index, go) {
  const className = move.first >= line.at ? "chip after" : "chip";
  const number = create("span", { className: "n" }, texts.number.format(index + 1));
  const holes = inNotation(positionAt(line, move.first).position, [move.holes]);
  const chip = create("button", { type: "button", className }, number, " ", ...holes);
  if (move.first < line.at && line.at <= move.end) chip.setAttribute("aria-current", "step");
  chip.addEventListener("click", () => go(move.end));
  return chip;
}
