/** Boards whose holes are too small for a finger can be drawn large; then the board scrolls. */
import { button, element, write } from "../ui/dom.js";
import { saveSettings, settings } from "../ui/storage.js";

const key = button("zoom");
const [larger, whole] = (key.dataset.labels ?? "").split("|");

/** The key says what it does next. @param {boolean} large */
function draw(large) {
  element(".board").classList.toggle("large", large);
  write(key, large ? whole : larger);
}

key.addEventListener("click", () => {
  saveSettings({ large: !settings().large });
  draw(settings().large);
  document.dispatchEvent(new Event("zoomed"));
});
draw(settings().large);
