/** While the server still works on a verdict, it is asked again: soon at first, then less often. */

const FIRST = 1000;
const LONGEST = 8000;

/** @param {import("./session.js").Session} session */
export function awaitVerdicts(session) {
  let timer = 0;
  let pause = FIRST;
  session.subscribe(({ graded }, before) => {
    if (graded === before.graded) return;
    clearTimeout(timer);
    const again = graded?.position === before.graded?.position && !graded?.warming;
    pause = again ? Math.min(pause * 1.5, LONGEST) : FIRST;
    if (graded?.warming || typeof graded?.preparation === "number") timer = setTimeout(() => session.grade(), pause);
  });
}
