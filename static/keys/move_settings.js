/** The settings of how moves are made. */
import { settings } from "../ui/storage.js";

/** Apply them to a session, now and whenever they change. In calm mode a move always takes two presses.
 * @param {import("../game/session.js").Session} session */
export function followMoveSettings(session) {
  const apply = () => {
    const { atOnce, movable, calm } = settings();
    session.update({ atOnce: atOnce && !calm, movable });
  };
  document.addEventListener("settings", apply);
  apply();
}
