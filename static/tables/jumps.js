/**
 * Peg solitaire, perhaps with a red peg. A state has a bit for each hole with a peg; above them stands the hole of the red
 * peg. The number of a state without a red peg is the state; with one it is the hole of the red peg, then the bits of the
 * other holes.
 *
 * @typedef {import("./family.js").Position} Position
 * @typedef {import("./family.js").Step} Step
 */
import { parity, permutation, withHole, withoutHole } from "./bits.js";

/** @param {import("./family.js").Head} head @returns {import("./family.js").Family} */
export function jumps({ alphabet, rules, symmetries }) {
  const holes = symmetries[0].length;
  const hasRed = alphabet.length > 2;
  const every = (1 << holes) - 1;
  const redIn = (/** @type {number} */ state) => (hasRed ? state >>> holes : -1);
  const lines = rules.jumps.map((/** @type {[number, number, number]} */ [from, over, to]) => ({
    from,
    to,
    over,
    pegs: (1 << from) | (1 << over),
    mask: (1 << from) | (1 << over) | (1 << to),
  }));
  /** Jumps by the hole in which they begin. */
  const linesFrom = symmetries[0].map((hole) => lines.filter(({ from }) => from === hole));

  /** @param {Position} position @returns {Step[]} */
  function jumpsFrom({ state, active }) {
    const red = redIn(state);
    return lines.flatMap(({ from, over, to, pegs, mask }) =>
      (state & mask) === pegs && over !== red
        ? [{ from, to, cost: from === active ? 0 : 1, after: after(state, from, to, mask, red) }]
        : [],
    );
  }

  /** Return the position after a jump; the peg stays active if it can jump on.
   * @param {number} state @param {number} from @param {number} to @param {number} mask @param {number} red */
  function after(state, from, to, mask, red) {
    const bits = (state & every) ^ mask;
    const next = hasRed ? bits | ((red === from ? to : red) << holes) : bits;
    return { state: next, active: canJump(next, to) ? to : -1 };
  }

  /** @param {number} state @param {number} hole */
  function canJump(state, hole) {
    const red = redIn(state);
    for (const { over, pegs, mask } of linesFrom[hole])
      if ((state & mask) === pegs && over !== red) return true;
    return false;
  }

  /** @param {number} state @param {number} hole */
  function continuations(state, hole) {
    const red = redIn(state);
    return linesFrom[hole]
      .filter(({ over, pegs, mask }) => (state & mask) === pegs && over !== red)
      .map(({ from, to, mask }) => ({ ...after(state, from, to, mask, red), active: to }));
  }

  return {
    size: hasRed ? holes << (holes - 1) : 1 << holes,
    steps: jumpsFrom,
    goesOn: canJump,
    continuations,
    parse(cells) {
      const values = [...cells].map((cell) => alphabet.indexOf(cell));
      const bits = values.reduce((sum, value, hole) => sum | (Number(value > 0) << hole), 0);
      const reds = values.filter((value) => value === 2).length;
      if (values.length !== holes || values.includes(-1) || !bits || reds !== Number(hasRed)) return null;
      return hasRed ? bits | (values.indexOf(2) << holes) : bits;
    },
    format: (state) =>
      Array.from({ length: holes }, (_, hole) =>
        hole === redIn(state) ? alphabet[2] : alphabet[(state >>> hole) & 1],
      ).join(""),
    number: (state) =>
      hasRed ? (redIn(state) << (holes - 1)) | withoutHole(state & every, redIn(state)) : state,
    state(number) {
      if (!hasRed) return number;
      const red = number >>> (holes - 1);
      return withHole(number & (every >>> 1), red) | (1 << red) | (red << holes);
    },
    image(image) {
      const moved = permutation(image);
      if (!hasRed) return moved;
      return (number) => {
        const red = number >>> (holes - 1);
        const bits = moved(withHole(number & (every >>> 1), red) | (1 << red));
        return (image[red] << (holes - 1)) | withoutHole(bits, image[red]);
      };
    },
    mayReach(goal) {
      const odd = rules.parities.map((/** @type {number} */ holes) => (holes >>> Number(goal)) & 1);
      return (number) => {
        const bits = this.state(number) & every;
        return rules.parities.every(
          (/** @type {number} */ holes, /** @type {number} */ set) => parity(bits & holes) === odd[set],
        );
      };
    },
  };
}
