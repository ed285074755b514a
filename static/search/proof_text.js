/**
 * The proof of a search as a text: one sentence for each limit, for people who do not see the bars. This module does not use
 * the page.
 *
 * @typedef {import("./rows.js").Row} Row
 * @typedef {import("../speech/sentences.js").Texts} Texts
 */
import { cutShare, isEasy } from "./rows.js";

/** Return the sentences of some rows, in the order of their limits. @param {readonly Row[]} rows @param {Pick<Texts, "get">} texts */
export function proofSentences(rows, { get }) {
  const hard = rows.findIndex((row) => !isEasy(row));
  const easy = rows.slice(0, hard < 0 ? rows.length : hard);
  const [first, last] = [easy[0], easy[easy.length - 1]];
  const head = easy.length > 1 ? [get("proof.easy", { first: first.limit, n: last.limit })] : [];
  return [...head, ...rows.slice(head.length && easy.length).map((row) => sentenceOf(row, get))];
}

/** @param {Row} row @param {Texts["get"]} get */
function sentenceOf(row, get) {
  const { limit, nodes, state, memory } = row;
  const kind = memory === undefined ? "limit" : "level";
  const cut = memory === undefined && state === "exhausted" && nodes > 1 ? cutShare(row) : "";
  const text = get(`proof.${kind}.${state}`, { n: nodes, limit });
  return cut ? text + get("sentence.gap") + get("proof.cut", { cut: cut.replace(" ", "\u00a0") }) : text;
}

/** Return the sentence of a film about a limit that is ruled out. @param {{ limit: number, nodes: number }} row
 * @param {Pick<Texts, "get">} texts */
export const ruledOut = ({ limit, nodes }, { get }) =>
  get(nodes > 1 ? "film.none" : "film.easy", { n: limit, nodes });
