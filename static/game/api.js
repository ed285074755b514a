/**
 * Questions to the server about positions; answers are kept, for they never change, unless they say that it is not known yet.
 *
 * @typedef {import("./line.js").PositionVerdict} PositionVerdict
 * @typedef {import("./line.js").Step} Step
 * @typedef {PositionVerdict & { steps: Step[], preparation?: number | null, warming?: [number, number] | null }} Analysis a position and its legal steps;
 *   `preparation`: how far the server is with work that will answer for it, 0 to 1;
 *   `warming`: it has just started, and so many of so many puzzles are ready
 * @typedef {PositionVerdict & { move: number[], step: { from: number, to: number } | null, proved: boolean, found?: number }} Hint `found`: moves of the
 *   way it begins, where that is not proved to be shortest
 * @typedef {PositionVerdict & { moves: number[][], found: number[][] }} Solution `found`: some way where no shortest one is known
 * @typedef {{ moves_left: number | null, count: number | null, unique_count: number | null, solutions: number[][][] }} SolutionPage
 */

/** Milliseconds that a player who has pressed waits for verdicts. */
const VERDICT_PATIENCE = 120;

/** @typedef {{ code: string, why: string }} Fault */

/** An answer that says no. `code` is the server's. */
export class ApiError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** Why there is no answer. @param {unknown} error @returns {Fault} */
export function faultOf(error) {
  if (error instanceof ApiError) return { code: error.code, why: error.message };
  return { code: navigator.onLine ? "unreachable" : "offline", why: "" };
}

export class Api {
  /** @type {Map<string, Promise<any>>} */
  #answers = new Map();

  /** @param {string} puzzle its id @param {string} goal */
  constructor(puzzle, goal) {
    this.puzzle = encodeURIComponent(puzzle);
    this.goal = goal;
    const { lang } = document.documentElement;
    /** @type {Record<string, string>} what is asked for beside the rest: refusals in the language of the page */
    this.language = lang === "en" ? {} : { lang };
  }

  /** @param {Analysis} graded an answer that came with the page */
  store(graded) {
    if (isFinal(graded)) this.#answers.set(this.#positionPath(graded.position), Promise.resolve(graded));
  }

  /** @param {string} position @returns {Promise<Analysis>} */
  position(position) {
    return this.#request(this.#positionPath(position));
  }

  /** The legal steps; where verdicts keep them waiting, without those: who plays must not wait for a judge.
   * @param {string} position @returns {Promise<Analysis>} */
  steps(position) {
    const whole = this.position(position);
    let isThere = false;
    whole.then(() => (isThere = true), () => (isThere = true));
    const quick = new Promise((resolve) => setTimeout(resolve, VERDICT_PATIENCE)).then(() => (isThere ? whole : this.#request(`${this.#positionPath(position)}&verdicts=0`)));
    return Promise.any([whole, quick]).catch(() => whole);
  }

  /** @param {string} position @returns {Promise<Hint>} */
  hint(position) {
    return this.#request(this.#positionPath(position, "/hint"));
  }

  /** A shortest solution, or some way where none is proved. @param {string} position @returns {Promise<Solution>} */
  solution(position) {
    return this.#request(`${this.#positionPath(position, "/solution")}&found=1`);
  }

  /** How many shortest solutions there are, and some of them. @param {string} position
   * @param {{ offset: number, limit: number, unique: boolean }} page
   * @returns {Promise<SolutionPage>} */
  solutions(position, { offset, limit, unique }) {
    const page = new URLSearchParams({ offset: String(offset), limit: String(limit), unique: String(Number(unique)) });
    return this.#request(`${this.#positionPath(position, "/solutions")}&${page}`);
  }

  /** Moves as graded steps. @param {string} position @param {number[][]} moves
   * @returns {Promise<{ start: PositionVerdict, steps: Step[] }>} */
  line(position, moves) {
    const line = moves.map((move) => move.join("-")).join(".");
    return this.#request(this.#linePath("line", { start: position, line }));
  }

  /** Which of all shortest solutions a line is. @param {string} start @param {string} line its text
   * @returns {Promise<{ number: number | null }>} */
  number(start, line) {
    return this.#request(this.#linePath("number", { start, line }));
  }

  /** @param {string} what @param {Record<string, string>} values */
  #linePath(what, values) {
    return `/api/puzzles/${this.puzzle}/${what}?${new URLSearchParams({ ...values, goal: this.goal, ...this.language })}`;
  }

  /** @param {string} position @param {string} [what] */
  #positionPath(position, what = "") {
    const place = `/api/puzzles/${this.puzzle}/positions/${encodeURIComponent(position)}${what}`;
    return `${place}?${new URLSearchParams({ goal: this.goal, ...this.language })}`;
  }

  /** @param {string} path @returns {Promise<any>} */
  #request(path) {
    const kept = this.#answers.get(path) ?? fetchJson(path);
    this.#answers.set(path, kept);
    const drop = () => this.#answers.delete(path);
    kept.then((answer) => isFinal(answer) || drop(), drop);
    return kept;
  }
}

/** Whether all verdicts of an answer are decided, and all it counts is. @param {{ verdict?: string, steps?: Step[], count?: number | null, warming?: [number, number] | null }} answer */
const isFinal = ({ verdict, steps = [], count, warming = null }) => !warming && verdict !== "unknown" && count !== null && steps.every((step) => step.verdict !== "unknown");

/** @param {string} path */
export async function fetchJson(path) {
  const response = await fetch(path, { headers: { Accept: "application/json" } });
  const answer = await response.json();
  if (!response.ok) throw new ApiError(answer.error?.code ?? "failed", answer.error?.message ?? response.statusText);
  return answer;
}
