/**
 * The results of a search by move limit, and the figures computed from them.
 *
 * @typedef {object} Row result of one move limit
 * @property {number} limit most moves allowed
 * @property {number} nodes nodes visited under this limit alone
 * @property {number} seconds search time under this limit alone
 * @property {number | null} cut nodes pruned by the limit or the bound; null if not counted
 * @property {boolean} whole whether the limit was searched completely
 * @property {import("./search.js").Proof} [known] proof of an answer that was known without a search
 * @property {"searching" | "exhausted" | "solved" | "left"} state "left": the search was stopped inside this limit
 */
/** Return the nodes of a row divided by those of the limit before, or null.
 * @param {Map<number, Row>} rows @param {Row} row */
export function growth(rows, row) {
  const before = rows.get(row.limit - 1);
  return before?.nodes && row.nodes ? row.nodes / before.nodes : null;
}

/** Return the effective branching factor b: a uniform tree of this depth with b children per node has as many nodes below
 * its root, so b + b² + … + b^limit = nodes (Russell and Norvig, after Nilsson).
 * @param {Row} row */
export function branching({ limit, nodes }) {
  if (limit < 1 || nodes < 1) return null;
  let [low, high] = [0, Math.max(2, nodes)];
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (treeSize(middle, limit) < nodes) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** @param {number} factor @param {number} depth */
function treeSize(factor, depth) {
  let [sum, level] = [0, 1];
  for (let at = 0; at < depth; at++) sum += level *= factor;
  return sum;
}

/** Return the share of pruned nodes as text, or "" if it is not known. @param {Row} row */
export const cutShare = ({ cut, nodes }) => (cut === null || !nodes ? "" : `${Math.round((cut * 100) / Math.max(nodes, cut))} %`);

/** Return a duration as text. @param {number} seconds @param {import("../ui/i18n.js").Texts} texts */
export function duration(seconds, texts) {
  if (seconds < 0.001) return "<1 ms";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  return `${texts.number.format(Number(seconds.toFixed(seconds < 10 ? 1 : 0)))} s`;
}
