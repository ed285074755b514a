/**
 * The board on the page: the drawing from the server, updated piece by piece, and the buttons that lie over it.
 *
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../game/position.js").Travel} Travel
 * @typedef {import("./overlays.js").Point} Point
 */
import { groupMarks } from "./groups.js";
import { costLabel, glyph, losingHoles, moveArrows, pieceAt, pointOf, ribbon } from "./overlays.js";
import { isMoveOpen, isWon, lastMove, positionAt } from "../game/line.js";
import { fadeIn, fadeOut, finishAll, jump, shake, slide, turn } from "./animation.js";
import { celebrate, flightTime, isJump, solvedSign } from "./landing.js";
import { cellsOf, differences, puzzle } from "../game/position.js";
import * as texts from "../ui/i18n.js";

/** The board of a game, with one button per hole. */
export class Board {
  /** @type {import("../game/session.js").Fields} */
  static fields =
    // prettier-ignore
    ["line", "solution", "edit", "analysis", "selected", "hint", "note", "travel", "assistance", "movable"];

  /** @type {Map<number, Element>} */
  #pieces = new Map();
  #cells = "";
  /** What the signs of the last move on the board stand for. */
  #lastMove = "";

  /** @param {Element} root */
  constructor(root) {
    this.root = root;
    this.drawing = /** @type {SVGSVGElement} */ (root.querySelector("svg"));
    this.layer = /** @type {Element} */ (root.querySelector(".pieces"));
    this.marks = /** @type {Element} */ (root.querySelector(".marks"));
    this.played = /** @type {Element} */ (root.querySelector(".played")); // signs of the last move, under the pieces
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
    const [from, home] = [this.#drawnAt(piece, hole), pointOf(hole)];
    piece.setAttribute("transform", `translate(${home.x} ${home.y})`);
    if (Math.hypot(from.x - home.x, from.y - home.y) > 1) slide(piece, from, home);
  }

  /** Update the board after a change of the state.
   * @param {State} state @param {State} before @param {import("../game/line.js").Line} line the line on the board */
  show(state, before, line) {
    const now = positionAt(line);
    const losing = losingHoles(state, now.verdict);
    const cells = cellsOf(now.position);
    if (cells !== this.#cells) this.#change(cells, state.travel);
    if (state.note && state.note !== before.note && state.note.key in REFUSALS) shake(this.drawing);
    const [targets, cost] = [stepsOf(state), costs(state, line)];
    const warnings = losing.map((hole) => glyph("m-fatal", pointOf(hole)));
    this.#showLastMove(line);
    this.marks.replaceChildren(...this.#allMarks(state, line, (hole) => !losing.includes(hole)), ...warnings);
    this.spots.forEach((spot, hole) => {
      set(spot, "fatal", losing.includes(hole) ? "" : null);
      this.#describe(spot, hole, state, {
        target: targets.find(({ to }) => to === hole),
        cost: cost.get(hole),
      });
    });
    this.#pieces.forEach((piece, hole) => piece.classList.toggle("lifted", hole === state.selected));
    if (isWon(line) && state.line.at !== before.line.at) this.#celebrate(line, state.travel);
  }

  /** @param {import("../game/line.js").Line} line a solved line @param {Travel[]} travel */
  #celebrate(line, travel) {
    const [piece, sign] = [this.#pieces.get(lastHole(line)), this.played.querySelector(".m-solved")];
    if (piece && sign) queueMicrotask(() => celebrate(piece, sign, flightTime(travel))); // after all views have changed
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
    if (path.length > 2) jump(piece, path.map(pointOf));
    else if (Math.hypot(end.x - start.x, end.y - start.y) > 1)
      isJump({ from, to }) ? jump(piece, [start, end]) : slide(piece, start, end);
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

  /** @param {State} state @param {import("../game/line.js").Line} line @param {(hole: number) => boolean} isFree whether
   * a target has no other sign */
  #allMarks(state, line, isFree) {
    const { hint, selected } = state;
    const place = (/** @type {string} */ name) => (/** @type {number} */ hole) => glyph(name, pointOf(hole));
    return [
      ...this.#movable(state).map(place("m-can")),
      ...(selected === null ? [] : [place("m-active")(selected)]),
      ...(hint ? [lifted(place("m-from")(hint.from), hint.from === selected)] : []),
      ...stepsOf(state)
        .filter(({ to }) => isFree(to))
        .map(targetMark),
      ...[...costs(state, line)].map(([hole, cost]) => costLabel(pointOf(hole), cost, "chip")),
      ...(hint?.stage === 2 ? moveArrows(hint.move.map(pointOf)) : []),
      ...groupMarks(state.note?.groups ?? []),
    ];
  }

  /** Return the holes to mark as movable: those of all pieces with a legal step, except the selected piece.
   * @param {State} state @returns {number[]} */
  #movable({ analysis, solution, selected, movable, line }) {
    if (!movable || solution || !analysis || isWon(line)) return [];
    return [...new Set(analysis.steps.map((step) => step.from))].filter((hole) => hole !== selected);
  }

