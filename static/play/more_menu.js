/** What else there is, on a phone: a sheet over the lower part of the screen. */
import { isOpen, positionAt } from "../game/line.js";
import { button, element, write } from "../ui/dom.js";
import { closeThen, follow } from "../ui/sheet_history.js";

const sheet = element("#rest");
sheet.addEventListener("beforetoggle", ({ newState }) => button("more").setAttribute("aria-expanded", String(newState === "open")));

// The shelf is a drop-down only as long as there is no room for it; a tablet may be turned while it is open.
matchMedia("(min-width: 1024px)").addEventListener("change", () => element("#shelf").hidePopover());

/** @param {import("../game/session.js").Session} session @param {Record<string, () => void>} actions by the names in the page
 * @param {(line: import("../game/line.js").Line) => void} keep in this entry of the history */
export function offerMore(session, actions, keep) {
  follow(() => session.state.line, () => keep(session.state.line));
  const choose = (/** @type {Element} */ key, /** @type {() => void} */ act) => key.addEventListener("click", () => closeThen(sheet, act));
  for (const key of sheet.querySelectorAll("[data-does]")) choose(key, actions[key.getAttribute("data-does") ?? ""]);
  for (const key of sheet.querySelectorAll("[data-opens]")) choose(key, () => element(`#${key.getAttribute("data-opens")}`).showPopover());
  const other = sheet.querySelector('[data-does="undo-other"]');
  session.subscribe(({ line, show }) => {
    if (!(other instanceof HTMLButtonElement)) return;
    other.disabled = show !== null || line.at === 0;
    write(other, (other.dataset.labels ?? "").split("|")[Number(isOpen(positionAt(line)))]);
  });
}
