/**
 * A run as a file: what was asked, what was counted, and every row.
 *
 * @typedef {import("./contestant.js").Lane} Lane
 * @typedef {{ puzzle: string, position: string, goal: string, find: string }} Problem
 */
import { branching, growth } from "./metrics.js";

const COLUMNS = ["method", "limit", "nodes", "cut", "seconds", "growth", "branching", "result"];

/** @param {Lane} lane */
const rowsOf = (lane) => lane.list.filter((row) => row.state !== "searching").map((row) => ({
  method: lane.about.method, limit: row.limit, nodes: row.nodes, cut: row.cut, seconds: row.seconds,
  growth: growth(lane.rows, row), branching: branching(row), result: row.state,
}));

/** @param {Problem} problem @param {Lane[]} lanes @param {string} counted what a node is, in words @param {string} address */
export function asJson(problem, lanes, counted, address) {
  const { puzzle, position, goal, find } = problem;
  const runs = lanes.map((lane) => ({
    method: lane.about.method, state: lane.state, total_nodes: lane.total, seconds: lane.seconds, ending: lane.ending,
    rows: rowsOf(lane).map(({ method, ...row }) => row),
  }));
  return JSON.stringify({ puzzle, position, goal, find, counted, address, runs }, null, 2);
}

/** @param {Lane[]} lanes */
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
