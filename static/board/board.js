/**
 * The board on the page: the drawing from the server, updated piece by piece, and the buttons that lie over it.
 *
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../game/position.js").Travel} Travel
 * @typedef {import("./overlays.js").Point} Point
 */
import { moveArrows, glyph, losingHoles, pieceAt, pointOf } from "./overlays.js";
import { isWon, movesMade, positionAt } from "../game/line.js";
import { fadeIn, jump, pulse, finishAll, shake, spreadRing, slide, turn, fadeOut } from "./animation.js";
import { cellsOf, differences, puzzle } from "../game/position.js";
import * as texts from "../ui/i18n.js";

const LONGEST_SLIDE = 105;

/** The board of a game, with one button per hole. */
export class Board {
  /** @type {Map<number, Element>} */
  #pieces = new Map();
  #cells = "";

  /** @param {Element} root */
  constructor(root) {
    this.root = root;
    this.drawing = /** @type {SVGSVGElement} */ (root.querySelector("svg"));
    this.layer = /** @type {Element} */ (root.querySelector(".pieces"));
    this.marks = /** @type {Element} */ (root.querySelector(".marks"));
    this.spots = /** @type {HTMLButtonElement[]} */ ([...root.querySelectorAll("[data-hole]")]);
    for (const piece of root.querySelectorAll("[data-at]"))
      this.#pieces.set(Number(piece.getAttribute("data-at")), piece);
    this.drawing.setAttribute("aria-hidden", "true"); // from now on the labels of the buttons describe the board
    this.#cells = this.spots.map((spot) => spot.dataset.cell).join("");
  }

  /** @param {number} hole */
  piece(hole) {
    return this.#pieces.get(hole);
  }

  /** Draw a dragged piece at a point, above all marks. @param {number} hole @param {Point} at */
  carry(hole, at) {
    const piece = this.#pieces.get(hole);
    piece?.setAttribute("transform", `translate(${at.x} ${at.y})`);
    if (piece && piece !== this.drawing.lastChild) this.drawing.append(piece);
  }

  /** Put a dragged piece back into its hole, unless a step has moved it to another hole. @param {number} hole */
  putBack(hole) {
    const piece = this.#pieces.get(hole);
    if (!piece) return;
    this.carry(hole, pointOf(hole));
    this.layer.append(piece);
  }

  /** Update the board after a change of the state.
   * @param {State} state @param {State} before @param {import("../game/line.js").Line} line the line on the board */
  show(state, before, line) {
    const now = positionAt(line);
    const losing = losingHoles(state, now.verdict);
    const cells = cellsOf(now.position);
    if (cells !== this.#cells) this.#change(cells, state.travel);
    if (isWon(line) && state.line !== before.line) this.#celebrate(line);
    if (state.note && state.note !== before.note && state.note.key in REFUSALS) shake(this.drawing);
    const targets = this.#targets(state);
    const warnings = losing.map((hole) => glyph("m-fatal", pointOf(hole)));
    this.marks.replaceChildren(
      ...this.#allMarks(
        state,
        line,
        targets.filter((hole) => !losing.includes(hole)),
      ),
      ...warnings,
    );
    this.spots.forEach((spot, hole) => {
      set(spot, "fatal", losing.includes(hole) ? "" : null);
      this.#describe(spot, hole, state, targets);
    });
    this.#pieces.forEach((piece, hole) => piece.classList.toggle("lifted", hole === state.selected));
  }

