/** A way to the goal that the server does not have at hand: it looks in the background, so it is asked again. */

import { positionAt } from "./line.js";

const PAUSE = 700; // milliseconds
const MOST_TRIES = 12;

/** What is being looked for. @type {string | null} */
let sought = null;

/** Ask for a hint or a solution, and again while none is known: as long as the server warms up, then for eight seconds. Null
 * where the board shows something else by then, and for who asks the same once more meanwhile.
 * @template {{ verdict: import("./line.js").Verdict }} Answer
 * @param {import("./session.js").Session} session @param {string} position
 * @param {() => Promise<Answer>} ask @param {(answer: Answer) => boolean} isWay */
export async function seek(session, position, ask, isWay) {
  const here = positionAt(session.state.line).position;
  if (sought === position) return null;
  sought = position;
  try {
    for (let tries = 0; ; ) {
      const answer = await session.asked(ask());
      if (session.state.edit || here !== positionAt(session.state.line).position) return null;
      if (!answer || answer.verdict !== "unknown" || isWay(answer)) return answer;
      const isWarming = Boolean(session.state.graded?.warming);
      if (!isWarming && ++tries === MOST_TRIES) return answer;
      session.say(isWarming ? "note.warming" : "note.seeking");
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  } finally {
    if (sought === position) sought = null; // or another is by now
  }
}
