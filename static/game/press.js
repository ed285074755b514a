/**
 * What a press on a hole means, given the legal steps. Knows no page.
 *
 * @typedef {import("./line.js").Step} Step
 * @typedef {{ kind: "play", step: Step } | { kind: "select", hole: number } | { kind: "cancel" }
 *   | { kind: "refuse", why: string, values: Record<string, number> }} Meaning
 */

/**
 * @param {readonly Step[]} steps the legal ones
 * @param {number | null} selected
 * @param {number} hole the one pressed
 * @param {{ empty: boolean, atOnce: boolean }} about whether the hole is empty; whether a single way is taken at once
 * @returns {Meaning}
 */
export function press(steps, selected, hole, { empty, atOnce }) {
  const chosen = steps.find((step) => step.from === selected && step.to === hole);
  if (chosen) return { kind: "play", step: chosen };
  const ways = steps.filter((step) => step.from === hole);
  if (atOnce && ways.length === 1) return { kind: "play", step: ways[0] };
  if (ways.length) return { kind: "select", hole };
  return refusal(selected, hole, empty);
}

/** @param {number | null} selected @param {number} hole @param {boolean} empty @returns {Meaning} */
function refusal(selected, hole, empty) {
  if (!empty) return { kind: "refuse", why: "note.stuck", values: { hole } };
  if (selected === null) return { kind: "refuse", why: "note.empty", values: { hole } };
  return { kind: "refuse", why: "note.illegal", values: { from: selected, to: hole } };
}

/** What a drop means: the step, or why there is none.
 * @param {readonly Step[]} steps @param {number} from @param {number | null} to @returns {Meaning} */
export function drop(steps, from, to) {
  if (!steps.some((step) => step.from === from)) return { kind: "refuse", why: "note.stuck", values: { hole: from } };
  if (to === null || to === from) return { kind: "cancel" };
  const step = steps.find((step) => step.from === from && step.to === to);
  return step ? { kind: "play", step } : { kind: "refuse", why: "note.illegal", values: { from, to } };
}

/** A second press within this time belongs to the step that the first one made at once. */
const SAME_GESTURE = 900;

/** A press on a piece that was played at once, and then on where it went, as if it had to be told: one step, not two. */
export class DoublePress {
  #hole = -1;
  #when = -Infinity;

  /** @param {number} hole where the piece went @param {number} when it was pressed */
  begin(hole, when) {
    this.#hole = hole;
    this.#when = when;
  }

  /** Whether this press is the second one; it is so only once. @param {number} hole @param {number} when */
  ends(hole, when) {
    const same = hole === this.#hole && when - this.#when < SAME_GESTURE;
    this.forget();
    return same;
  }

  forget() {
    this.#hole = -1;
  }
}
