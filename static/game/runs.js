/**
 * Runs: chains of jumps of one peg, and the holes where they end. Several ways may lead to one hole; only the shortest are
 * ways here, one for each set of captured pegs. This module needs neither the page nor verdicts.
 *
 * @typedef {object} Way
 * @property {number[]} holes holes visited, the first of them included
 * @property {number[]} captured holes of the captured pegs, in order
 *
 * @typedef {{ jumps: readonly (readonly number[])[], glyphs: Record<string, string>, unique: string }} Rules `jumps`: all
 *   jumps of the empty board, each as from, over and to; `unique`: pieces that are never captured
 */

/** Return the ways of a peg to each hole that it reaches with two jumps or more, but not with one, by hole.
 * @param {Rules} rules @param {string} cells @param {number} from @returns {Map<number, Way[]>} */
export function runsOf({ jumps, glyphs, unique }, cells, from) {
  /** @type {Map<number, Way[]>} */
  const ends = new Map();
  const canJump = (/** @type {Way} */ { captured }, /** @type {number} */ over, /** @type {number} */ to) =>
    cells[over] in glyphs &&
    !unique.includes(cells[over]) &&
    over !== from &&
    !captured.includes(over) &&
    (!(cells[to] in glyphs) || to === from || captured.includes(to));
  for (let ways = [{ holes: [from], captured: /** @type {number[]} */ ([]) }]; ways.length;) {
    const longer = ways.flatMap((way) =>
      jumps
        .filter(([start, over, to]) => start === way.holes.at(-1) && canJump(way, over, to))
        .map(([, over, to]) => ({ holes: [...way.holes, to], captured: [...way.captured, over] })),
    );
    ways = [...new Map(longer.map((way) => [outcome(way), way])).values()];
    for (const [hole, own] of grouped(ways, ({ holes }) => holes[holes.length - 1]))
      if (!ends.has(hole) && hole !== from) ends.set(hole, own);
  }
  for (const [hole, [{ captured }]] of ends) if (captured.length < 2) ends.delete(hole);
  return ends;
}

/** Return a text that is equal for ways that lead to the same position. @param {Way} way */
const outcome = ({ holes, captured }) => `${holes.at(-1)} ${[...captured].sort((a, b) => a - b)}`;

/** Return the holes by which several ways to one hole differ: for each, the ways that pass it.
 * @param {readonly Way[]} ways of the same length @returns {Map<number, Way[]>} */
export function choices(ways) {
  const at = ways[0].holes.findIndex((hole, index) => ways.some(({ holes }) => holes[index] !== hole));
  return grouped(ways, ({ holes }) => holes[at]);
}

/** @param {readonly Way[]} ways @param {(way: Way) => number} holeOf @returns {Map<number, Way[]>} ways by hole */
function grouped(ways, holeOf) {
  /** @type {Map<number, Way[]>} */
  const groups = new Map();
  for (const way of ways) groups.set(holeOf(way), [...(groups.get(holeOf(way)) ?? []), way]);
  return groups;
}
