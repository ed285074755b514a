/**
 * Sliding tiles: a tile beside the blank moves into it. A state is its own number: that of its arrangement among all
 * permutations (Lehmer code, first cell first).
 */

/** @param {import("./family.js").Head} head @returns {import("./family.js").Family} */
export function slides({ alphabet, rules, symmetries }) {
  const cells = symmetries[0].length;

  /** Return the tiles of a state. @param {number} state */
  function tilesOf(state) {
    const digits = /** @type {number[]} */ (Array(cells).fill(0));
    for (let [cell, rest] = [cells - 1, state]; cell >= 0; cell -= 1) {
      digits[cell] = rest % (cells - cell);
      rest = Math.floor(rest / (cells - cell));
    }
    const left = [...digits.keys()];
    return digits.map((digit) => left.splice(digit, 1)[0]);
  }

  /** Return the state with tiles, each once. @param {readonly number[]} tiles */
  function stateOf(tiles) {
    const left = [...tiles.keys()];
    return tiles.reduce((state, tile, cell) => {
      const digit = left.indexOf(tile);
      left.splice(digit, 1);
      return state * (cells - cell) + digit;
    }, 0);
  }

  /** Return 1 or 0: whether an odd number of swaps orders the tiles, changed by the colour of the blank's cell. No slide
   * changes it. A digit of the state is the number of smaller tiles in later cells, so the first 0 is that of the blank.
   * @param {number} state */
  function parityOf(state) {
    let [odd, blank, rest] = [0, 0, state];
    for (let cell = cells - 1; cell >= 0; cell -= 1) {
      const digit = rest % (cells - cell);
      rest = (rest - digit) / (cells - cell);
      odd ^= digit & 1;
      if (digit === 0) blank = cell;
    }
    return odd ^ rules.colours[blank];
  }

  /** @param {string} text */
  function parse(text) {
    const tiles = [...text].map((cell) => alphabet.indexOf(cell));
    const isWhole = tiles.length === cells && [...tiles.keys()].every((tile) => tiles.includes(tile));
    return isWhole ? stateOf(tiles) : null;
  }

  return {
    goesOn: () => false,
    continuations: () => [],
    size: symmetries[0].reduce((product, cell) => product * (cell + 1), 1),
    parse,
    steps({ state }) {
      const tiles = tilesOf(state);
      const blank = tiles.indexOf(0);
      return rules.neighbours[blank].map((/** @type {number} */ from) => {
        const next = [...tiles];
        [next[blank], next[from]] = [tiles[from], 0];
        return { from, to: blank, cost: 1, after: { state: stateOf(next), active: -1 } };
      });
    },
    format: (state) =>
      tilesOf(state)
        .map((tile) => alphabet[tile])
        .join(""),
    number: (state) => state,
    state: (number) => number,
    image: () => (number) => number, // the only symmetry is the identity
    mayReach(goal) {
      const odd = parityOf(stateOf([...goal].map((cell) => alphabet.indexOf(cell))));
      return (number) => parityOf(number) === odd;
    },
    leastBits: Math.min(
      ...rules.neighbours.map((/** @type {number[]} */ { length }) => Math.log2(length / (length - 1))),
    ),
  };
}
