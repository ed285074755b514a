/**
 * The published results, run again one after another, each beside what was published.
 *
 * @typedef {{ puzzle: string, start: string, goal: string, method: string, first_move: [number, number] | null,
 *   moves: number | null, count: number | null, unsolvable: boolean, solvable: boolean, lowest: number, nodes: number[],
 *   total: number | null, mended: number[], farthest: number | null, slow: boolean }} Classic
 * @typedef {{ moves: number | null, count: number | null, nodes: number[], seconds: number }} Outcome
 */
import "./settings.js";
import { fetched } from "./api.js";
import { connected } from "./connection.js";
import { duration } from "./measures.js";
import { button, element, enableKeys, find, pageData, write } from "./page.js";
import { Search } from "./solver.js";
import { Words } from "./words.js";

const { language, words: entries, classics } = pageData();
const words = new Words(language, entries);

/** @param {Classic} classic @returns {Promise<Outcome>} */
async function outcome(classic) {
  return classic.farthest === null ? searched(classic) : farthest(classic);
}

/** @param {Classic} classic @returns {Promise<Outcome>} */
async function farthest({ puzzle, goal }) {
  const began = performance.now();
  const { counts } = await fetched(`/api/puzzles/${encodeURIComponent(puzzle)}/distribution?${new URLSearchParams({ goal })}`);
  return { moves: counts.length - 1, count: null, nodes: [], seconds: (performance.now() - began) / 1000 };
}

/** @param {Classic} classic @returns {Promise<Outcome>} */
async function searched({ puzzle, start, goal, method, first_move, count, lowest }) {
  const wanted = /** @type {"first" | "all"} */ (count === null ? "first" : "all");
  const request = { puzzle, position: start, goal, method, find: wanted, ...(first_move ? { first_move } : {}) };
  /** @type {number[]} */
  const nodes = [];
  let seconds = 0;
  for await (const event of new Search(connected(), request).events()) {
    if (event.type === "unsolvable") return { moves: null, count: 0, nodes, seconds: event.seconds };
    if (event.type === "failed") throw new Error(event.error.message);
    if (event.type === "stopped") throw new Error(event.reason);
    if (event.type !== "exhausted" && event.type !== "solved") continue;
    seconds += event.seconds;
    if (event.limit >= lowest) nodes.push(event.nodes);
    if (event.type === "solved") return { moves: event.limit, count: event.count, nodes, seconds };
  }
  throw new Error("");
}

/** @param {number[]} nodes */
const sum = (nodes) => nodes.reduce((all, one) => all + one, 0);

/** The twin of `agrees` in server/classics.py. @param {Classic} classic @param {Outcome} outcome */
function agrees(classic, { moves, count, nodes }) {
  if (classic.solvable || classic.unsolvable) return (moves === null) === classic.unsolvable;
  const expected = classic.mended.length ? classic.mended : classic.nodes;
  return moves === (classic.farthest ?? classic.moves) && (count === null || count === classic.count)
    && (!expected.length || expected.join() === nodes.join()) && (classic.total === null || classic.total === sum(nodes));
}

/** In the form of what was published. @param {Classic} classic @param {Outcome} outcome */
function text(classic, { moves, count }) {
  if (classic.solvable || classic.unsolvable) return words.say(moves === null ? "classics.none" : "classics.some");
  if (classic.farthest !== null) return `≤${moves}`;
  return classic.count === null ? `${moves}` : `${moves} ×${count}`;
}

/** @param {Classic} classic @param {number} index @returns {Promise<boolean>} */
async function show(classic, index) {
  const row = element(`[data-classic="${index}"]`);
  const put = (/** @type {string} */ name, /** @type {string} */ said) => write(find(`[data-out="${name}"]`, HTMLElement, row), said);
  put("mark", "…");
  try {
    const found = await outcome(classic);
    const same = agrees(classic, found);
    put("moves", text(classic, found));
    put("nodes", classic.nodes.length || classic.total !== null ? words.number.format(sum(found.nodes)) : "");
    put("time", duration(found.seconds, words));
    put("mark", words.say(same ? "classics.agrees" : "classics.differs"));
    row.dataset.state = same ? "agrees" : "differs";
    return same;
  } catch (error) {
    put("mark", words.say("failed.other", { why: String(error) }));
    return false;
  }
}

for (const key of document.querySelectorAll("[data-run]")) {
  key.addEventListener("click", async () => {
    const index = Number(key.closest("[data-classic]")?.getAttribute("data-classic"));
    await show(classics[index], index);
  });
}

button("run-all").addEventListener("click", async () => {
  const slow = find("#slow", HTMLInputElement).checked;
  const wanted = /** @type {Classic[]} */ (classics).map((classic, index) => ({ classic, index })).filter(({ classic }) => slow || !classic.slow);
  button("run-all").disabled = true;
  let agreed = 0;
  for (const { classic, index } of wanted) agreed += (await show(classic, index)) ? 1 : 0;
  button("run-all").disabled = false;
  write(element('[role="status"]'), words.say("classics.done", { agreed, all: wanted.length }));
});
enableKeys();
