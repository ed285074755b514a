/**
 * A run as a file: what was asked, what was counted, and every row.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/metrics.js").Row} Row
 * @typedef {import("./contestant.js").Ending} Ending
 * @typedef {{ puzzle: string, position: string, goal: string, find: string }} Problem
 * @typedef {{ method: string, rows: Row[], ending: Ending | null }} Run
 */
import { branching, growth } from "../search/metrics.js";

const COLUMNS = ["method", "limit", "nodes", "cut", "seconds", "growth", "branching", "result"];

/** @param {Contestant} lane */
const rowsOf = (lane) => lane.list.filter((row) => row.state !== "searching").map((row) => ({
  method: lane.about.method, limit: row.limit, nodes: row.nodes, cut: row.cut, seconds: row.seconds,
  growth: growth(lane.rows, row), branching: branching(row), result: row.state,
}));

/** @param {Problem} problem @param {Contestant[]} lanes @param {string} counted what a node is, in words @param {string} address */
export function asJson(problem, lanes, counted, address) {
  const { puzzle, position, goal, find } = problem;
  const runs = lanes.map((lane) => ({
    method: lane.about.method, state: lane.state, total_nodes: lane.total, seconds: lane.seconds, ending: lane.ending,
    rows: rowsOf(lane).map(({ method, ...row }) => row),
  }));
  return JSON.stringify({ puzzle, position, goal, find, counted, address, runs }, null, 2);
}

/** @param {Contestant[]} lanes */
export function asCsv(lanes) {
  const lines = lanes.flatMap(rowsOf).map((row) => Object.values(row).map((value) => value ?? "").join(","));
  return [COLUMNS.join(","), ...lines].join("\r\n") + "\r\n";
}

/** Offer a text as a file. @param {string} name @param {string} type @param {string} text */
export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const NAME = "run";
const ENDINGS = ["solved", "unsolvable", "stopped"];
const LONGEST = 20_000;

/** @param {Contestant[]} lanes */
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
