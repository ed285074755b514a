/** The rows of a search, and its result, are of one position: while another one is on the board this is said beside them. */
import { placeIn, positionAt } from "../game/line.js";
import { button, element } from "../ui/dom.js";

const solver = element("#solver");

/** @param {import("../game/session.js").Session} session */
export function tellWhose(session) {
  const tell = () => {
    const { searched } = solver.dataset;
    element(".elsewhere").hidden = searched === undefined || isShown(session, searched);
    button("back-there").hidden = placeIn(session.state.line, searched ?? "") < 0;
  };
  session.subscribe(tell);
  new MutationObserver(tell).observe(solver, { attributeFilter: ["data-searched"] });
  button("back-there").addEventListener("click", () => session.goTo(placeIn(session.state.line, solver.dataset.searched ?? "")));
  button("search-here").addEventListener("click", () => button("search").click());
}

/** Whether a position is on the board, or what a solution on the board begins from.
 * @param {import("../game/session.js").Session} session @param {string} position */
function isShown({ shown, state: { show } }, position) {
  return [shown, ...(show ? [{ ...show.line, at: show.base }] : [])].some((line) => positionAt(line).position === position);
}
