/** A lower bound by holes that the reader chooses, such as a region or a pattern; the engine computes it. */
import { faultOf, fetchJson } from "../game/api.js";
import { cellsOf } from "../game/cells.js";
import { goal, isEmpty, puzzle, pointOf } from "../game/position.js";
import { showGroups, showPosition } from "../board/viewer.js";
import { find, pageData, svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { say, sayFault } from "./frame.js";
import { offerHoles } from "./holes.js";

/** @typedef {{ bound: number, marks: number[][], faults?: [number, number][] }} Bound */

const { position, language } = pageData();

/** The reader's choice of holes. */
export class OwnBound {
  /** Highest bound that a choice has given. */
  best = 0;
  /** @type {Set<number>} */
  #chosen = new Set();
  /** @type {ReturnType<typeof offerHoles>} */
  #describe;

  /** @param {number} needed least bound to find @param {() => void} onFound called when a choice gives as much */
  constructor(needed, onFound) {
    this.needed = needed;
    this.onFound = onFound;
    this.#describe = offerHoles((hole) => void this.#toggle(hole));
    this.#describe(position);
  }

  get isFound() {
    return this.best >= this.needed;
  }

  clear() {
    this.#chosen.clear();
    this.#show([]);
    say("lesson.own.none");
  }

  /** @param {number} hole */
  async #toggle(hole) {
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

  /** @param {number[][]} groups @param {[number, number][]} [faults] steps to draw */
  #show(groups, faults = []) {
    showPosition(position);
    showGroups(groups);
    const lines = faults.map(([from, to]) => {
      const [a, b] = [pointOf(from), pointOf(to)];
      return svg("path", { class: "m-raise", d: `M${a.x} ${a.y}L${b.x} ${b.y}` });
    });
    find(".stage .marks", SVGElement).append(...lines);
    this.#describe(position, (hole) => (this.#chosen.has(hole) ? texts.get("cell.active") : ""));
  }
}
