/**
 * A first visit begins with the board, one line of rules and a piece that glows. All else comes with the first step,
 * any key, or a pointer that looks for it; and by itself after a while. (Before the first paint: theme.js.)
 */
import { element } from "./page.js";
import { isNew } from "./store.js";

const LONGEST = 8000;

const reveal = () => delete document.documentElement.dataset.quiet;

/** @param {import("./session.js").Session} session */
export function welcome(session) {
  const main = element("main");
  if (isNew()) main.dataset.firstVisit = "";
  session.subscribe(({ line }) => {
    if (!line.at) return;
    delete main.dataset.firstVisit;
    reveal();
  });
  for (const kind of ["keydown", "pointerdown", "wheel"]) addEventListener(kind, sought, { passive: true });
  addEventListener("pointermove", sought, { passive: true });
  setTimeout(reveal, LONGEST);
}

/** Anything but the board is looked for. @param {Event} event */
function sought({ type, target }) {
  if (type === "keydown" || (target instanceof Element && target.closest(".panel, .controls, .shelf, .top, .status"))) reveal();
}
