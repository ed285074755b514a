/**
 * The kinds of shortest solutions that a player has found. Two solutions are of one kind if a symmetry of the board that
 * keeps start and goal maps one to the other; the server numbers the kinds. This module is pure.
 *
 * @typedef {import("../ui/stored_kinds.js").FoundKinds} Found
 */

/** Return what is found after one more solution. A count of kinds that has changed starts over, because the numbers have
 * another meaning then. @param {Found | null} found @param {number} kind @param {number} of @returns {Found} */
export function withKind(found, kind, of) {
  const known = found && found.of === of ? found.kinds : [];
  return { of, kinds: [...new Set([...known, kind])].sort((a, b) => a - b) };
}
