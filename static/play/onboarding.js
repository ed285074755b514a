/**
 * Help for new players: the first visit, a practice board in the help, and a tour of the page.
 *
 * A first visit shows the board, one line of rules, glowing pieces that can move, and the main buttons. The rest appears
 * after the first input, or after 1.5 s. `ui/theme.js` hides the rest before the first paint.
 */
import * as api from "../game/api.js";
import { button, element, find } from "../ui/dom.js";
import { goal, puzzle } from "../game/position.js";
import { isFirstVisit, saveVisit } from "../ui/storage.js";

const PRACTICE_MOVES = 2;

const reveal = () => delete document.documentElement.dataset.quiet;

/** Mark a first visit until the first step; reveal the page on input. @param {import("../game/session.js").Session} session */
export function startFirstVisit(session) {
  const main = element("main");
  if (isFirstVisit()) main.dataset.firstVisit = "";
  saveVisit();
  session.follow(["line"], ({ line }) => {
    if (!line.at) return;
    delete main.dataset.firstVisit;
    reveal();
  });
  for (const kind of ["keydown", "click", "wheel", "pointermove"])
    addEventListener(kind, revealOnInput, { passive: true });
}

/** Reveal the whole page on any input except pointer moves of a finger and pointer moves on the board.
 * @param {Event} event */
function revealOnInput(event) {
  const isMove = event instanceof PointerEvent && event.type === "pointermove";
  const isOffBoard = event.target instanceof Element && !event.target.closest(".board");
  if (!isMove || (event.pointerType === "mouse" && isOffBoard)) reveal();
}

/** When the help is first opened, load a practice board, `PRACTICE_MOVES` moves before the goal. */
export function offerPractice() {
  const frame = find("#practice", HTMLIFrameElement);
  element("#help").addEventListener("toggle", async () => {
    if (frame.hasAttribute("src")) return;
    const position = await practicePosition().catch(() => puzzle.start);
    const query = new URLSearchParams({ position, goal, embed: "1" });
    frame.addEventListener("load", () =>
      frame.contentWindow?.addEventListener("keydown", ({ key }) => {
        if (key === "Escape") element("#help").hidePopover();
      }),
    );
    frame.src = `/puzzles/${puzzle.id}?${query}`;
  });
}

/** Return the position on a solution `PRACTICE_MOVES` moves before its end. */
async function practicePosition() {
  const { moves } = await api.solution(puzzle.start);
  const { steps } = await api.line(puzzle.start, moves.slice(0, -PRACTICE_MOVES));
  return steps.at(-1)?.position ?? puzzle.start;
}

/** Offer a tour of three short steps. Each step frames one part of the page, which stays usable meanwhile. */
export function offerTour() {
  const card = element("#tour");
  const steps = /** @type {HTMLElement[]} */ ([...card.querySelectorAll("[data-frames]")]);
  const [back, next] = [button("tour-back"), button("tour-next")];
  let at = 0;

  /** Show one step, or none for -1. @param {number} index */
  const show = (index) => {
    at = index;
    steps.forEach((step, other) => {
      step.hidden = other !== index;
      const part = element(step.dataset.frames ?? "");
      part.classList.toggle("framed", other === index);
      if (other === index && index) card.classList.toggle("above", isLow(part));
    });
    const labels = (next.dataset.labels ?? "").split("|");
    back.disabled = index <= 0;
    next.textContent = labels[index === steps.length - 1 ? 1 : 0];
  };
  const end = () => {
    show(-1);
    card.hidePopover();
    element('.spot[tabindex="0"]').focus({ preventScroll: true }); // the tour is about the board
  };
  const go = (/** @type {number} */ index) => (index < steps.length ? show(Math.max(0, index)) : end());

  button("begin-tour").addEventListener("click", () => {
    element("#help").hidePopover();
    card.showPopover();
    show(0);
    next.focus();
  });
  button("end-tour").addEventListener("click", end);
  back.addEventListener("click", () => (go(at - 1), at || next.focus()));
  next.addEventListener("click", () => go(at + 1));
  card.addEventListener("keydown", (event) => {
    if (event.key === "Escape") end();
    if (event.key !== "Tab" && !event.ctrlKey) event.stopPropagation();
  });
}

/** Return whether a card at the lower edge of the window could cover `part`. @param {HTMLElement} part */
const isLow = (part) => part.getBoundingClientRect().bottom > innerHeight / 2 && !part.matches(".controls");
