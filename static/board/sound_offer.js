/** The offer of sound and vibration, made once: when the first game is solved. The settings have the same choice. */
import { isWon } from "../game/line.js";
import * as texts from "../ui/i18n.js";
import { create, element, find } from "../ui/dom.js";
import { saveSettings, settings } from "../ui/storage.js";

/** Offer sound and vibration under the board, unless the player has been asked or has chosen.
 * @param {import("../game/session.js").Session} session */
export function offerSounds(session) {
  const offer = create(
    "button",
    { type: "button", className: "back", id: "offer-sounds" },
    texts.get("sound.offer"),
  );
  offer.addEventListener("click", () => {
    find('[data-setting="sounds"]', HTMLInputElement).click();
    offer.remove();
  });
  session.subscribe(["line"], ({ line }, before) => {
    if (!isWon(line)) offer.remove();
    else if (line.at !== before.line.at && settings().sounds === null) {
      saveSettings({ sounds: false }); // asked
      element(".offers").append(offer);
    }
  });
}
