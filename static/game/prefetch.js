/**
 * Prefetching of likely next positions while the player is idle, so that the service worker can serve them offline: a
 * shortest solution from the position on the board, and a few legal steps. Requests are sent one at a time, and only
 * while the server can answer at once.
 */
import * as api from "./api.js";
import { isMoveOpen } from "./line.js";
import { savesData, serviceWorkers } from "../ui/offline.js";

/** Milliseconds without a move before prefetching begins. */
const IDLE_TIME = 1500;
/** Most steps of the solution, and most legal steps, that are fetched from one position. */
const [SOLUTION_STEPS, LEGAL_STEPS] = [12, 3];
/** Number of positions that this page may still prefetch. */
let remainingRequests = 120;

/** Prefetch whenever the player has been idle for `IDLE_TIME` milliseconds. @param {import("./session.js").Session} session */
export function prefetchNearby(session) {
  let timer = 0;
  const wait = (/** @type {import("./session.js").State} */ { analysis, solution, edit }) => {
    clearTimeout(timer);
    if (analysis?.verdict === "live" && !solution && !edit)
      timer = setTimeout(() => fetchFrom(session, analysis).catch(() => {}), IDLE_TIME);
  };
  session.subscribe(["analysis"], wait);
  wait(session.state); // the first position may be known already
}

/** Fetch decided positions near the analysed one, if a service worker stores the answers.
 * @param {import("./session.js").Session} session @param {import("./api.js").Analysis} analysis */
async function fetchFrom(session, analysis) {
  const isIdle = () =>
    session.state.analysis === analysis && navigator.onLine && !savesData() && remainingRequests > 0;
  if (!serviceWorkers()?.controller || analysis.moves_left === null || isMoveOpen(analysis) || !isIdle())
    return;
  const { moves } = await api.solution(analysis.position);
  const { steps } = await api.line(analysis.position, moves);
  const known = [steps.slice(0, SOLUTION_STEPS), analysis.steps].map((some) =>
    some.filter((step) => step.moves_left !== null),
  );
  for (const { position } of [...known[0], ...known[1].slice(0, LEGAL_STEPS)]) {
    if (!isIdle()) return;
    remainingRequests -= 1;
    const { verdict, preparation } = await api.analysis(position);
    if (verdict === "unknown" || typeof preparation === "number") return; // further requests would make the server compute
  }
}
