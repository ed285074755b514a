/**
 * A run inside a link: behind the #, so that it never reaches a server.
 *
 * @typedef {import("./contestant.js").Lane} Lane
 * @typedef {import("./contestant.js").Row} Row
 * @typedef {import("./contestant.js").Ending} Ending
 * @typedef {{ method: string, rows: Row[], ending: Ending | null }} Run
 */

const NAME = "run";
const ENDINGS = ["solved", "unsolvable", "stopped"];
const LONGEST = 20_000;

/** @param {Lane[]} lanes */
export function fragment(lanes) {
  const runs = lanes.map(({ about, list, ending }) => [
    about.method,
    list.filter((row) => row.state !== "searching").map((row) => [row.limit, row.nodes, row.cut, Number(row.seconds.toFixed(4)), Number(row.whole)]),
    ending && ENDINGS.includes(ending.type) ? [ENDINGS.indexOf(ending.type), "limit" in ending ? ending.limit : 0] : null,
  ]);
  return runs.some(([, rows]) => rows?.length) ? `#${NAME}=${encodeURIComponent(JSON.stringify(runs))}` : "";
}

/** The runs that a link carries; none where it is not understood. @param {string} hash @returns {Run[]} */
export function runsIn(hash) {
  if (!hash.startsWith(`#${NAME}=`) || hash.length > LONGEST) return [];
  try {
    return JSON.parse(decodeURIComponent(hash.slice(NAME.length + 2))).map(runOf);
  } catch {
    return [];
  }
}

/** @param {any[]} run @returns {Run} */
function runOf([method, rows, end]) {
  const total = rows.reduce((/** @type {number} */ sum, /** @type {any[]} */ [, nodes]) => sum + counted(nodes), 0);
  const ending = end && endingOf(end.map(counted), total);
  const last = rows.length - 1;
  return {
    method: String(method),
    rows: rows.map((/** @type {any[]} */ [limit, nodes, cut, seconds, whole], /** @type {number} */ index) => ({
      limit: counted(limit), nodes: counted(nodes), cut: cut === null ? null : counted(cut), seconds: counted(seconds),
      whole: whole === 1, state: index === last && ending?.type === "solved" ? "solved" : "exhausted",
    })),
    ending,
  };
}

/** @param {number[]} end @param {number} total_nodes @returns {Ending} */
function endingOf([type, limit], total_nodes) {
  const known = { limit, nodes: 0, seconds: 0, total_nodes };
  if (ENDINGS[type] === "solved") return { ...known, type: "solved", moves: [], count: null };
  return ENDINGS[type] === "unsolvable" ? { ...known, type: "unsolvable", reason: "other" } : { ...known, type: "stopped", reason: "asked" };
}

/** @param {any} number */
function counted(number) {
  if (!Number.isFinite(number) || number < 0) throw new TypeError(`${number} is no count`);
  return number;
}
