/**
 * The line of pseudo-code in which an event of a search happens. The server writes the code (`search.pseudo_code`).
 *
 * @typedef {[text: string, kinds: string[]]} CodeLine the kinds of events that happen in this line
 */

/** Return the number of the line, from 0, in which an event happens; -1 for a proof without a search.
 * @param {CodeLine[]} code @param {{ kind: string, depth: number }} event */
export function lineOf(code, { kind, depth }) {
  const atRoot = kind === "enter" ? "root" : `root ${kind}`;
  const has = (/** @type {string} */ name) => code.findIndex(([, kinds]) => kinds.includes(name));
  return depth === 0 && has(atRoot) >= 0 ? has(atRoot) : has(kind);
}
