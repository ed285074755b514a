/**
 * All shortest solutions of a position, as the graph of the positions on them. Solutions are listed in the order of the
 * server; up to symmetry, of each set of solutions that symmetries turn into each other the first one counts.
 *
 * @typedef {import("./family.js").Position} Position
 * @typedef {import("./family.js").Step} Step
 * @typedef {object} Place a position on a shortest solution
 * @property {{ step: Step, next: Place }[]} ways steps that begin a shortest solution, in order
 * @property {number} count number of shortest solutions from here
 */

/** Return the place of a position; its count is 0 if the goal cannot be reached.
 * @param {import("./table.js").Table} table @param {string} goal @param {Position} start @returns {Place} */
export function solutionGraph(table, goal, start) {
  /** @type {Map<string, Place>} */
  const places = new Map();
  /** @param {Position} position @returns {Place} */
  function placeOf(position) {
    const key = `${position.state}:${position.active}`;
    const known = places.get(key);
    if (known) return known;
    const steps = table.bestSteps(goal, position);
    const ways = steps.map((step) => ({ step, next: placeOf(step.after) }));
    const ends = Number(table.isSolved(goal, position));
    const place = { ways, count: ways.reduce((sum, { next }) => sum + next.count, ends) };
    places.set(key, place);
    return place;
  }
  return placeOf(start);
}

/** Return the number of solutions up to the symmetries that keep position and goal; [] counts all.
 * @param {Place} place @param {readonly (readonly number[])[]} symmetries the identity among them @returns {number} */
export function countSolutions(place, symmetries) {
  if (symmetries.length <= 1 || !place.ways.length) return place.count;
  return leastWays(place, symmetries).reduce((sum, { next, kept }) => sum + countSolutions(next, kept), 0);
}

/** Return up to `limit` solutions without the first `offset` ones. @param {Place} place
 * @param {readonly (readonly number[])[]} symmetries @param {number} offset @param {number} limit @returns {Step[][]} */
export function listSolutions(place, symmetries, offset, limit) {
  if (limit <= 0 || offset >= countSolutions(place, symmetries)) return [];
  if (!place.ways.length) return [[]];
  /** @type {Step[][]} */
  const found = [];
  let skipped = offset;
  for (const { step, next, kept } of leastWays(place, symmetries)) {
    const rest = listSolutions(next, kept, skipped, limit - found.length);
    found.push(...rest.map((steps) => [step, ...steps]));
    skipped = Math.max(0, skipped - countSolutions(next, kept));
  }
  return found;
}

/** Return each step without an image before it, the place after it, and the symmetries that keep it.
 * @param {Place} place @param {readonly (readonly number[])[]} symmetries */
function leastWays(place, symmetries) {
  return place.ways.flatMap(({ step, next }) => {
    const images = symmetries.map((image) => ({ image, from: image[step.from], to: image[step.to] }));
    const isLeast = images.every(({ from, to }) => step.from < from || (step.from === from && step.to <= to));
    const same = images.filter(({ from, to }) => from === step.from && to === step.to);
    return isLeast ? [{ step, next, kept: same.map(({ image }) => image) }] : [];
  });
}

/** Return the number, from 1, of a line of steps among all solutions, or null if it is none of them.
 * @param {Place} place @param {readonly (readonly [number, number])[]} line [from, to] of each step @returns {number | null} */
export function numberOf(place, line) {
  let [here, before] = [place, 0];
  for (const [from, to] of line) {
    const at = here.ways.findIndex(({ step }) => step.from === from && step.to === to);
    if (at < 0) return null;
    for (const { next } of here.ways.slice(0, at)) before += next.count;
    here = here.ways[at].next;
  }
  return here.count && !here.ways.length ? before + 1 : null;
}
