/**
 * Steps by direction: a swipe, an arrow key, or a press on a piece that can push others before it.
 *
 * @typedef {import("./line.js").Step} Step
 * @typedef {[number, number]} Spot
 */

/** Cosine of the widest angle between a direction asked for and a step. */
const NEAR = 0.8;

/** The one step that goes this way; null where there is none, or a choice.
 * @param {readonly Step[]} steps @param {Spot} way @param {readonly Spot[]} points @returns {Step | null} */
export function stepAlong(steps, way, points) {
  const found = steps.filter(({ from, to }) => cosine(difference(points[to], points[from]), way) > NEAR);
  return found.length === 1 ? found[0] : null;
}

/**
 * The moves that push a whole run: every piece on the straight line from a gap to the pressed hole, the nearest first.
 * @param {readonly Step[]} steps @param {number} hole @param {readonly Spot[]} points @returns {number[][] | null}
 */
export function runTowards(steps, hole, points) {
  for (const { from, to } of steps) {
    const run = between(to, hole, points);
    if (run[0] === from && run.length > 1) return run.map((origin, index) => [origin, index ? run[index - 1] : to]);
  }
  return null;
}

/** The holes on the straight line from one to another, without the first. @param {number} from @param {number} to
 * @param {readonly Spot[]} points @returns {number[]} */
function between(from, to, points) {
  const way = difference(points[to], points[from]);
  const far = (/** @type {number} */ hole) => Math.hypot(...difference(points[hole], points[from]));
  return [...points.keys()]
    .filter((hole) => hole !== from && far(hole) <= far(to) + 1 && cosine(difference(points[hole], points[from]), way) > 0.999)
    .sort((a, b) => far(a) - far(b));
}

/** @param {Spot} a @param {Spot} b @returns {Spot} */
const difference = (a, b) => [a[0] - b[0], a[1] - b[1]];

/** @param {Spot} a @param {Spot} b */
const cosine = (a, b) => (a[0] * b[0] + a[1] * b[1]) / (Math.hypot(...a) * Math.hypot(...b) || 1);
