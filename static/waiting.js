/** While the server still works on a verdict, or gives no answer, it is asked again: soon at first, then less often.
 * Once it answers, what it refused meanwhile is no longer said. */

const FIRST = 1000;
const LONGEST = 8000;

/** Whoever asked for something is told when it takes a while. @template T
 * @param {import("./session.js").Session} session @param {Promise<T>} question */
export async function sayWhenLate(session, question) {
  const timer = setTimeout(() => session.say("note.asking"), FIRST);
  try {
    return await question;
  } finally {
    clearTimeout(timer);
    if (session.state.note?.key === "note.asking") session.update({ note: null });
  }
}

/** @param {import("./session.js").Session} session */
export function awaitVerdicts(session) {
  let timer = 0;
  let pause = FIRST;
  session.subscribe(({ graded, trouble, note }, before) => {
    if (before.trouble && !trouble && note?.key === "note.fault") session.update({ note: null });
    if (graded === before.graded && trouble === before.trouble) return;
    clearTimeout(timer);
    const again = graded?.position === before.graded?.position && !graded?.warming;
    pause = again ? Math.min(pause * 1.5, LONGEST) : FIRST;
    if (trouble || graded?.warming || typeof graded?.preparation === "number") timer = setTimeout(() => session.grade(), pause);
  });
  addEventListener("online", () => session.state.trouble && session.grade());
}
