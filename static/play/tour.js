/** Three short steps around the page, on request only: each frames what it tells of. Nothing moves, all can be used meanwhile. */
import { button, element } from "../ui/dom.js";

const card = element("#tour");
const steps = /** @type {HTMLElement[]} */ ([...card.querySelectorAll("[data-frames]")]);
const [back, next] = [button("tour-back"), button("tour-next")];
let at = 0;

/** Show one step, or none. @param {number} index */
function show(index) {
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
}

/** Whether a card at the lower edge could cover it. @param {HTMLElement} part */
const isLow = (part) => part.getBoundingClientRect().bottom > innerHeight / 2 && !part.matches(".controls");

function begin() {
  element("#help").hidePopover();
  card.showPopover();
  show(0);
  next.focus();
}

/** The board is what the tour was about: the focus goes there. */
function end() {
  show(-1);
  card.hidePopover();
  element('.spot[tabindex="0"]').focus({ preventScroll: true });
}

/** @param {number} index */
const go = (index) => (index < steps.length ? show(Math.max(0, index)) : end());

button("begin-tour").addEventListener("click", begin);
button("end-tour").addEventListener("click", end);
back.addEventListener("click", () => (go(at - 1), at || next.focus()));
next.addEventListener("click", () => go(at + 1));
card.addEventListener("keydown", (event) => {
  if (event.key === "Escape") end();
  if (event.key !== "Tab" && !event.ctrlKey) event.stopPropagation();
});
