/** Boards whose holes are too small for a finger can be drawn large; then the board scrolls. */
import { button, element } from "./page.js";
import { saveSettings, settings } from "./store.js";

const key = button("zoom");

/** @param {boolean} large */
function draw(large) {
  element(".board").classList.toggle("large", large);
  key.setAttribute("aria-pressed", String(large));
}

key.addEventListener("click", () => {
  saveSettings({ large: !settings().large });
  draw(settings().large);
});
draw(settings().large);
