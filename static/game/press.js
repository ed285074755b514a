/**
 * The meaning of presses, drops and directions, given the legal steps. This module does not use the page.
 *
 * @typedef {import("./line.js").Step} Step
 * @typedef {[number, number]} Spot
 * @typedef {{ kind: "play", step: Step } | { kind: "select", hole: number } | { kind: "cancel" }
 *   | { kind: "refuse", why: string, values: Record<string, number> }} Meaning
 */
/** Return the meaning of a press: a step, a selection or a refusal. @param {readonly Step[]} steps legal steps
 * @param {number | null} selected hole of the selected piece
 * @param {number} hole the pressed hole
 * @param {{ empty: boolean, atOnce: boolean, taken: boolean }} about `empty`: the hole has no piece; `atOnce`: a piece with a single step moves
 *   when it is pressed; `taken`: a press has selected the piece in the hole, so that this press puts it down
 * @returns {Meaning} */
export function press(steps, selected, hole, { empty, atOnce, taken }) {
  const chosen = steps.find((step) => step.from === selected && step.to === hole);
  if (chosen) return { kind: "play", step: chosen };
  const own = steps.filter((step) => step.from === hole);
  if (atOnce && own.length === 1) return { kind: "play", step: own[0] };
  if (own.length) return taken ? { kind: "cancel" } : { kind: "select", hole };
  return refusal(selected, hole, empty);
}

/** @param {number | null} selected @param {number} hole @param {boolean} empty @returns {Meaning} */
function refusal(selected, hole, empty) {
  if (!empty) return { kind: "refuse", why: "note.stuck", values: { hole } };
  if (selected === null) return { kind: "refuse", why: "note.empty", values: { hole } };
  return { kind: "refuse", why: "note.illegal", values: { from: selected, to: hole } };
}

/** Return the meaning of a drop: a step, a refusal, or "cancel" for a drop on the piece's own hole or on no hole.
 * @param {readonly Step[]} steps @param {number} from @param {number | null} to @returns {Meaning} */
export function drop(steps, from, to) {
  if (!steps.some((step) => step.from === from))
    return { kind: "refuse", why: "note.stuck", values: { hole: from } };
  if (to === null || to === from) return { kind: "cancel" };
  const step = steps.find((step) => step.from === from && step.to === to);
  return step ? { kind: "play", step } : { kind: "refuse", why: "note.illegal", values: { from, to } };
}

/** Cosine of the widest angle allowed between the requested direction and a step. */
const MIN_COSINE = 0.8;

/** Return the only step in a direction, or null if there is none or more than one.
 * @param {readonly Step[]} steps @param {Spot} direction @param {readonly Spot[]} points @returns {Step | null} */
export function stepInDirection(steps, direction, points) {
  const found = steps.filter(
    ({ from, to }) => cosine(difference(points[to], points[from]), direction) > MIN_COSINE,
  );
  return found.length === 1 ? found[0] : null;
}

/** Return the moves that push a row of pieces: every piece on the straight line from a gap to the pressed hole, the
 * piece next to the gap first. Return null if there is no row of at least two pieces.
 * @param {readonly Step[]} steps @param {number} hole @param {readonly Spot[]} points @returns {number[][] | null} */
export function pushTowards(steps, hole, points) {
  for (const { from, to } of steps) {
    const run = between(to, hole, points);
    if (run[0] === from && run.length > 1)
      return run.map((origin, index) => [origin, index ? run[index - 1] : to]);
  }
  return null;
}

/** Return the holes on the straight line from one hole to another, in order and without `from`.
 * @param {number} from @param {number} to @param {readonly Spot[]} points @returns {number[]} */
function between(from, to, points) {
  const direction = difference(points[to], points[from]);
  const distance = (/** @type {number} */ hole) => Math.hypot(...difference(points[hole], points[from]));
  return [...points.keys()]
    .filter(
      (hole) =>
        hole !== from &&
        distance(hole) <= distance(to) + 1 &&
        cosine(difference(points[hole], points[from]), direction) > 0.999,
    )
    .sort((a, b) => distance(a) - distance(b));
}

/** @param {Spot} a @param {Spot} b @returns {Spot} */
const difference = (a, b) => [a[0] - b[0], a[1] - b[1]];

/** @param {Spot} a @param {Spot} b */
const cosine = (a, b) => (a[0] * b[0] + a[1] * b[1]) / (Math.hypot(...a) * Math.hypot(...b) || 1);
