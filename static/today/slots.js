/** The moves of a card as slots: as many as the fewest moves, and one more for each move beyond them. */
import { isWon, movesMade } from "../game/line.js";
import { SHOWN } from "../game/session.js";
import { create, element } from "../ui/dom.js";

/** Return the slots: which are full, and which lie beyond the fewest moves. A slot beyond them appears when all others are
 * full and the game goes on. @param {number} made @param {number} fewest @param {boolean} hasEnded */
export function slotsOf(made, fewest, hasEnded) {
  const count = Math.max(fewest, made + Number(!hasEnded && made >= fewest));
  return Array.from({ length: count }, (_, index) => ({ isFull: index < made, isOver: index >= fewest }));
}

/** Let the slots of the page follow a game. @param {import("../game/session.js").Session} session @param {number} fewest */
export function showSlots(session, fewest) {
  const root = element(".slots");
  session.follow(SHOWN, () => {
    const { shown } = session;
    const slots = slotsOf(movesMade(shown), fewest, isWon(shown));
    root.replaceChildren(...slots.map(slot));
  });
}

/** @param {ReturnType<typeof slotsOf>[number]} slot @param {number} index */
const slot = ({ isFull, isOver }, index) =>
  create("li", { className: `${isFull ? "full" : ""} ${isOver ? "over" : ""}`.trim() }, String(index + 1));
