/** A way to the goal that the server does not have at hand: it looks in the background, so it is asked again. */
import { judgedAnew, positionAt } from "./line.js";

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
  awaitConnection(session);
  awaitStart(session);
}

/** Of a line that came while the server warmed up the start is asked for again once it is warm: what is possible at best
 * in all is counted from there. @param {import("./session.js").Session} session */
function awaitStart(session) {
  let isCold = false;
  session.subscribe(({ graded }) => {
    if (!graded || Boolean(graded.warming) === isCold) return;
    isCold = !isCold;
    const { position } = session.state.line.start;
    if (!isCold) session.api.position(position).then((judged) => session.update({ line: judgedAnew(session.state.line, judged) }), () => {});
  });
}

/** Whether something was refused because nobody could be asked. @param {import("./session.js").Note | null} note */
const isCutOff = (note) => note?.key === "note.fault" && ["offline", "unreachable"].includes(String(note.values.code));

/** Who is refused for want of a connection sees when there is one again. HEAD: the service worker answers no such question.
 * @param {import("./session.js").Session} session */
function awaitConnection(session) {
  let timer = 0;
  const ask = async (/** @type {number} */ pause) => {
    const isBack = navigator.onLine && (await fetch("/healthz", { method: "HEAD" }).then(({ ok }) => ok, () => false));
    if (!isCutOff(session.state.note)) return;
    if (isBack) session.update({ note: null });
    else begin(Math.min(pause * 1.5, LONGEST));
  };
  const begin = (/** @type {number} */ pause) => {
    clearTimeout(timer);
    if (isCutOff(session.state.note)) timer = setTimeout(() => ask(pause), pause);
  };
  session.subscribe(({ note }, before) => note !== before.note && begin(FIRST));
  addEventListener("online", () => begin(0));
}
