/**
 * A run as a file or inside a link. The link holds the run behind the #, so it is never sent to a server.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/rows.js").Row} Row
 * @typedef {import("./contestant.js").Ending} Ending
 * @typedef {{ puzzle: string, position: string, goal: string, find: string }} Problem
 * @typedef {{ method: string, rows: Row[], ending: Ending | null }} Run
 */
import { branching } from "../search/rows.js";
import * as texts from "../ui/i18n.js";

const COLUMNS = ["method", "limit", "nodes", "cut", "seconds", "growth", "branching", "result"];

/** @param {Contestant} contestant */
const rowsOf = (contestant) =>
  contestant.rows.finished.map((row) => ({
    method: contestant.about.method,
    limit: row.limit,
    nodes: row.nodes,
    cut: row.cut,
    seconds: row.seconds,
    growth: contestant.rows.growth(row),
    branching: branching(row),
    result: contestant.resultOf(row),
  }));

/** Return the event that ended a search. A link does not hold its "proved". @param {Contestant} contestant */
const endingOfRun = ({ about, ending }) => (about.proves || !ending ? ending : { ...ending, proved: false });

/** Return a run as JSON.
 * @param {Problem} problem @param {Contestant[]} contestants @param {string} address */
export function asJson(problem, contestants, address) {
  const runs = contestants.map((contestant) => ({
    method: contestant.about.method,
    counted: contestant.about.node,
    state: contestant.state,
    proved: contestant.hasProof,
    total_nodes: contestant.finishedNodes,
    seconds: contestant.rows.seconds,
    ending: endingOfRun(contestant),
    rows: rowsOf(contestant).map(({ method, ...row }) => row),
  }));
  return JSON.stringify({ ...problem, legend: texts.get("export.legend"), address, runs }, null, 2);
}

/** Return a run as CSV, one line per row. @param {Contestant[]} contestants */
export function asCsv(contestants) {
  const lines = contestants.flatMap(rowsOf).map((row) =>
    Object.values(row)
      .map((value) => value ?? "")
      .join(","),
  );
  return [COLUMNS.join(","), ...lines].join("\r\n") + "\r\n";
}

/** Name of the run in the fragment of a link. */
const NAME = "run";
/** Endings that a link can hold, each by its index. */
const ENDINGS = ["solved", "unsolvable", "stopped"];
const MAX_FRAGMENT_LENGTH = 20_000;

/** Return the part of a link that holds a run, or "" if there are no rows. @param {Contestant[]} contestants */
export function runFragment(contestants) {
  const runs = contestants.map(({ about, rows, ending }) => [
    about.method,
    rows.finished.map((row) => [
      row.limit,
      row.nodes,
      row.cut,
      Number(row.seconds.toFixed(4)),
      Number(row.whole),
    ]),
    ending && ENDINGS.includes(ending.type)
      ? [ENDINGS.indexOf(ending.type), "limit" in ending ? ending.limit : 0]
      : null,
  ]);
  return runs.some(([, rows]) => rows?.length) ? `#${NAME}=${encodeURIComponent(JSON.stringify(runs))}` : "";
}

/** Return the runs in a link, or none if it is invalid. @param {string} hash @returns {Run[]} */
export function runsFromFragment(hash) {
  if (!hash.startsWith(`#${NAME}=`) || hash.length > MAX_FRAGMENT_LENGTH) return [];
  try {
    return JSON.parse(decodeURIComponent(hash.slice(NAME.length + 2))).map(runOf);
  } catch {
    return [];
  }
}

/** @param {any[]} run @returns {Run} */
function runOf([method, rows, end]) {
  const total = rows.reduce(
    (/** @type {number} */ sum, /** @type {any[]} */ [, nodes]) => sum + checkedNumber(nodes),
    0,
  );
  const ending = end && endingOf(checkedNumber(end[0]), checkedNumber(end[1], -1), total);
  const last = rows.length - 1;
  return {
    method: String(method),
    rows: rows.map(
      (/** @type {any[]} */ [limit, nodes, cut, seconds, whole], /** @type {number} */ index) => ({
        limit: checkedNumber(limit),
        nodes: checkedNumber(nodes),
        cut: cut === null ? null : checkedNumber(cut),
        seconds: checkedNumber(seconds),
        whole: whole === 1,
        state: index === last && ending?.type === "solved" ? "solved" : "exhausted",
      }),
    ),
    ending,
  };
}

/** @param {number} type @param {number} limit @param {number} total_nodes @returns {Ending} */
function endingOf(type, limit, total_nodes) {
  const known = { limit, nodes: 0, seconds: 0, total_nodes };
  if (ENDINGS[type] === "solved") return { ...known, type: "solved", moves: [], count: null };
  return ENDINGS[type] === "unsolvable"
    ? { ...known, type: "unsolvable", reason: "other" }
    : { ...known, type: "stopped", reason: "asked" };
}

/** @param {any} number @param {number} [least] */
function checkedNumber(number, least = 0) {
  if (!Number.isFinite(number) || number < least) throw new TypeError(`${number} is no count`);
  return number;
}
