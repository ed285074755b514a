/**
 * Answers about positions, for the puzzle and the goal of the page: from the table in the page if it has one, else from the
 * server. What the server lets caches keep is kept here, too, and nothing else: the rule is its `Cache-Control`.
 *
 * @typedef {import("./line.js").PositionVerdict} PositionVerdict
 * @typedef {import("./line.js").Step} Step
 *
 * @typedef {object} AnalysisProperties
 * @property {Step[]} steps legal steps
 * @property {number | null} [preparation] progress of a background computation that will decide the position, 0 to 1
 * @property {[number, number] | null} [warming] number of ready puzzles, and of all puzzles, while the server starts up
 * @typedef {PositionVerdict & AnalysisProperties} Analysis a position and its legal steps
 *
 * @typedef {object} HintProperties
 * @property {number[]} move holes of the whole move
 * @property {{ from: number, to: number } | null} step next step of that move; null if no hint is known
 * @property {boolean} proved whether the move begins a shortest solution
 * @typedef {PositionVerdict & HintProperties} Hint
 *
 * @typedef {object} SolutionProperties
 * @property {number[][]} moves moves of the shortest known solution; empty if none is known
 * @property {boolean} proved whether `moves` are proved to be shortest
 * @typedef {PositionVerdict & SolutionProperties} Solution
 *
 * @typedef {{ moves_left: number | null, count: number | null, unique_count: number | null, solutions: number[][][],
 *   counting: number | null, reason: string | null }} SolutionPage `counting`: progress of a running count, 0 to 1;
 *   `reason`: why the solutions are not listed
 */
import { movesText } from "./line.js";
import { goal, puzzle } from "./position.js";

/** Milliseconds to wait for verdicts before the legal steps are requested without them. */
const VERDICT_PATIENCE = 120;
/** Query parameter for texts in the language of the page. */
const LANGUAGE = { lang: document.documentElement.lang };

/** @typedef {{ code: string, why: string }} Fault */

/** Return code and reason of a failed request. Without a response the code is `offline` or `unreachable`.
 * @param {any} error @returns {Fault} */
export function faultOf(error) {
  if (typeof error.code === "string") return { code: error.code, why: error.message };
  return { code: navigator.onLine ? "unreachable" : "offline", why: "" };
}

/** Answers from the table in the page, once it is there. @type {import("../tables/answers.js").Answers | null} */
let own = null;

/** Answer from a table in the page from now on. @param {import("../tables/answers.js").Answers} table */
export const useTable = (table) => (own = table);

/** Return the answer about a position from the table in the page, or null if it has none.
 * @template Answer @param {string} position @param {(table: import("../tables/answers.js").Answers) => Answer} ask */
const fromTable = (position, ask) => (own?.knows(position) ? Promise.resolve(ask(own)) : null);

/** @type {Map<string, Promise<any>>} */
const answers = new Map();

/** Keep an analysis that came with the page, which the server lets caches keep. @param {Analysis} known */
export const store = (known) => answers.set(positionPath(known.position), Promise.resolve(known));

/** @param {string} position @returns {Promise<Analysis>} */
export const analysis = (position) =>
  fromTable(position, (table) => table.analysis(position)) ?? request(positionPath(position));

/** Return a position with its legal steps; without verdicts if the verdicts take longer than `VERDICT_PATIENCE`.
 * @param {string} position @returns {Promise<Analysis>} */
export function steps(position) {
  const whole = analysis(position);
  let isThere = false;
  whole.then(
    () => (isThere = true),
    () => (isThere = true),
  );
  const quick = new Promise((resolve) => setTimeout(resolve, VERDICT_PATIENCE)).then(() =>
    isThere ? whole : request(`${positionPath(position)}&verdicts=0`),
  );
  return Promise.any([whole, quick]).catch(() => whole);
}

/** @param {string} position @returns {Promise<Hint>} */
export const hint = (position) =>
  fromTable(position, (table) => table.hint(position)) ?? request(positionPath(position, "/hint"));

/** Return why a position is dead. @param {string} position @returns {Promise<import("./reason.js").Reason>} */
export const reason = (position) => request(positionPath(position, "/reason"));

/** Return numbers of the holes that fit the goal. @param {string} position @returns {Promise<import("./slack.js").Slack>} */
export const slack = (position) => request(positionPath(position, "/slack"));

/** Return a shortest solution, or any known solution if none is proved to be shortest.
 * @param {string} position @returns {Promise<Solution>} */
export const solution = (position) =>
  fromTable(position, (table) => table.solution(position)) ?? request(positionPath(position, "/solution"));

/** Return the number of shortest solutions and one page of them. @param {string} position
 * @param {{ offset: number, limit: number, unique: boolean }} page
 * @returns {Promise<SolutionPage>} */
export function solutions(position, { offset, limit, unique }) {
  const known = fromTable(position, (table) => table.solutions(position, { offset, limit, unique }));
  if (known) return known;
  const page = new URLSearchParams({
    offset: String(offset),
    limit: String(limit),
    unique: String(Number(unique)),
  });
  return request(`${positionPath(position, "/solutions")}&${page}`);
}

/** Return the steps of moves from a position, with the verdict after each step.
 * @param {string} position @param {number[][]} moves @returns {Promise<{ start: PositionVerdict, steps: Step[] }>} */
export const line = (position, moves) =>
  fromTable(position, (table) => table.line(position, moves)) ??
  request(linePath("line", { start: position, line: movesText(moves) }));

/** Return the number of a line among all shortest solutions, from 1, that of its kind up to symmetry, and the number of
 * kinds; null if it is not one of them, or not known. `counting`: progress of the count after which they are known, 0 to 1.
 * @param {string} start @param {string} line its text
 * @returns {Promise<{ number: number | null, kind: number | null, kinds: number | null, counting: number | null }>} */
export const number = (start, line) => request(linePath("number", { start, line }));

/** @param {string} what @param {Record<string, string>} values */
const linePath = (what, values) =>
  `/api/puzzles/${puzzle.id}/${what}?${new URLSearchParams({ ...values, goal, ...LANGUAGE })}`;

/** @param {string} position @param {string} [what] */
function positionPath(position, what = "") {
  const place = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}${what}`;
  return `${place}?${new URLSearchParams({ goal, ...LANGUAGE })}`;
}

/** Return a kept answer, or send a request; one that is under way is not sent again. @param {string} path
 * @returns {Promise<any>} */
function request(path) {
  const kept = answers.get(path);
  if (kept) return kept;
  const asked = fetchAnswer(path);
  const answer = asked.then(({ value }) => value);
  const drop = () => answers.delete(path);
  answers.set(path, answer);
  asked.then(({ mayBeKept }) => mayBeKept || drop(), drop);
  return answer;
}

/** Fetch a JSON document; throw an error with its code for an error of the program. Another error, such as one of a proxy
 * in front of it, has no code, as if there were no response (see `faultOf`). @param {string} path */
export const fetchJson = async (path) => (await fetchAnswer(path)).value;

/** Fetch a JSON document as `fetchJson` does. Return it, and whether caches may keep it. @param {string} path
 * @returns {Promise<{ value: any, mayBeKept: boolean }>} */
async function fetchAnswer(path) {
  const response = await fetch(path, { headers: { Accept: "application/json" } });
  const value = await response.json();
  if (response.ok)
    return { value, mayBeKept: /\bpublic\b/.test(response.headers.get("Cache-Control") ?? "") };
  if (!value.error) throw new Error(`${path}: ${response.status}`);
  throw Object.assign(new Error(value.error.message), { code: value.error.code });
}
