/** The sentence about an event of a trace. */
import { goal, puzzle } from "../game/position.js";
import * as texts from "../ui/i18n.js";

/** @typedef {import("./trace_pages.js").Visit} Visit */

/** Return the sentence about an event. @param {Visit} visit @param {boolean} isProved whether bounds are proofs */
export function sentenceOf({ kind, depth, from, to, spent, bound, limit, marks, position }, isProved) {
  const ownKey = `trace.${kind}`;
  const rootKey = ownKey + (kind === "pagoda" && !marks.length ? ".each" : ".root");
  const key = depth === 0 && texts.has(rootKey) ? rootKey : ownKey;
  const holes = marks.flatMap(([, ...holes]) => holes);
  const pegs = holes.filter((hole) => position[hole] !== puzzle.alphabet[0]);
  const weight = marks.reduce((sum, [number, hole]) => sum + (pegs.includes(hole) ? number : 0), 0);
  const end = marks.find(([, hole]) => hole === Number(goal))?.[0] ?? 0;
  const values = { from, to, depth, spent, bound, limit, least: spent + bound, n: pegs.length, weight, end };
  const why =
    kind === "bound" && marks.length
      ? texts.get("sentence.gap") + texts.get("trace.marks", { n: bound })
      : "";
  return texts.get(worded(key, isProved), values) + why;
}

/** Return the key of a text, or of its form for a bound that proves nothing. @param {string} key
 * @param {boolean} isProved */
export const worded = (key, isProved) =>
  !isProved && texts.has(`${key}.unproved`) ? `${key}.unproved` : key;