  /** Draw the signs of the last move, if it has changed: they may be in motion. @param {import("../game/line.js").Line} line */
  #showLastMove(line) {
    const key = JSON.stringify([
      isWon(line),
      positionAt(line).position,
      lastMove(line).map(({ from, to }) => [from, to]),
    ]);
    if (key === this.#lastMove) return;
    this.#lastMove = key;
    this.played.replaceChildren(...this.#lastMoveMarks(line));
  }

  /** Return the signs of the last move: a tint in the holes that it began and ended in, or whose pieces it turned, and a
   * ribbon if it has several steps or may go on. @param {import("../game/line.js").Line} line @returns {Element[]} */
  #lastMoveMarks(line) {
    const steps = lastMove(line);
    if (!steps.length) return [];
    if (isWon(line)) return [solvedSign(lastHole(line), this.drawing)];
    const before = positionAt(line, line.at - steps.length);
    const { turned } = differences(cellsOf(before.position), this.#cells, steps);
    const path = [steps[0].from, ...steps.map(({ to }) => to)];
    const isRun = steps.length > 1 ? steps[1].cost === 0 : isMoveOpen(positionAt(line));
    const ends =
      steps.length > 1 && !isRun
        ? steps.flatMap(({ from, to }) => [from, to])
        : [path[0], path[path.length - 1]];
    return [
      ...[...new Set([...ends, ...turned])].map((hole) => glyph("m-last", pointOf(hole))),
      ...(isRun ? [ribbon(path.map(pointOf))] : []),
    ];
  }

  /** @param {HTMLButtonElement} spot @param {number} hole @param {State} state @param {Choice} choice */
  #describe(spot, hole, { hint, selected, analysis, solution, line, note }, choice) {
    const cell = this.#cells[hole];
    set(spot, "cell", cell);
    set(spot, "hint", hint?.from === hole ? "from" : hint?.stage === 2 && hint.to === hole ? "to" : null);
    set(spot, "target", choice.target ? "" : null);
    set(
      spot,
      "movable",
      !solution && !isWon(line) && analysis?.steps.some((step) => step.from === hole) ? "" : null,
    );
    spot.setAttribute(
      "aria-label",
      [
        this.#labelText(spot, hole, cell, { ...choice, isSelected: hole === selected }),
        ...labelsOf(note?.groups ?? [], hole),
      ].join(texts.get("comma")),
    );
  }

  /** @param {HTMLElement} spot @param {number} hole @param {string} cell @param {Choice & { isSelected: boolean }} choice */
  #labelText(spot, hole, cell, { target, cost, isSelected }) {
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
    if (cost !== undefined) parts.push(texts.get(`cell.cost.${cost}`));
    if (target) parts.push(texts.get("cell.target"));
    if (target && puzzle.multiStepMoves) parts.push(texts.get(`cell.cost.${target.cost}`));
    if (spot.dataset.fatal !== undefined) parts.push(texts.get("cell.fatal"));
    if (spot.dataset.hint) parts.push(texts.get(`cell.hint.${spot.dataset.hint}`));
    return parts.join(texts.get("comma"));
  }
}

/** Return what a label says about the groups of a note: the number of a hole, or that it is one of those counted.
 * @param {number[][]} groups @param {number} hole */
const labelsOf = (groups, hole) =>
  groups
    .filter(([, ...holes]) => holes.includes(hole))
    .map(([number]) => (number ? texts.get("cell.number", { number }) : texts.get("cell.counted")));

/** Return the hole of the piece that moved last. @param {import("../game/line.js").Line} line with a step on the board */
const lastHole = (line) => line.steps[line.at - 1].to;

/** @typedef {import("../game/line.js").Step} Step */
/** Let a mark follow its piece, which is lifted if it is selected. @param {Element} mark @param {boolean} isLifted */
function lifted(mark, isLifted) {
  mark.classList.toggle("lifted", isLifted);
  return mark;
}

/** @typedef {{ target?: Step, cost?: number }} Choice the step of the selected piece that leads to a hole, and the cost that
 * `costs` gives for the piece in it */

/** Return the steps of the selected piece. @param {State} state @returns {Step[]} */
function stepsOf({ selected, analysis, solution }) {
  return solution || selected === null || !analysis
    ? []
    : analysis.steps.filter(({ from }) => from === selected);
}

/** Return what the next step of each piece costs that is not selected, while the last move may go on: then one piece
 * goes on for nothing, and any other begins a new move.
 * @param {State} state @param {import("../game/line.js").Line} line @returns {Map<number, number>} cost by hole */
function costs({ analysis, selected, solution }, line) {
  const now = positionAt(line);
  const isChoice = !solution && isMoveOpen(now) && analysis?.position === now.position;
  return new Map(
    (isChoice ? analysis.steps : [])
      .filter(({ from }) => from !== selected)
      .map(({ from, cost }) => [from, cost]),
  );
}

/** Create the sign of a target, with the cost of its step where steps may cost nothing. @param {Step} step */
function targetMark({ to, cost }) {
  const mark = puzzle.multiStepMoves
    ? costLabel(pointOf(to), cost, "target")
    : glyph("m-target", pointOf(to));
  mark.setAttribute("data-target-of", String(to));
  return mark;
}

/** @type {Record<string, true>} */
const REFUSALS = { "note.stuck": true, "note.empty": true, "note.illegal": true };

/** @param {HTMLElement} element @param {string} name @param {string | null} value */
function set(element, name, value) {
  if (value === null) delete element.dataset[name];
  else if (element.dataset[name] !== value) element.dataset[name] = value;
}
