/**
 * A board: the drawing from the server, updated piece by piece, and the buttons that lie over it. It shows what it is handed
 * (`BoardView`), legal destinations included; it knows no rules, no game and no page, and fetches nothing.
 *
 * @typedef {import("../game/board_view.js").BoardView} BoardView
 * @typedef {import("../game/cells.js").Travel} Travel
 * @typedef {import("./overlays.js").Point} Point
 *
 * @typedef {object} BoardConfig
 * @property {Pick<import("../game/position.js").Puzzle, "points" | "glyphs" | "multiStepMoves">} puzzle
 * @property {string} goal
 * @property {{ get: (key: string, values?: import("../ui/i18n.js").Values) => string, has: (key: string) => boolean }} texts
 * @property {ParentNode} [around] what has the captured pieces and the verdict, which take part in the end of a game
 */
import { fadeIn, fadeOut, finishAll, jump, shake, slide, turn } from "./animation.js";
import { layGrid } from "./grid.js";
import { groupMarks } from "./groups.js";
import { celebrate, flightTime, isJump, solvedSign } from "./landing.js";
import {
  brokenLine,
  glyph,
  lineArrows,
  moveArrows,
  numeral,
  paymentLabel,
  pieceAt,
  ribbon,
} from "./overlays.js";
import { choices } from "../game/chains.js";
import { differences } from "../game/cells.js";

/** The board in an element with a drawing and one button for each hole. */
export class Board {
  /** Pieces by hole. @type {Map<number, Element>} */
  #pieces = new Map();
  #cells = "";
  /** What the signs of the last move on the board stand for. */
  #lastMove = "";
  /** What the board shows. @type {BoardView} */
  view = { cells: "" };
  /** Promise that resolves when the pieces that moved last have landed. @type {Promise<unknown>} */
  landed = Promise.resolve();

