/**
 * Answers about positions from a complete table, with the fields of the server's answers (see docs/api.md): the same for
 * every position. A text that is not exactly as the server writes positions has no answer here.
 *
 * @typedef {import("./family.js").Position} Position
 * @typedef {import("./family.js").Step} Step
 * @typedef {{ verdict: "solved" | "live" | "dead", moves_left: number | null }} Verdict
 */
import { countSolutions, listSolutions, numberOf, solutionGraph } from "./solutions.js";

export { Table } from "./table.js"; // one file for the page, which loads it later

/** Most solutions in one answer. */
const MAX_SOLUTIONS = 100;

/** Answers for one goal. */
export class Answers {
  /** @param {import("./table.js").Table} table @param {string} goal */
  constructor(table, goal) {
    this.table = table;
    this.goal = goal;
  }

  /** Return whether there are answers about a position. @param {string} position */
  knows(position) {
    return this.table.parse(position) !== null;
  }

  /** Return the verdict on a position and on each step. @param {string} position */
  analysis(position) {
    const here = this.#read(position);
    const steps = this.table.family.steps(here).map((step) => this.#graded(step));
    return { position, ...this.#verdict(here), preparation: null, warming: null, steps };
  }

  /** @param {string} position */
  hint(position) {
    const { moves, ...verdict } = this.solution(position);
    const move = moves[0] ?? [];
    return { ...verdict, move, step: move.length ? { from: move[0], to: move[1] } : null };
  }

  /** Return the verdict on a position and the moves of a shortest solution. @param {string} position */
  solution(position) {
    const here = this.#read(position);
    /** @type {Step[]} */
    const steps = [];
    for (let step; (step = this.table.bestSteps(this.goal, steps.at(-1)?.after ?? here)[0]);)
      steps.push(step);
    return { ...this.#verdict(here), moves: inMoves(steps), proved: true };
  }

  /** Return the numbers of shortest solutions, in all and up to symmetry, and a page of them.
   * @param {string} position @param {{ offset: number, limit: number, unique: boolean }} page */
  solutions(position, { offset, limit, unique }) {
    const here = this.#read(position);
    const graph = solutionGraph(this.table, this.goal, here);
    const symmetries = this.table.symmetriesOf(this.goal).filter((image) => this.#keeps(image, position));
    const listed = listSolutions(graph, unique ? symmetries : [], offset, Math.min(limit, MAX_SOLUTIONS));
    return {
      moves_left: this.table.movesLeft(this.goal, here),
      count: countSolutions(graph, []),
      unique_count: countSolutions(graph, symmetries),
      solutions: listed.map(inMoves),
      counting: null,
      reason: null,
    };
  }

  /** Return a line of play, graded step by step; null if it is not one. @param {string} start
   * @param {readonly number[][]} moves holes that each move visits */
  line(start, moves) {
    const steps = this.#stepsAlong(start, moves);
    const begin = this.#read(start);
    return (
      steps && {
        start: { position: start, ...this.#verdict(begin) },
        steps: steps.map((step) => this.#graded(step)),
      }
    );
  }

  /** Return the number of a line among all shortest solutions, from 1; null if it is none of them.
   * @param {string} start @param {readonly number[][]} moves @returns {{ number: number | null }} */
  number(start, moves) {
    const graph = solutionGraph(this.table, this.goal, this.#read(start));
    return { number: numberOf(graph, moves.flatMap(pairs)) };
  }

  /** @param {string} start @param {readonly number[][]} moves @returns {Step[] | null} */
  #stepsAlong(start, moves) {
    /** @type {Step[]} */
    const made = [];
    for (const [from, to] of moves.flatMap(pairs)) {
      const steps = this.table.family.steps(made.at(-1)?.after ?? this.#read(start));
      const step = steps.find((step) => step.from === from && step.to === to);
      if (!step) return null;
      made.push(step);
    }
    return made;
  }

  /** @param {string} position @returns {Position} */
  #read(position) {
    const read = this.table.parse(position);
    if (!read) throw new Error(`${position} is no position of this table`);
    return read;
  }

  /** @param {Step} step */
  #graded({ from, to, cost, after }) {
    return { from, to, position: this.table.format(after), cost, ...this.#verdict(after) };
  }

  /** @param {Position} position @returns {Verdict} */
  #verdict(position) {
    const moves_left = this.table.movesLeft(this.goal, position);
    if (moves_left === null) return { verdict: "dead", moves_left };
    return { verdict: this.table.isSolved(this.goal, position) ? "solved" : "live", moves_left };
  }

  /** Return whether a symmetry of the board leaves a position as it is. @param {readonly number[]} image @param {string} position */
  #keeps(image, position) {
    const [cells, hole = null] = position.split(":");
    const isSame = [...cells].every((cell, place) => cells[image[place]] === cell);
    return isSame && (hole === null || image[Number(hole)] === Number(hole));
  }
}

/** Return [from, to] of each step of a move. @param {readonly number[]} holes @returns {[number, number][]} */
const pairs = (holes) => holes.slice(1).map((to, index) => [holes[index], to]);

/** Group steps into moves: the holes that each visits. @param {readonly Step[]} steps */
function inMoves(steps) {
  /** @type {number[][]} */
  const moves = [];
  for (const { from, to, cost } of steps) {
    const last = moves.at(-1);
    if (cost === 0 && last?.at(-1) === from) last.push(to);
    else moves.push([from, to]);
  }
  return moves;
}
