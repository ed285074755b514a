/** Requests for the analyses that a review needs, a few at a time. */
import * as api from "../game/api.js";
import { isDecided } from "../game/line.js";

/** Largest number of requests at a time. */
const AT_ONCE = 4;
/** Milliseconds between two requests for an analysis that the server still computes, and most requests for one. */
const [PAUSE, MOST] = [700, 6];

/** Return the analyses of positions by position; without those that cannot be had. @param {readonly string[]} positions
 * @param {(done: number) => void} [onProgress] called with the number of answers so far
 * @returns {Promise<Map<string, api.Analysis>>} */
export async function analysesOf(positions, onProgress = () => {}) {
  /** @type {Map<string, api.Analysis>} */
  const found = new Map();
  const waiting = [...positions];
  let done = 0;
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const analysis = await decided(next);
      if (analysis) found.set(next, analysis);
      onProgress((done += 1));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

/** Return the analysis of a position, requested again while the server works on it; null if it cannot be had.
 * @param {string} position */
async function decided(position) {
  for (let tries = 1; ; tries += 1) {
    const analysis = await api.analysis(position).catch(() => null);
    const isAtWork = analysis && (analysis.warming || typeof analysis.preparation === "number");
    if (!analysis || isDecided(analysis) || !isAtWork || tries === MOST) return analysis;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
}
