/**
 * A first visit begins with the board, one line of rules and the pieces that can move glowing. All else comes after the
 * first press anywhere, with any key or a mouse off the board, and by itself very soon. (Before the first paint: theme.js.)
 */
import { element, find } from "../ui/dom.js";
import { isNew, saveVisit, unfinished } from "../ui/storage.js";

const LONGEST = 1500;

const reveal = () => delete document.documentElement.dataset.quiet;

/** @param {import("../game/session.js").Session} session */
export function welcome(session) {
  const main = element("main");
  if (isNew()) main.dataset.firstVisit = "";
  if (!("embed" in document.documentElement.dataset)) saveVisit();
  session.subscribe(({ line }) => {
    if (!line.at) return;
    delete main.dataset.firstVisit;
    reveal();
  });
  for (const kind of ["keydown", "click", "wheel"]) addEventListener(kind, sought, { passive: true });
  addEventListener("pointermove", sought, { passive: true });
  setTimeout(reveal, LONGEST);
}

/** Something was pressed, or is looked for off the board with a mouse; a finger that slips has pressed nothing yet.
 * @param {Event} event */
function sought(event) {
  const isMove = event instanceof PointerEvent && event.type === "pointermove";
  const isElsewhere = event.target instanceof Element && !event.target.closest(".board");
  if (!isMove || (event.pointerType === "mouse" && isElsewhere)) reveal();
}

/** A game that was left waits behind a link, unless the address is its own, or asks for a line of its own.
 * @param {import("../ui/i18n.js").Words} words @param {string} puzzle */
export function offerToContinue(words, puzzle) {
  const waiting = unfinished(puzzle);
  if (!waiting || location.search.includes("line=") || waiting.url === `${location.pathname}${location.search}`) return;
  const link = find("#continue", HTMLAnchorElement);
  Object.assign(link, { href: waiting.url, textContent: words.say("continue", { n: waiting.moves }), hidden: false });
}
