/**
 * A search by hand: every step that a limit allows is tried, as a depth-first search does, until none is left.
 *
 * @typedef {{ from: number, to: number, position: string, cost: number }} Step
 * @typedef {{ position: string, spent: number, left: Step[], depth: number }} Place `left`: steps not tried yet
 * @typedef {{ kind: string, depth: number, isNode: boolean }} Event as `Visit` in search/trace_pages.js, as far as a tree shows it
 */

/** The state of a search by hand under one limit. */
export class Refutation {
  /** Places from the root to the current one. @type {Place[]} */
  path = [];
  /** @type {Event[]} */
  events = [];
  nodes = 0;

  /** @param {number} limit */
  constructor(limit) {
    this.limit = limit;
  }

  /** The current place. @returns {Place | undefined} */
  get place() {
    return this.path.at(-1);
  }

  get isOver() {
    return this.nodes > 0 && this.path.length === 0;
  }

  /** Enter a position, and prune the steps that the limit does not allow. Return how many these are.
   * @param {string} position @param {number} spent moves made up to it @param {Step[]} steps its legal steps */
  enter(position, spent, steps) {
    const depth = this.path.length;
    const allowed = steps.filter(({ cost }) => spent + cost <= this.limit);
    const pruned = steps.length - allowed.length;
    this.path.push({ position, spent, left: allowed, depth });
    this.#add("enter", depth, true);
    for (let count = 0; count < pruned; count++) this.#add("limit", depth + 1, true);
    return pruned;
  }

  /** Take a step that is left at the current place, and return it; null if it is not left. The next call is `enter`.
   * @param {number} from @param {number} to @returns {Step | null} */
  take(from, to) {
    const place = this.place;
    const step = place?.left.find((other) => other.from === from && other.to === to);
    if (!place || !step) return null;
    place.left = place.left.filter((other) => other !== step);
    return step;
  }

  /** Put a step back that could not be taken. @param {Step} step */
  putBack(step) {
    this.place?.left.push(step);
  }

  /** Leave all places where no step is left; return how many were left. */
  retreat() {
    let count = 0;
    for (; this.place && !this.place.left.length; count++) {
      this.#add("leave", this.path.length - 1, false);
      this.path.pop();
    }
    return count;
  }

  /** @param {string} kind @param {number} depth @param {boolean} isNode */
  #add(kind, depth, isNode) {
    this.events.push({ kind, depth, isNode });
    this.nodes += Number(isNode);
  }
}
