/**
 * Pseudo-code of the searches whose events can be watched, and the line of each kind of event.
 *
 * @typedef {"deepening" | "ida" | "memory" | "breadth"} Algorithm
 * @typedef {{ text: string, kinds: string[] }} CodeLine the kinds of events that happen in this line
 */

const DRIVER = [
  { text: "for limit in 1, 2, 3, …:", kinds: ["root", "end"] },
  { text: "  search(start, 0)", kinds: [] },
  { text: "", kinds: [] },
  { text: "search(position, g):", kinds: ["enter"] },
  { text: "  for each step, to next:", kinds: ["fatal", "back"] },
];
const REST = [
  { text: "    if next is solved: stop", kinds: ["solved"] },
  { text: "    search(next, g + cost)", kinds: [] },
  { text: "  go back", kinds: ["leave"] },
];
const LIMIT = { text: "    if g + cost > limit: prune", kinds: ["limit", "bound"] };
const BOUND = [
  { text: "    f = g + cost + h(next)", kinds: [] },
  { text: "    if f > limit: prune", kinds: ["limit", "bound"] },
];
const TABLE = { text: "    if next in table: prune", kinds: ["seen", "lost"] };

/** @type {Record<Algorithm, CodeLine[]>} */
const CODE = {
  deepening: [...DRIVER, LIMIT, ...REST],
  ida: [...DRIVER, ...BOUND, ...REST],
  memory: [...DRIVER, ...BOUND, REST[0], TABLE, ...REST.slice(1)],
  breadth: [
    { text: "level = found = {start}", kinds: ["root"] },
    { text: "for moves in 1, 2, 3, …:", kinds: [] },
    { text: "  level = next(level) - found", kinds: ["level"] },
    { text: "  found = found + level", kinds: ["kept"] },
    { text: "  if one is solved: stop", kinds: ["solved"] },
  ],
};

/** Return the lines of an algorithm. @param {Algorithm} algorithm @returns {string[]} */
export const linesOf = (algorithm) => CODE[algorithm].map(({ text }) => text);

/** Return the number of the line, from 0, in which an event happens; -1 for a proof without a search.
 * @param {Algorithm} algorithm @param {{ kind: string, depth: number }} event */
export function lineOf(algorithm, { kind, depth }) {
  const found = kind === "enter" && depth === 0 ? "root" : kind;
  return CODE[algorithm].findIndex(({ kinds }) => kinds.includes(found));
}
