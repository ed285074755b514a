/**
 * Once the player rests, what comes next is fetched and so kept by the service worker: a shortest way from here, and where
 * a few steps lead. Then these can be played when the network is gone. One question at a time, not many, and only for what
 * the server knows already.
 */
import { isMoveOpen } from "./line.js";

/** Milliseconds of rest; steps of the way, and of all steps from here, that are followed; and positions of one page. */
const [REST, LENGTH, WIDTH] = [1500, 12, 3];
let remainingRequests = 120;

/** @param {import("./session.js").Session} session */
export function prefetchNearby(session) {
  let timer = 0;
  if ("embed" in document.documentElement.dataset) return;
  const wait = (/** @type {import("./session.js").State} */ { analysis, solution, edit }) => {
    clearTimeout(timer);
    if (analysis?.verdict === "live" && !solution && !edit) timer = setTimeout(() => fetchFrom(session, analysis).catch(() => {}), REST);
  };
  session.subscribe((state, before) => state.analysis !== before.analysis && wait(state));
  wait(session.state); // what the page opened on is known by now
}

/** Who pays for every byte is not to pay for these. */
const savesData = () => Boolean(/** @type {{ connection?: { saveData?: boolean } }} */ (navigator).connection?.saveData);

/** Only where the answers are known at once, and somebody keeps them.
 * @param {import("./session.js").Session} session @param {import("./api.js").Analysis} graded */
async function fetchFrom(session, graded) {
  const isIdle = () => session.state.analysis === graded && navigator.onLine && !savesData() && remainingRequests > 0;
  if (!navigator.serviceWorker?.controller || graded.moves_left === null || isMoveOpen(graded) || !isIdle()) return;
  const { moves } = await session.api.solution(graded.position);
  const { steps } = await session.api.line(graded.position, moves);
  const known = [steps.slice(0, LENGTH), graded.steps].map((some) => some.filter((step) => step.moves_left !== null));
  for (const { position } of [...known[0], ...known[1].slice(0, WIDTH)]) {
    if (!isIdle()) return;
    remainingRequests -= 1;
    const { verdict, preparation } = await session.api.position(position);
    if (verdict === "unknown" || typeof preparation === "number") return; // more would be work for the server
  }
}
