/**
 * A line as chips, one for each move, and the places where the fewest moves were missed and where it died.
 *
 * @typedef {import("./game.js").Line} Line
 */
import { isBestLost, moves, positionAt } from "./game.js";
import { written } from "./notation.js";
import { sign } from "./page.js";

/**
 * @param {Element} list @param {Line} line @param {number} from the first step shown
 * @param {import("./words.js").Words} words @param {(at: number) => void} go
 * @param {boolean} [judged] whether to tell what became of it
 */
export function showChips(list, line, from, words, go, judged = true) {
  const all = moves(line);
  const first = (/** @type {(at: number) => boolean} */ is) => (judged ? all.findIndex(({ end }) => end > from && is(end)) : -1);
  const fatal = first((at) => positionAt(line, at).verdict === "dead");
  const missed = first((at) => isBestLost(line, at));
  const items = all.flatMap((move, index) => {
    if (move.end <= from) return [];
    const chip = item("", chipOf(line, move, index, words, go));
    if (index === missed) return [chip, item("here", sign("more"), words.say("missed"))];
    if (index !== fatal) return [chip];
    chip.firstElementChild?.classList.add("fatal");
    return [chip, item("here", sign("dead"), words.say("died"))];
  });
  list.replaceChildren(...items);
  keepInSight(list);
}

/** The list scrolls to the current move; the keys above it stay where they are. @param {Element} list */
function keepInSight(list) {
  const chip = list.querySelector("[aria-current]");
  if (!chip) return;
  const [frame, box] = [list.getBoundingClientRect(), chip.getBoundingClientRect()];
  if (box.bottom > frame.bottom) list.scrollTop += box.bottom - frame.bottom;
  else if (box.top < frame.top) list.scrollTop -= frame.top - box.top;
}

/** @param {Line} line @param {import("./game.js").Move} move @param {number} index
 * @param {import("./words.js").Words} words @param {(at: number) => void} go */
function chipOf(line, move, index, words, go) {
  const chip = document.createElement("button");
  chip.type = "button";
  chip.className = move.first >= line.at ? "chip after" : "chip";
  const number = document.createElement("span");
  number.className = "n";
  number.textContent = words.number.format(index + 1);
  chip.append(number, " ", ...written(positionAt(line, move.first).position, [move.holes]));
  if (move.first < line.at && line.at <= move.end) chip.setAttribute("aria-current", "step");
  chip.addEventListener("click", () => go(move.end));
  return chip;
}

/** @param {string} kind @param {...(Node | string)} content */
function item(kind, ...content) {
  const element = document.createElement("li");
  element.className = kind;
  element.append(...content);
  return element;
}
