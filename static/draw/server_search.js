/**
 * What the server proves about a position of a board that is too large for the page: what it knows, and then a search, whose
 * bounds get closer. It runs in the turns of all searches, and ends when the signal is aborted.
 *
 * @typedef {object} Known
 * @property {"live" | "dead" | "solved" | "unknown"} verdict
 * @property {number | null} moves the fewest, if proved
 * @property {number} least moves that a solution needs at least
 * @property {number | null} most moves of the best known solution
 * @property {boolean} isOver whether the server looks no further
 * @property {string} [sentence] of the server: why the position is dead, or what went wrong
 *
 * @typedef {{ event: string, limit: number, error: { message: string } }} SearchEvent
 */

/** Milliseconds without a change of the drawing before the server is asked. */
const SETTLED = 400;

/** Yield bounds that get closer. @param {string} place address of the position in the API
 * @param {URLSearchParams} query @param {AbortSignal} signal @returns {AsyncGenerator<Known>} */
export async function* knownByServer(place, query, signal) {
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  signal.throwIfAborted();
  const { verdict, moves_left: moves, bounds, error } = await json(`${place}?${query}`, signal);
  const isOver = Boolean(error) || verdict === "dead" || moves !== null;
  /** @type {Known} */
  let known = {
    verdict,
    moves,
    least: bounds?.least ?? 1,
    most: bounds?.most ?? null,
    isOver,
    sentence: error?.message,
  };
  if (!isOver) {
    yield known;
    for await (const event of lines(`${place}/search?${query}`, signal)) yield (known = after(known, event));
  }
  if (known.verdict === "dead") {
    const { sentence } = await json(`${place}/reason?${query}`, signal);
    known = { ...known, sentence };
  }
  yield { ...known, isOver: true };
}

/** Return the bounds after an event of the search. @param {Known} known @param {SearchEvent} event @returns {Known} */
export function after(known, { event, limit, error }) {
  if (event === "exhausted") return { ...known, least: Math.max(known.least, limit + 1) };
  if (event === "found") return { ...known, verdict: "live", most: Math.min(known.most ?? limit, limit) };
  if (event === "solved") return { ...known, verdict: "live", moves: limit };
  if (event === "unsolvable") return { ...known, verdict: "dead" };
  return event === "failed" ? { ...known, sentence: error.message } : known;
}

/** @param {string} address @param {AbortSignal} signal */
const json = async (address, signal) => (await fetch(address, { signal })).json();

/** Yield the events of a search as they come. @param {string} address @param {AbortSignal} signal
 * @returns {AsyncGenerator<SearchEvent>} */
async function* lines(address, signal) {
  const answer = await fetch(address, { signal });
  if (!answer.ok || !answer.body) return void (yield { event: "failed", limit: 0, ...(await answer.json()) });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ;) {
    const { done, value = "" } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}
