/**
 * The complete table of a puzzle: the fewest moves from every position to every goal, from a file that docs/tables.md
 * describes. It has the values of one goal among those that symmetries turn into each other, and of one state among those
 * that they turn into each other and the goal into itself; the others follow.
 *
 * @typedef {import("./family.js").Position} Position
 * @typedef {import("./family.js").Step} Step
 * @typedef {(number: number) => number} Lookup number of a state -> fewest moves, or `UNSOLVABLE`
 */
import { familyOf } from "./family.js";
import { slices } from "./slices.js";

/** In place of a number of moves: the goal cannot be reached. */
export const UNSOLVABLE = 255;
const ANY_GOAL = "any";
const FORMAT = 1;
/** States unpacked before the next look at the clock. */
const PART = 1024;

/** The complete table of a puzzle. */
export class Table {
  /** Values of each stored goal, as in the file. @type {Map<string, Uint8Array>} */
  #packed = new Map();
  /** Values of each goal that has been asked for. @type {Map<string, Lookup>} */
  #lookups = new Map();

  /** Throws if the file has another format. @param {ArrayBuffer} file */
  constructor(file) {
    const bytes = new Uint8Array(file);
    let place = bytes.indexOf("\n".charCodeAt(0)) + 1;
    /** @type {import("./family.js").Head} */
    this.head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, place)));
    if (this.head.format !== FORMAT) throw new Error(`A table has the unknown format ${this.head.format}.`);
    this.family = familyOf(this.head);
    for (const [goal, length] of this.head.sections)
      this.#packed.set(goal, bytes.subarray(place, (place += length)));
    if (place !== bytes.length) throw new Error(`The table of ${this.head.puzzle} has a wrong length.`);
  }

  /** Unpack all that answers about a goal need, in slices; before, there is no answer. @param {string} goal */
  async prepare(goal) {
    const rest = slices();
    for (const [stored, packed] of this.#packed) {
      const isNeeded = this.head.symmetries.some((image) => goalImage(goal, image) === stored);
      if (this.#lookups.has(stored) || !(isNeeded || goal === ANY_GOAL)) continue;
      const moves = await this.#unpacked(stored, packed, rest);
      this.#lookups.set(stored, (number) => moves[number]);
    }
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

  /** Return the fewest moves still to be started, or null if the goal cannot be reached.
   * @param {string} goal @param {Position} position */
  movesLeft(goal, { state, active }) {
    const moves = this.#movesFrom(goal, state);
    if (moves === UNSOLVABLE) return null;
    return active >= 0 && this.#begins(goal, { state, active }, moves) ? moves - 1 : moves;
  }

  /** Return the steps that begin a shortest solution; those that continue a move come first. The list is empty if the
   * position is solved or the goal cannot be reached.
   * @param {string} goal @param {Position} position */
  bestSteps(goal, position) {
    const left = this.movesLeft(goal, position);
    if (left === null || this.isSolved(goal, position)) return [];
    const best = this.family.steps(position).filter(({ cost, after }) => {
      const then = this.movesLeft(goal, after);
      return then !== null && cost + then === left;
    });
    return best.sort((one, other) => one.cost - other.cost);
  }

  /** @param {string} goal @param {Position} position */
  isSolved(goal, { state }) {
    return this.#movesFrom(goal, state) === 0;
  }

  /** Return the symmetries of the board and the rules that keep a goal. @param {string} goal */
  symmetriesOf(goal) {
    return this.head.symmetries.filter((image) => goalImage(goal, image) === goal);
  }

  /** Return the fewest moves from a state without an active peg. @param {string} goal @param {number} state */
  #movesFrom(goal, state) {
    return this.#lookup(goal)(this.family.number(state));
  }

  /** Return whether the active peg makes the first move of a shortest solution, of `moves` moves if it starts one. Its jump
   * leads to a state that needs a move less, or to one that needs as many and where it begins a solution again.
   * @param {string} goal @param {Position} position @param {number} moves @returns {boolean} */
  #begins(goal, { state, active }, moves) {
    return this.family.continuations(state, active).some((after) => {
      const then = this.#movesFrom(goal, after.state);
      return then === moves - 1 || (then === moves && this.#begins(goal, after, moves));
    });
  }

  /** @param {string} goal @returns {Lookup} */
  #lookup(goal) {
    const known = this.#lookups.get(goal);
    if (known) return known;
    const lookup = goal === ANY_GOAL ? this.#ofAnyGoal() : this.#ofGoal(goal);
    this.#lookups.set(goal, lookup);
    return lookup;
  }

  /** @returns {Lookup} */
  #ofAnyGoal() {
    const each = this.head.goals.filter((goal) => goal !== ANY_GOAL).map((goal) => this.#lookup(goal));
    return (number) => {
      let fewest = UNSOLVABLE;
      for (const lookup of each) fewest = Math.min(fewest, lookup(number));
      return fewest;
    };
  }

  /** @param {string} goal @returns {Lookup} */
  #ofGoal(goal) {
    const image = this.head.symmetries.find((image) => this.#packed.has(goalImage(goal, image)));
    if (!image) throw new Error(`The table of ${this.head.puzzle} has no goal ${goal}.`);
    if (this.#packed.has(goal))
      throw new Error(`The table of ${this.head.puzzle} is not prepared for goal ${goal}.`);
    const [stored, moved] = [this.#lookup(goalImage(goal, image)), this.family.image(image)];
    return (number) => stored(moved(number));
  }

  /** Return the values of all states, by number. @param {string} goal a stored one @param {Uint8Array} packed
   * @param {() => Promise<void>} rest called now and then */
  async #unpacked(goal, packed, rest) {
    const moves = new Uint8Array(this.family.size).fill(UNSOLVABLE);
    const images = this.symmetriesOf(goal).slice(1).map(this.family.image);
    const mayReach = this.family.mayReach(goal);
    let place = 0;
    for (let number = 0; number < moves.length; number += 1) {
      if (number % PART === 0) await rest();
      if (!mayReach(number)) continue;
      const alike = images.map((image) => image(number));
      if (alike.some((other) => other < number)) continue;
      for (const other of [number, ...alike]) moves[other] = packed[place];
      place += 1;
    }
    return moves;
  }
}

/** Return the image of a goal; a goal that is no hole is its own image. @param {string} goal @param {readonly number[]} image */
function goalImage(goal, image) {
  const hole = image[Number(goal)];
  return hole === undefined ? goal : String(hole);
}