  /** @param {Element} root @param {BoardConfig} config */
  constructor(root, { puzzle, goal, texts, around }) {
    this.root = root;
    this.puzzle = puzzle;
    this.goal = puzzle.points[Number(goal)] ? this.pointOf(Number(goal)) : null;
    this.texts = texts;
    this.around = around ?? null;
    this.drawing = /** @type {SVGSVGElement} */ (root.querySelector("svg"));
    this.layer = /** @type {Element} */ (root.querySelector(".pieces"));
    this.marks = /** @type {Element} */ (root.querySelector(".marks"));
    this.played = /** @type {Element} */ (root.querySelector(".played")); // signs of the last move, under the pieces
    this.spots = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll("[data-hole]")]);
    layGrid(/** @type {HTMLElement} */ (root.querySelector(".spots")), this.spots, puzzle.points);
    for (const piece of root.querySelectorAll("[data-at]"))
      this.#pieces.set(Number(piece.getAttribute("data-at")), piece);
    this.drawing.setAttribute("aria-hidden", "true"); // from now on the labels of the buttons describe the board
    this.#cells = this.spots.map((spot) => spot.dataset.cell).join("");
  }

  /** Return the middle of a hole, in drawing units. @param {number} hole @returns {Point} */
  pointOf = (hole) => {
    const [x, y] = this.puzzle.points[hole];
    return { x, y };
  };

  /** @param {number} hole */
  piece(hole) {
    return this.#pieces.get(hole);
  }

  /** Return whether the selected piece may go to a hole with one step. @param {number} hole */
  isTarget = (hole) => (this.view.targets ?? []).some(({ to, jumps }) => to === hole && jumps === 1);

  /** Return the milliseconds until pieces have landed. @param {readonly Travel[]} travels */
  flightTime = (travels) => flightTime(travels, this.pointOf);

  /** Leave a ghost in the hole of a piece that is being carried. @param {number} hole */
  lift(hole) {
    this.#pieces.get(hole)?.classList.add("ghost");
  }

  /** Show which target a carried piece would fall into. @param {number | null} hole */
  aim(hole) {
    for (const mark of this.marks.querySelectorAll("[data-target-of]"))
      mark.classList.toggle("near", mark.getAttribute("data-target-of") === String(hole));
  }

  /** Draw a carried piece where the pointer has let it go. Its step begins there. @param {number} hole @param {Point} at */
  letGo(hole, at) {
    const piece = this.#pieces.get(hole);
    piece?.classList.remove("ghost");
    piece?.setAttribute("transform", `translate(${at.x} ${at.y})`);
    if (piece) this.layer.append(piece);
    this.aim(null);
  }

  /** Slide a piece that was let go back into its hole, unless a step has moved it to another hole. @param {number} hole */
  putBack(hole) {
    const piece = this.#pieces.get(hole);
    if (!piece) return;
    const [from, home] = [this.#drawnAt(piece, hole), this.pointOf(hole)];
    piece.setAttribute("transform", `translate(${home.x} ${home.y})`);
    if (Math.hypot(from.x - home.x, from.y - home.y) > 1) slide(piece, from, home);
  }

  /** Show that a press is refused. */
  refuse() {
    shake(this.drawing);
  }

  /** @param {BoardView} view */
  show(view) {
    const { cells, selected = null, targets = [], losing = [], costs = new Map() } = (this.view = view);
    if (cells !== this.#cells) this.#change(cells, view.travel ?? []);
    this.#showLastMove(view);
    this.marks.replaceChildren(...this.#allMarks(view));
    this.spots.forEach((spot, hole) => {
      set(spot, "fatal", losing.includes(hole) ? "" : null);
      this.#describe(spot, hole, view, {
        target: targets.find(({ to }) => to === hole),
        cost: costs.get(hole),
      });
    });
    this.#pieces.forEach((piece, hole) => piece.classList.toggle("lifted", hole === selected));
  }

  /** Change the drawn pieces to those of `cells`, with animations. @param {string} cells @param {readonly Travel[]} travel */
  #change(cells, travel) {
    finishAll(this.layer);
    const changes = differences(this.puzzle.glyphs, this.#cells, cells, travel);
    this.#cells = cells;
    for (const hole of changes.removed) this.#remove(hole, this.#jumpOver(hole, travel));
    for (const move of changes.moved) this.#move(move);
    for (const hole of changes.added) this.#add(hole, cells[hole]);
    for (const hole of changes.turned) this.#turn(hole, cells[hole]);
    const motions = this.layer.getAnimations({ subtree: true });
    this.landed = Promise.allSettled(motions.map(({ finished }) => finished));
  }

  /** @param {Travel} travel */
  #move({ from, to, path = [from, to] }) {
    const piece = /** @type {Element} */ (this.#pieces.get(from));
    const [start, end] = [this.#drawnAt(piece, from), this.pointOf(to)];
    this.#pieces.delete(from);
    this.#place(piece, to);
    this.layer.append(piece);
    if (path.length > 2) jump(piece, path.map(this.pointOf));
    else if (Math.hypot(end.x - start.x, end.y - start.y) > 1)
      isJump(this.pointOf(from), end) ? jump(piece, [start, end]) : slide(piece, start, end);
  }

  /** Draw a piece in a hole. @param {Element} piece @param {number} hole */
  #place(piece, hole) {
    const { x, y } = this.pointOf(hole);
    this.#pieces.set(hole, piece);
    piece.setAttribute("data-at", String(hole));
    piece.setAttribute("transform", `translate(${x} ${y})`);
  }

  /** Return the point where a piece is drawn, which differs from the point of its hole while it is dragged.
   * @param {Element} piece @param {number} hole */
  #drawnAt(piece, hole) {
    const place = piece.getAttribute("transform")?.match(/translate\((\S+) (\S+)\)/);
    return place ? { x: Number(place[1]), y: Number(place[2]) } : this.pointOf(hole);
  }

  /** Return which of several animated jumps captures the piece in `hole`, as an index or -1; undefined for a single jump.
   * @param {number} hole @param {readonly Travel[]} travel */
  #jumpOver(hole, [run]) {
    if (!run?.path || run.path.length < 3) return undefined;
    const [{ x, y }, points] = [this.pointOf(hole), run.path.map(this.pointOf)];
    return points
      .slice(1)
      .findIndex(
        (to, jumpIndex) =>
          Math.hypot((points[jumpIndex].x + to.x) / 2 - x, (points[jumpIndex].y + to.y) / 2 - y) < 1,
      );
  }

  /** @param {number} hole @param {number} [jumpIndex] */
  #remove(hole, jumpIndex) {
    const piece = this.#pieces.get(hole);
    this.#pieces.delete(hole);
    piece?.removeAttribute("data-at"); // it may still be fading
    if (piece) fadeOut(piece, jumpIndex);
  }

  /** @param {number} hole @param {string} cell */
  #add(hole, cell) {
    const piece = pieceAt(this.puzzle.glyphs[cell], hole, this.pointOf(hole));
    this.#pieces.set(hole, piece);
    this.layer.append(piece);
    fadeIn(piece);
  }

  /** @param {number} hole @param {string} cell */
  #turn(hole, cell) {
    const side = this.#pieces.get(hole)?.firstElementChild;
    side?.setAttribute("href", `#${this.puzzle.glyphs[cell]}`);
    if (side) turn(side);
  }

  /** @param {BoardView} view */
  #allMarks({ selected = null, targets = [], movable = [], marksMovable = false, losing = [], ...more }) {
    const { hint, groups = [], chains = [], arrows = [], faults = [], weights = [], payments = [] } = more;
    const place = (/** @type {string} */ name) => (/** @type {number} */ hole) =>
      glyph(name, this.pointOf(hole));
    const canMove = marksMovable ? movable.filter((hole) => hole !== selected) : [];
    const landings = hint?.stage === 2 && selected === hint.from ? [] : targets; // the arrow stands alone
    return [
      ...canMove.map(place("m-can")),
      ...(selected === null ? [] : [place("m-active")(selected)]),
      ...(hint ? [lifted(place("m-from")(hint.from), hint.from === selected)] : []),
      ...landings.filter(({ to }) => !losing.includes(to)).map((target) => this.#targetMark(target)),
      ...(hint?.stage === 2 ? moveArrows(hint.move.map(this.pointOf)) : []),
      ...lineArrows(arrows.map((move) => move.map(this.pointOf))),
      ...groupMarks(groups, this.pointOf, this.goal),
      ...payments.map(({ from, to, price }) => paymentLabel(this.pointOf(from), this.pointOf(to), price)),
      ...faults.map(([from, to]) => brokenLine(this.pointOf(from), this.pointOf(to))),
      ...weights.map((weight, hole) => numeral(this.pointOf(hole), String(weight).replace("-", "−"), 22)),
      ...(chains.length ? this.#chainMarks(chains) : []),
      ...losing.map(place("m-fatal")),
    ];
  }

  /** Create the sign of a target: a dot, or a ring at the end of a run. @param {import("../game/board_view.js").Target} target */
  #targetMark({ to, jumps }) {
    const mark = glyph(jumps > 1 ? "m-end" : "m-target", this.pointOf(to));
    mark.setAttribute("data-target-of", String(to));
    return mark;
  }

  /** Create the signs of several chains to one hole: each as a ribbon, and the number of the hole that chooses it.
   * @param {import("../game/chains.js").Chain[]} chains */
  #chainMarks(chains) {
    return [
      ...chains.map(({ holes }) => ribbon(holes.map(this.pointOf))),
      ...[...choices(chains).keys()].map((hole) => numeral(this.pointOf(hole), hole, 24)),
    ];
  }

  /** Draw the signs of the last move, if it has changed: they may be in motion. A move that solves the puzzle is celebrated.
   * @param {BoardView} view */
  #showLastMove({ last, travel = [], celebrates = false }) {
    const key = JSON.stringify([last, this.#cells]);
    if (key === this.#lastMove) return;
    const isPlayed = celebrates && this.#lastMove !== "" && travel.length > 0;
    this.#lastMove = key;
    const { holes = [], run = [], solved = null } = last ?? {};
    const edge = this.puzzle.multiStepMoves
      ? ""
      : this.drawing.querySelector(".slab-light")?.getAttribute("d");
    const signs =
      solved === null
        ? holes.map((hole) => glyph("m-last", this.pointOf(hole)))
        : [solvedSign(this.pointOf(solved), edge ?? "")];
    this.played.replaceChildren(...signs, ...(run.length ? [ribbon(run.map(this.pointOf))] : []));
    const piece = solved === null ? undefined : this.#pieces.get(solved);
    if (piece && isPlayed)
      queueMicrotask(() => celebrate(piece, signs[0], this.flightTime(travel), this.around)); // after all views have changed
  }

  /** @param {HTMLButtonElement} spot @param {number} hole @param {BoardView} view @param {Choice} choice */
  #describe(spot, hole, { hint, selected, movable = [], groups = [], chains = [], ...more }, choice) {
    const { weights = [], chosen = [], payments = [] } = more;
    const cell = this.#cells[hole];
    set(spot, "cell", cell);
    spot.setAttribute("aria-pressed", String(hole === selected || chosen.includes(hole)));
    set(spot, "hint", hint?.from === hole ? "from" : hint?.stage === 2 && hint.to === hole ? "to" : null);
    set(spot, "target", choice.target ? "" : null);
    set(spot, "movable", movable.includes(hole) ? "" : null);
    const { get } = this.texts;
    const chainsHere = chains.length ? (choices(chains).get(hole) ?? []) : [];
    const label = [
      this.#labelText(spot, hole, cell, { ...choice, isSelected: hole === selected }),
      ...weights.slice(hole, hole + 1).map((number) => get("cell.number", { number: signed(number, get) })),
      ...chainsHere
        .slice(0, 1)
        .map(({ captured }) => get("cell.way", { captured: captured.join(get("comma")) })),
      ...groups
        .filter(([, ...holes]) => holes.includes(hole))
        .map(([number]) =>
          number ? get("cell.number", { number: signed(number, get) }) : get("cell.counted"),
        ),
      ...payments
        .filter(({ from }) => from === hole)
        .map(({ to, price }) => get("cell.price", { to, n: price })),
    ];
    spot.setAttribute("aria-label", label.join(get("comma")));
  }

  /** @param {HTMLElement} spot @param {number} hole @param {string} cell @param {Choice & { isSelected: boolean }} choice */
  #labelText(spot, hole, cell, { target, cost, isSelected }) {
    const { get, has } = this.texts;
    const name = this.puzzle.glyphs[cell] ?? "empty";
    const [kind, side = ""] = name.split("-"); // side of a disc, or number of a tile
    const parts = [
      get(has(`cell.${name}`) ? `cell.${name}` : `cell.${kind}`, {
        hole,
        side: has(`side.${side}`) ? get(`side.${side}`) : side,
      }),
    ];
    if (isSelected) parts.push(get("cell.active"));
    else if (spot.dataset.movable !== undefined) parts.push(get("cell.movable"));
    if (cost !== undefined) parts.push(get(`cell.cost.${cost}`));
    if (target) parts.push(target.jumps > 1 ? get("cell.run", { n: target.jumps }) : get("cell.target"));
    if (target && this.puzzle.multiStepMoves) parts.push(get(`cell.cost.${target.cost}`));
    if (spot.dataset.fatal !== undefined) parts.push(get("cell.fatal"));
    if (spot.dataset.hint) parts.push(get(`cell.hint.${spot.dataset.hint}`));
    return parts.join(get("comma"));
  }
}

/** @typedef {{ target?: import("../game/board_view.js").Target, cost?: number }} Choice the step or run of the selected piece
 * that leads to a hole, and the cost that `costs` gives for the piece in it */

/** Let a mark follow its piece, which is lifted if it is selected. @param {Element} mark @param {boolean} isLifted */
function lifted(mark, isLifted) {
  mark.classList.toggle("lifted", isLifted);
  return mark;
}

/** Return a number as it is said. @param {number} number @param {BoardConfig["texts"]["get"]} get */
const signed = (number, get) => (number < 0 ? get("cell.minus", { n: -number }) : number);

/** @param {HTMLElement} element @param {string} name @param {string | null} value */
function set(element, name, value) {
  if (value === null) delete element.dataset[name];
  else if (element.dataset[name] !== value) element.dataset[name] = value;
}
