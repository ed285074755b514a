/** The buttons under the board, and the sheet of further actions. */
import { button, element, write } from "../ui/dom.js";
import { isStarAtStake } from "../game/help.js";
import { isMoveOpen, positionAt } from "../game/line.js";
import { saveLine } from "../game/url_state.js";
import { closeThen, setPageEntry } from "../ui/sheet_history.js";

/** Show which actions are possible, and the stage of the hint. @param {import("../game/session.js").State} state */
export function updateButtons({ line, hint, solution, help, medal, restarted }) {
  // these keep the focus while there is nothing to do
  const isAt = solution?.line ?? line;
  button("undo").ariaDisabled = String(isAt.at <= (solution?.base ?? 0) && (solution !== null || !restarted));
  button("redo").ariaDisabled = String(isAt.at >= isAt.steps.length);
  button("restart").ariaDisabled = String(line.at === 0);
  button("hint").disabled = solution !== null;
  button("solution").setAttribute("aria-pressed", String(solution !== null));
  document
    .querySelectorAll(".pips i")
    .forEach((pip, index) => pip.classList.toggle("on", (hint?.stage ?? 0) > index));
  document.documentElement.toggleAttribute("data-starless", !isStarAtStake({ help, medal })); // nothing has a price
}

/** Return whether a button may act: one with `data-sure` asks first, by its label, and acts at the second press.
 * @param {HTMLButtonElement} button */
export function isSure(button) {
  const { sure } = button.dataset;
  if (sure === undefined || button.dataset.asking !== undefined) return (stopAsking(button), true);
  button.dataset.asking = button.innerHTML;
  write(button, sure);
  return false;
}

/** Take back the question of `isSure`. @param {HTMLButtonElement} button */
export function stopAsking(button) {
  const { asking } = button.dataset;
  if (asking !== undefined) button.innerHTML = asking;
  delete button.dataset.asking;
}

/** Connect the sheet of further actions, which the button `#more` opens on phones.
 * @param {import("../game/session.js").Session} session
 * @param {Record<string, () => void>} actions by the value of `data-does` */
export function offerMoreMenu(session, actions) {
  const sheet = element("#more-menu");
  sheet.addEventListener("beforetoggle", ({ newState }) =>
    button("more").setAttribute("aria-expanded", String(newState === "open")),
  );
  // on wide screens the list of puzzles is shown all the time, for example after a tablet has been turned
  matchMedia("(min-width: 1024px)").addEventListener("change", () => element("#puzzle-list").hidePopover());
  setPageEntry(
    () => session.state.line,
    () => saveLine(session.state.line),
  );
  const choose = (/** @type {Element} */ button, /** @type {() => void} */ act) =>
    button.addEventListener("click", () => closeThen(sheet, act));
  for (const item of sheet.querySelectorAll("[data-does]"))
    choose(item, actions[item.getAttribute("data-does") ?? ""]);
  for (const item of sheet.querySelectorAll("[data-opens]"))
    choose(item, () => element(`#${item.getAttribute("data-opens")}`).showPopover());
  const other = sheet.querySelector('[data-does="undo-other"]');
  session.follow(["line", "solution"], ({ line, solution }) => {
    if (!(other instanceof HTMLButtonElement)) return;
    other.disabled = solution !== null || line.at === 0;
    write(other, (other.dataset.labels ?? "").split("|")[Number(isMoveOpen(positionAt(line)))]);
  });
}
