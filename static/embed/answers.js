/** Answers about positions: from the table of the board, once it is there, else from the server. */
import { movesText } from "../game/line.js";
import * as server from "./server.js";

/** @typedef {import("../game/own_table.js").TableData} TableData */

export class BoardAnswers {
  /** @type {import("../tables/answers.js").Answers | null} */
  #table = null;
  /** Analyses so far, by position. @type {Map<string, import("../game/api.js").Analysis>} */
  #known = new Map();

  /** @param {string} puzzle @param {string} goal @param {string} lang of sentences @param {AbortSignal} signal ends requests */
  constructor(puzzle, goal, lang, signal) {
    this.folder = `/api/puzzles/${puzzle}`;
    this.values = { goal, lang };
    this.signal = signal;
  }

  /** Build the table of the board, if it has one; without it the server answers. @param {TableData} table */
  async buildTable(table) {
    if (!table) return;
    /** @type {typeof import("../tables/answers.js")} */
    const tables = await import(server.address(table.script));
    this.#table = new tables.Answers(await tables.buildTable(table.rules, this.values.goal, this.signal));
  }

  /** @param {string} position @returns {Promise<import("../game/api.js").Analysis>} */
  async analysis(position) {
    const analysis = this.#known.get(position) ?? (await this.#ask("analysis", position, ""));
    this.#known.set(position, analysis);
    return analysis;
  }

  /** @param {string} position @returns {Promise<import("../game/api.js").Hint>} */
  hint = (position) => this.#ask("hint", position, "/hint");

  /** Return the steps of moves from a position. @param {string} start @param {number[][]} moves
   * @returns {Promise<import("../game/line.js").Step[]>} */
  async steps(start, moves) {
    const own = this.#table?.knows(start) ? this.#table.line(start, moves) : null;
    const values = { ...this.values, start, line: movesText(moves) };
    return (own ?? (await server.json(`${this.folder}/line`, values, this.signal))).steps;
  }

  /** @param {"analysis" | "hint"} what @param {string} position @param {string} path @returns {Promise<any>} */
  async #ask(what, position, path) {
    if (this.#table?.knows(position)) return this.#table[what](position);
    const place = `${this.folder}/positions/${encodeURIComponent(position)}${path}`;
    return server.json(place, this.values, this.signal);
  }
}
