/**
 * Pseudo-code of the searches whose events can be watched, and the line of each kind of event.
 *
 * @typedef {"deepening" | "ida" | "memory" | "breadth" | "both"} Algorithm
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

const WIDEN = [
  { text: "for moves in 1, 2, 3, …:", kinds: ["level"] },
  { text: "  new = {}", kinds: [] },
  { text: "  for each position of level:", kinds: ["take", "extend"] },
  { text: "    for each step, to next:", kinds: [] },
];

/** @type {Record<Algorithm, CodeLine[]>} */
const CODE = {
  deepening: [...DRIVER, LIMIT, ...REST],
  ida: [...DRIVER, ...BOUND, ...REST],
  memory: [...DRIVER, ...BOUND, REST[0], TABLE, ...REST.slice(1)],
  breadth: [
    { text: "level = found = {start}", kinds: ["first"] },
    ...WIDEN,
    { text: "      if next in found: skip", kinds: ["known"] },
    { text: "      add next to new and found", kinds: ["found", "solved"] },
    { text: "  if one of new is solved: stop", kinds: ["path"] },
    { text: "  level = new", kinds: ["complete"] },
  ],
  both: [
    { text: "ahead = {start}; behind = {goal}", kinds: [] },
    WIDEN[0],
    { text: "  level = smaller of ahead, behind", kinds: ["forward", "backward"] },
    ...WIDEN.slice(1),
    { text: "      if this end has found next: skip", kinds: ["known"] },
    { text: "      add next to new", kinds: ["found", "met"] },
    { text: "  if both ends have one of new: stop", kinds: ["path"] },
    { text: "  ahead or behind = new", kinds: ["complete"] },
  ],
};

/** Return whether the limits of a search are levels, and its nodes positions found. @param {Algorithm} algorithm */
export const hasLevels = (algorithm) => algorithm === "breadth" || algorithm === "both";

/** Return the lines of an algorithm. @param {Algorithm} algorithm @returns {string[]} */
export const linesOf = (algorithm) => CODE[algorithm].map(({ text }) => text);

/** Return the number of the line, from 0, in which an event happens; -1 for a proof without a search.
 * @param {Algorithm} algorithm @param {{ kind: string, depth: number }} event */
export function lineOf(algorithm, { kind, depth }) {
  const found = kind === "enter" && depth === 0 ? "root" : kind;
  return CODE[algorithm].findIndex(({ kinds }) => kinds.includes(found));
}
