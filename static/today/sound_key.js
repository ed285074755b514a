/** The keys that turn sound and vibration on, and let them be heard at once. */
import { change } from "../ui/settings.js";
import { button } from "../ui/dom.js";
import { settings } from "../ui/storage.js";

/** Turn sound and vibration on, and play the landing of a piece. */
export async function turnOnSound() {
  change({ sounds: true });
  const { land } = await import("../board/sound.js");
  land(0);
}

/** Connect the key of the menu. */
export function offerSound() {
  const key = button("sound");
  const show = () => key.setAttribute("aria-pressed", String(settings().sounds === true));
  key.addEventListener("click", () => (settings().sounds ? change({ sounds: false }) : void turnOnSound()));
  document.addEventListener("settings", show);
  show();
}
