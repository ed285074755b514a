/** For ears: keys that say what can be done, what is under the focus, and the counts, through the status line. */

/** @param {import("./session.js").Session} session */
export function readAloud(session) {
  return {
    moves: () => {
      const steps = session.state.graded?.steps ?? [];
      session.say("note.steps", { n: steps.length, list: steps.map(({ from, to }) => `${from}–${to}`).join(" ") });
    },
    hole: () => {
      const label = document.activeElement?.closest("[data-hole]")?.getAttribute("aria-label");
      if (label) session.say("note.read", { text: label });
    },
    counts: () => session.say("note.read", { text: document.querySelector(".count")?.textContent ?? "" }),
  };
}
