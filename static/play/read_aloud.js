/** For ears: keys that say what can be done, what is under the focus, and the counts, through the status line. */

import { positionAt } from "../game/line.js";
import { written } from "../game/notation.js";

/** @param {import("../game/session.js").Session} session */
export function readAloud(session) {
  return {
    moves: () => {
      const steps = session.state.graded?.steps ?? [];
      const { position } = positionAt(session.shown);
      session.say("note.steps", { n: steps.length, list: steps.flatMap(({ from, to }) => written(position, [[from, to]])).join(" ").replaceAll("–", "–\u2060") });
    },
    hole: () => {
      const hole = document.activeElement?.closest("[data-hole]") ?? document.querySelector('[data-hole][tabindex="0"]');
      const label = hole?.getAttribute("aria-label");
      if (label) session.say("note.read", { text: label });
    },
    counts: () => session.say("note.read", { text: document.querySelector(".count")?.textContent ?? "" }),
  };
}
