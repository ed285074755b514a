/** Repeated requests for hints, solutions and verdicts that the server still computes in the background. */
import * as api from "./api.js";
import { withVerdict, positionAt } from "./line.js";

/** Milliseconds between two requests for a hint or solution, and largest number of requests once the server has started up. */
const [HINT_PAUSE, MAX_TRIES] = [700, 12];
/** Milliseconds before the first repeated request for a verdict, and before the first check for a lost connection. */
const [FIRST_VERDICT_PAUSE, FIRST_CHECK_PAUSE] = [300, 1000];
/** Longest pause between two requests, in milliseconds. Each pause is 1.5 times the pause before. */
const MAX_PAUSE = 8000;
const nextPause = (/** @type {number} */ pause) => Math.min(pause * 1.5, MAX_PAUSE);

/** Request a hint or solution until its verdict is known, at most `MAX_TRIES` times once the server has started up.
 * Return the last answer; undefined if the request failed, null if the board has changed meanwhile.
 * @template {{ verdict: import("./line.js").Verdict }} Answer
 * @param {import("./session.js").Session} session @param {() => Promise<Answer>} request */
export async function pollUntilKnown(session, request) {
  const here = positionAt(session.state.line).position;
  for (let tries = 0; ;) {
    const answer = await session.tryRequest(request());
    if (session.state.edit || here !== positionAt(session.state.line).position) return null;
    if (!answer || answer.verdict !== "unknown") return answer;
    const isWarming = Boolean(session.state.analysis?.warming);
    if (!isWarming && ++tries === MAX_TRIES) return answer;
    session.showNote(isWarming ? "note.warming" : "note.seeking");
    await new Promise((resolve) => setTimeout(resolve, HINT_PAUSE));
  }
}

/** Request the number of a shortest solution, at growing intervals, until the server has counted all. Return the last answer;
 * null if the request failed or is wanted no more. @param {string} start @param {string} line its text
 * @param {() => boolean} isWanted */
export async function pollNumber(start, line, isWanted) {
  for (let pause = FIRST_CHECK_PAUSE; ; pause = nextPause(pause)) {
    const answer = await api.number(start, line).catch(() => null);
    if (!isWanted()) return null;
    if (!answer || answer.counting === null) return answer;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Request the verdict again, at growing intervals, while the server works on it or does not answer.
 * @param {import("./session.js").Session} session */
export function pollVerdicts(session) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let pause = FIRST_VERDICT_PAUSE;
  session.subscribe(["fault"], ({ fault, note }) => {
    if (!fault && note?.key === "note.fault") session.update({ note: null });
  });
  session.subscribe(["analysis", "fault"], ({ analysis, fault }, before) => {
    clearTimeout(timer);
    const again = analysis?.position === before.analysis?.position && !analysis?.warming;
    pause = again ? nextPause(pause) : FIRST_VERDICT_PAUSE;
    if (fault || analysis?.warming || typeof analysis?.preparation === "number")
      timer = setTimeout(() => session.analyse(), pause);
  });
  addEventListener("online", () => session.state.fault && session.analyse());
  clearNoteOnReconnect(session);
  refreshStartAfterWarmUp(session);
}

/** Once the server has started up, request the verdict of the start again, which contains the fewest moves of the game.
 * @param {import("./session.js").Session} session */
function refreshStartAfterWarmUp(session) {
  let isWarmingUp = false;
  session.subscribe(["analysis"], ({ analysis }) => {
    if (!analysis || Boolean(analysis.warming) === isWarmingUp) return;
    isWarmingUp = !isWarmingUp;
    const { position } = session.state.line.start;
    if (!isWarmingUp)
      api.analysis(position).then(
        (verdict) => session.update({ line: withVerdict(session.state.line, verdict) }),
        () => {},
      );
  });
}

/** Return whether a note reports a lost connection. @param {import("./session.js").Note | null} note */
const isConnectionNote = (note) =>
  note?.key === "note.fault" && ["offline", "unreachable"].includes(String(note.values.code));

/** Remove the note about a lost connection once the server can be reached. The check sends HEAD, which the
 * service worker does not answer.
 * @param {import("./session.js").Session} session */
function clearNoteOnReconnect(session) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const check = async (/** @type {number} */ pause) => {
    const isReachable =
      navigator.onLine &&
      (await fetch("/healthz", { method: "HEAD" }).then(
        ({ ok }) => ok,
        () => false,
      ));
    if (!isConnectionNote(session.state.note)) return;
    if (isReachable) session.update({ note: null });
    else begin(nextPause(pause));
  };
  const begin = (/** @type {number} */ pause) => {
    clearTimeout(timer);
    if (isConnectionNote(session.state.note)) timer = setTimeout(() => check(pause), pause);
  };
  session.subscribe(["note"], () => begin(FIRST_CHECK_PAUSE));
  addEventListener("online", () => begin(0));
}
