/** The keys under the board: which of them do something now. */
import { button } from "../ui/dom.js";

/** @param {import("../game/session.js").State} state */
export function showKeys({ line, hint, show }) {
  button("undo").disabled = show ? show.line.at <= show.base : line.at === 0;
  button("redo").disabled = show ? show.line.at >= show.line.steps.length : line.at === line.steps.length;
  button("restart").disabled = line.at === 0;
  button("hint").disabled = show !== null;
  button("solution").setAttribute("aria-pressed", String(show !== null));
  document.querySelectorAll(".pips i").forEach((pip, index) => pip.classList.toggle("on", (hint?.stage ?? 0) > index));
}