  /** Pulse the board, with a ring of light if the game took the fewest moves.
   * @param {import("../game/line.js").Line} line */
  #celebrate(line) {
    pulse(this.drawing);
    const last = line.steps[line.at - 1];
    if (movesMade(line) === line.start.moves_left) spreadRing(this.drawing, pointOf(last.to));
  }

  /** Change the drawn pieces to those of `cells`, with animations. @param {string} cells @param {Travel[]} travel */
  #change(cells, travel) {
    finishAll(this.layer);
    const changes = differences(this.#cells, cells, travel);
    this.#cells = cells;
    for (const hole of changes.removed) this.#remove(hole, this.#jumpOver(hole, travel));
    for (const move of changes.moved) this.#move(move);
    for (const hole of changes.added) this.#add(hole, cells[hole]);
    for (const hole of changes.turned) this.#turn(hole, cells[hole]);
  }

  /** @param {Travel} travel */
  #move({ from, to, path = [from, to] }) {
    const piece = /** @type {Element} */ (this.#pieces.get(from));
    const [start, end] = [this.#drawnAt(piece, from), pointOf(to)];
    this.#pieces.delete(from);
    this.#pieces.set(to, piece);
    piece.setAttribute("transform", `translate(${end.x} ${end.y})`);
    this.layer.append(piece);
    const far = Math.hypot(end.x - pointOf(from).x, end.y - pointOf(from).y) > LONGEST_SLIDE;
    if (path.length > 2) jump(piece, path.map(pointOf));
    else if (Math.hypot(end.x - start.x, end.y - start.y) > 1)
      far ? jump(piece, [start, end]) : slide(piece, start, end);
  }

  /** Return the point where a piece is drawn, which differs from the point of its hole while it is dragged.
   * @param {Element} piece @param {number} hole */
  #drawnAt(piece, hole) {
    const place = piece.getAttribute("transform")?.match(/translate\((\S+) (\S+)\)/);
    return place ? { x: Number(place[1]), y: Number(place[2]) } : pointOf(hole);
  }

  /** Return which of several animated jumps captures the piece in `hole`, as an index or -1; undefined for a single jump.
   * @param {number} hole @param {Travel[]} travel */
  #jumpOver(hole, [run]) {
    if (!run?.path || run.path.length < 3) return undefined;
    const [{ x, y }, points] = [pointOf(hole), run.path.map(pointOf)];
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
    if (piece) fadeOut(piece, jumpIndex);
  }

  /** @param {number} hole @param {string} cell */
  #add(hole, cell) {
    const piece = pieceAt(puzzle.glyphs[cell], pointOf(hole));
    this.#pieces.set(hole, piece);
    this.layer.append(piece);
    fadeIn(piece);
  }

  /** @param {number} hole @param {string} cell */
  #turn(hole, cell) {
    const side = this.#pieces.get(hole)?.firstElementChild;
    side?.setAttribute("href", `#${puzzle.glyphs[cell]}`);
    if (side) turn(side);
  }

  /** @param {State} state @returns {number[]} holes that the selected piece can reach in one step */
  #targets({ selected, analysis, solution }) {
    if (solution || selected === null || !analysis) return [];
    return analysis.steps.filter((step) => step.from === selected).map((step) => step.to);
  }

  /** @param {State} state @param {import("../game/line.js").Line} line @param {number[]} targets */
  #allMarks(state, line, targets) {
    const { hint, selected } = state;
    const place = (/** @type {string} */ name) => (/** @type {number} */ hole) => glyph(name, pointOf(hole));
    const last = this.#lastStep(line);
    return [
      ...this.#movable(state).map(place("m-can")),
      ...last.moved.flatMap(({ from, to }) => [from, to]).map(place("m-last")),
      ...last.removed.map(place("m-ghost")),
      ...last.turned.map(place("m-turn")),
      ...(selected === null ? [] : [place("m-active")(selected)]),
      ...(hint ? [place("m-from")(hint.from)] : []),
      ...targets.map(place("m-target")),
      ...(hint?.stage === 2 ? moveArrows(hint.move.map(pointOf)) : []),
    ];
  }

  /** Return the holes to mark as movable: those of all pieces with a legal step, except the selected piece.
   * @param {State} state @returns {number[]} */
  #movable({ analysis, solution, selected, movable, line }) {
    if (!movable || solution || !analysis || isWon(line)) return [];
    return [...new Set(analysis.steps.map((step) => step.from))].filter((hole) => hole !== selected);
  }

  /** Return the changes made by the last step on the board. @param {import("../game/line.js").Line} line */
  #lastStep(line) {
    const before = positionAt(line, Math.max(0, line.at - 1));
    return differences(
      cellsOf(before.position),
      this.#cells,
      line.steps.slice(Math.max(0, line.at - 1), line.at),
    );
  }

  /** @param {HTMLButtonElement} spot @param {number} hole @param {State} state @param {number[]} targets */
  #describe(spot, hole, { hint, selected, analysis, solution, line }, targets) {
    const cell = this.#cells[hole];
    set(spot, "cell", cell);
    set(spot, "hint", hint?.from === hole ? "from" : hint?.stage === 2 && hint.to === hole ? "to" : null);
    set(spot, "target", targets.includes(hole) ? "" : null);
    set(
      spot,
      "movable",
      !solution && !isWon(line) && analysis?.steps.some((step) => step.from === hole) ? "" : null,
    );
    spot.setAttribute("aria-label", this.#labelText(spot, hole, cell, hole === selected));
  }

  /** @param {HTMLElement} spot @param {number} hole @param {string} cell @param {boolean} isSelected */
  #labelText(spot, hole, cell, isSelected) {
    const name = puzzle.glyphs[cell] ?? "empty";
    const [kind, side = ""] = name.split("-"); // side of a disc, or number of a tile
    const parts = [
      texts.get(texts.has(`cell.${name}`) ? `cell.${name}` : `cell.${kind}`, {
        hole,
        side: texts.has(`side.${side}`) ? texts.get(`side.${side}`) : side,
      }),
    ];
    if (isSelected) parts.push(texts.get("cell.active"));
    else if (spot.dataset.movable !== undefined) parts.push(texts.get("cell.movable"));
    if (spot.dataset.target !== undefined) parts.push(texts.get("cell.target"));
    if (spot.dataset.fatal !== undefined) parts.push(texts.get("cell.fatal"));
    if (spot.dataset.hint) parts.push(texts.get(`cell.hint.${spot.dataset.hint}`));
    return parts.join(texts.get("comma"));
  }
}

/** @type {Record<string, true>} */
const REFUSALS = { "note.stuck": true, "note.empty": true, "note.illegal": true };

/** @param {HTMLElement} element @param {string} name @param {string | null} value */
function set(element, name, value) {
  if (value === null) delete element.dataset[name];
  else if (element.dataset[name] !== value) element.dataset[name] = value;
}
