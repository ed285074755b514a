/** A lower bound by holes that the reader chooses, such as a region or a pattern; the engine computes it. */
import { faultOf, fetchJson } from "../game/api.js";
import { cellsOf } from "../game/cells.js";
import { goal, isEmpty, puzzle } from "../game/position.js";
import { pageData } from "../ui/dom.js";
import { say, sayFault } from "./frame.js";

/** @typedef {{ bound: number, marks: number[][], faults?: [number, number][] }} Bound */

const { position, language } = pageData();

/** The reader's choice of holes. */
export class OwnBound {
  /** Highest bound that a choice has given. */
  best = 0;
  /** @type {Set<number>} */
  #chosen = new Set();

  /** @param {import("../keys/shown_board.js").ShownBoard} figure @param {number} needed least bound to find
   * @param {() => void} onFound called when a choice gives as much */
  constructor(figure, needed, onFound) {
    this.figure = figure;
    this.needed = needed;
    this.onFound = onFound;
  }

  get isFound() {
    return this.best >= this.needed;
  }

  clear() {
    this.#chosen.clear();
    this.#show([]);
    say("lesson.own.none");
  }

  /** Choose a hole, or choose it no longer. @param {number} hole */
  async toggle(hole) {
    if (isEmpty(cellsOf(position)[hole])) return say("lesson.own.empty");
    if (!this.#chosen.delete(hole)) this.#chosen.add(hole);
    if (!this.#chosen.size) return this.clear();
    const holes = [...this.#chosen].join();
    this.#show([[0, ...this.#chosen]]);
    const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}/bound`;
    try {
      /** @type {Bound} */
      const found = await fetchJson(`${path}?${new URLSearchParams({ goal, holes, lang: language })}`);
      if (holes === [...this.#chosen].join()) this.#tell(found);
    } catch (error) {
      sayFault(faultOf(error));
    }
  }

  /** @param {Bound} found */
  #tell({ bound, marks, faults }) {
    const wasFound = this.isFound;
    this.best = Math.max(this.best, bound);
    this.#show(marks, faults);
    if (faults?.length) return say("lesson.own.fault", { n: faults.length });
    say(faults ? "lesson.own.region" : "lesson.own.pattern", { n: bound, parts: marks.length });
    if (this.isFound && !wasFound) this.onFound();
  }

  /** @param {number[][]} groups @param {[number, number][]} [faults] */
  #show(groups, faults = []) {
    this.figure.show(position, { groups, faults, chosen: [...this.#chosen] });
  }
}
