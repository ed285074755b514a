/**
 * Once the player rests, what comes next is fetched and so kept by the service worker: a shortest way from here, and where
 * a few steps lead. Then these can be played when the network is gone. One question at a time, not many, and only for what
 * the server knows already.
 */
import { isOpen } from "./line.js";

/** Milliseconds of rest; steps of the way, and of all steps from here, that are followed; and positions of one page. */
const [REST, LENGTH, WIDTH] = [1500, 12, 3];
let left = 120;

/** @param {import("./session.js").Session} session */
export function fetchAhead(session) {
  let timer = 0;
  if ("embed" in document.documentElement.dataset) return;
  const wait = (/** @type {import("./session.js").State} */ { graded, show, edit }) => {
    clearTimeout(timer);
    if (graded?.verdict === "live" && !show && !edit) timer = setTimeout(() => fetchFrom(session, graded).catch(() => {}), REST);
  };
  session.subscribe((state, before) => state.graded !== before.graded && wait(state));
  wait(session.state); // what the page opened on is known by now
}

/** Who pays for every byte is not to pay for these. */
const isSaving = () => Boolean(/** @type {{ connection?: { saveData?: boolean } }} */ (navigator).connection?.saveData);

/** Only where the answers are known at once, and somebody keeps them.
 * @param {import("./session.js").Session} session @param {import("./api.js").Analysis} graded */
async function fetchFrom(session, graded) {
  const isIdle = () => session.state.graded === graded && navigator.onLine && !isSaving() && left > 0;
  if (!navigator.serviceWorker?.controller || graded.moves_left === null || isOpen(graded) || !isIdle()) return;
  const { moves } = await session.api.solution(graded.position);
  const { steps } = await session.api.line(graded.position, moves);
  const known = [steps.slice(0, LENGTH), graded.steps].map((some) => some.filter((step) => step.moves_left !== null));
  for (const { position } of [...known[0], ...known[1].slice(0, WIDTH)]) {
    if (!isIdle()) return;
    left -= 1;
    const { verdict, preparation } = await session.api.position(position);
    if (verdict === "unknown" || typeof preparation === "number") return; // more would be work for the server
  }
}
