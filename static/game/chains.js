/**
 * Chains of jumps of one peg, and the holes where they end. Several chains may lead to one hole; only the shortest are
 * kept, one for each set of captured pegs. This module needs neither the page nor verdicts.
 *
 * @typedef {object} Chain
 * @property {number[]} holes holes visited, the first of them included
 * @property {number[]} captured holes of the captured pegs, in order
 *
 * @typedef {{ jumps: readonly (readonly number[])[], glyphs: Record<string, string>, unique: string }} Rules `jumps`: all
 *   jumps of the empty board, each as from, over and to; `unique`: pieces that are never captured
 */

/** Return the chains of a peg to each hole that it reaches with two jumps or more, but not with one, by hole.
 * @param {Rules} rules @param {string} cells @param {number} from @returns {Map<number, Chain[]>} */
export function chainsOf({ jumps, glyphs, unique }, cells, from) {
  /** @type {Map<number, Chain[]>} */
  const ends = new Map();
  const canJump = (/** @type {Chain} */ { captured }, /** @type {number} */ over, /** @type {number} */ to) =>
    cells[over] in glyphs &&
    !unique.includes(cells[over]) &&
    over !== from &&
    !captured.includes(over) &&
    (!(cells[to] in glyphs) || to === from || captured.includes(to));
  for (let chains = [{ holes: [from], captured: /** @type {number[]} */ ([]) }]; chains.length;) {
    const longer = chains.flatMap((chain) =>
      jumps
        .filter(([start, over, to]) => start === chain.holes.at(-1) && canJump(chain, over, to))
        .map(([, over, to]) => ({ holes: [...chain.holes, to], captured: [...chain.captured, over] })),
    );
    chains = [...new Map(longer.map((chain) => [outcome(chain), chain])).values()];
    for (const [hole, own] of grouped(chains, ({ holes }) => holes[holes.length - 1]))
      if (!ends.has(hole) && hole !== from) ends.set(hole, own);
  }
  for (const [hole, [{ captured }]] of ends) if (captured.length < 2) ends.delete(hole);
  return ends;
}

/** Return a text that is equal for chains that lead to the same position. @param {Chain} chain */
const outcome = ({ holes, captured }) => `${holes.at(-1)} ${[...captured].sort((a, b) => a - b)}`;

/** Return the holes by which several chains to one hole differ: for each, the chains that pass it.
 * @param {readonly Chain[]} chains of the same length @returns {Map<number, Chain[]>} */
export function choices(chains) {
  const at = chains[0].holes.findIndex((hole, index) => chains.some(({ holes }) => holes[index] !== hole));
  return grouped(chains, ({ holes }) => holes[at]);
}

/** @param {readonly Chain[]} chains @param {(chain: Chain) => number} holeOf @returns {Map<number, Chain[]>} chains by hole */
function grouped(chains, holeOf) {
  /** @type {Map<number, Chain[]>} */
  const groups = new Map();
  for (const chain of chains) groups.set(holeOf(chain), [...(groups.get(holeOf(chain)) ?? []), chain]);
  return groups;
}
