/**
 * The complete table of a puzzle and a goal: the fewest moves from every position, built in the page from the rules.
 *
 * @typedef {import("./family.js").Position} Position
 * @typedef {import("./family.js").Step} Step
 */
import { familyOf } from "./family.js";
import { goalImage } from "./goals.js";
import { slices } from "./slices.js";

/** In place of a number of moves: the goal cannot be reached. */
export const UNSOLVABLE = 255;

/** Build the table of a goal in slices. Throws `signal.reason` at the end of a slice in which the signal is aborted.
 * @param {import("./family.js").Head} head @param {string} goal @param {AbortSignal} [signal] */
export async function buildTable(head, goal, signal) {
  const family = familyOf(head);
  return new Table(head, family, goal, await family.build(goal, slices(signal)));
}

/** The complete table of a puzzle and a goal. */
export class Table {
  /** @param {import("./family.js").Head} head @param {import("./family.js").Family} family @param {string} goal
   * @param {Uint8Array} moves fewest moves by number of the state */
  constructor(head, family, goal, moves) {
    this.head = head;
    this.family = family;
    this.goal = goal;
    this.moves = moves;
  }

  /** Return the position that a text describes as the server writes it; null for any other text. @param {string} text */
  parse(text) {
    const [cells, hole] = text.split(":");
    const state = this.family.parse(cells);
    if (state === null) return null;
    const position = { state, active: hole === undefined ? -1 : Number(hole) };
    return (hole === undefined || this.isOpen(position)) && this.format(position) === text ? position : null;
  }

  /** Return whether the active peg may continue its move. @param {Position} position */
  isOpen({ state, active }) {
    return active >= 0 && this.family.goesOn(state, active);
  }

  /** @param {Position} position */
  format({ state, active }) {
    return active < 0 ? this.family.format(state) : `${this.family.format(state)}:${active}`;
  }

  /** Return the fewest moves still to be started, or null if the goal cannot be reached. @param {Position} position */
  movesLeft({ state, active }) {
    const moves = this.#movesFrom(state);
    if (moves === UNSOLVABLE) return null;
    return active >= 0 && this.#begins({ state, active }, moves) ? moves - 1 : moves;
  }

  /** Return the steps that begin a shortest solution, in the order of the server (`optimal_steps` in `tablebase/solutions.py`):
   * those that continue a move come first. The list is empty if the position is solved or the goal cannot be reached.
   * @param {Position} position */
  bestSteps(position) {
    const left = this.movesLeft(position);
    if (left === null || this.isSolved(position)) return [];
    const best = this.family.steps(position).filter(({ cost, after }) => {
      const then = this.movesLeft(after);
      return then !== null && cost + then === left;
    });
    return best.sort((one, other) => one.cost - other.cost);
  }

  /** @param {Position} position */
  isSolved({ state }) {
    return this.#movesFrom(state) === 0;
  }

  /** Return the symmetries of the board and the rules that keep the goal. */
  get symmetries() {
    return this.head.symmetries.filter((image) => goalImage(this.goal, image) === this.goal);
  }

  /** Return the fewest moves from a state without an active peg. @param {number} state */
  #movesFrom(state) {
    return this.moves[this.family.number(state)];
  }

  /** Return whether the active peg makes the first move of a shortest solution, of `moves` moves if it starts one. Its jump
   * leads to a state that needs a move less, or to one that needs as many and where it begins a solution again.
   * @param {Position} position @param {number} moves @returns {boolean} */
  #begins({ state, active }, moves) {
    return this.family.continuations(state, active).some((after) => {
      const then = this.#movesFrom(after.state);
      return then === moves - 1 || (then === moves && this.#begins(after, moves));
    });
  }
}
