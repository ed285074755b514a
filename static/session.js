/**
 * The game in progress: all state of the page, and every way to change it. Views are told the new state and
 * the old one; none of them changes anything itself.
 *
 * @typedef {import("./game.js").Line} Line
 * @typedef {import("./game.js").Step} Step
 * @typedef {import("./api.js").Graded} Graded
 * @typedef {import("./plan.js").Travel} Travel
 * @typedef {{ stage: 1 | 2, from: number, to: number }} Hint
 * @typedef {{ key: string, values: import("./words.js").Values }} Note
 * @typedef {{ line: Line, base: number, origin: "here" | "start", playing: boolean, speed: number }} Show
 *   a solution on the board; its own steps start behind `base`
 * @typedef {{ line: Line, aside: Line | null, graded: Graded | null, selected: number | null, hint: Hint | null,
 *   note: Note | null, show: Show | null, travel: Travel | null }} State
 *   `aside`: the player's own line while a solution has been taken over; `travel`: what moved last on the screen
 * @typedef {(state: State, before: State) => void} Listener
 */
import { isOpen, lastLive, movedTo, played, positionAt, redoTarget, undoTarget } from "./game.js";
import { drop, press } from "./input.js";
import { cellsOf } from "./plan.js";

/** A second press within this time belongs to the step that the first one made at once. */
const SAME_GESTURE = 900;

export class Session {
  /** @type {Listener[]} */
  #listeners = [];
  #playedAtOnce = { hole: -1, when: -Infinity };

  /**
   * @param {import("./api.js").Api} api @param {Line} line
   * @param {{ chains: boolean, isEmpty: (cell: string) => boolean }} rules
   */
  constructor(api, line, rules) {
    this.api = api;
    this.rules = rules;
    /** @type {State} */
    this.state = {
      line, aside: null, graded: null, selected: heldHole(line), hint: null, note: null, show: null, travel: null,
    };
  }

  /** The line whose end is on the board. */
  get shown() {
    return this.state.show?.line ?? this.state.line;
  }

  /** @param {Listener} listener */
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  /** Show the first state and ask what is possible in it. */
  start() {
    this.#set({});
    this.#grade();
  }

  /** A press on a hole. @param {number} hole */
  async press(hole) {
    const again = performance.now() - this.#playedAtOnce.when < SAME_GESTURE;
    if (again && hole === this.#playedAtOnce.hole) return;
    const graded = await this.#ready();
    if (!graded) return;
    const empty = this.rules.isEmpty(cellsOf(graded.position)[hole]);
    const meaning = press(graded.steps, this.state.selected, hole, { empty, atOnce: !this.rules.chains });
    if (meaning.kind === "play" && meaning.step.from === hole) {
      this.#playedAtOnce = { hole: meaning.step.to, when: performance.now() };
    }
    this.#obey(meaning);
  }

  /** A piece dragged from one hole to another. @param {number} from @param {number | null} to */
  async drop(from, to) {
    const graded = await this.#ready();
    if (graded) this.#obey(drop(graded.steps, from, to));
  }

  /** @param {import("./input.js").Meaning} meaning */
  #obey(meaning) {
    if (meaning.kind === "play") this.#play(meaning.step);
    else if (meaning.kind === "select") this.#set({ selected: meaning.hole, note: null });
    else if (meaning.kind === "cancel") this.cancel();
    else this.#set({ note: { key: meaning.why, values: meaning.values }, selected: heldHole(this.state.line) });
  }

  /** @param {Step} step */
  #play(step) {
    if (this.state.line.at === 0) this.#set({ aside: null });
    this.#go(played(this.state.line, step), step);
  }

  cancel() {
    this.#set({ selected: null, note: null });
  }

  /** @param {boolean} [other] one jump instead of a move, or the other way round */
  undo(other) {
    if (this.state.line.at > 0) this.goTo(undoTarget(this.state.line, other));
  }

  /** @param {boolean} [other] */
  redo(other) {
    if (this.state.line.at < this.state.line.steps.length) this.goTo(redoTarget(this.state.line, other));
  }

  restart() {
    this.goTo(0);
  }

  /** Back to the last position from which the goal can be reached. */
  goBack() {
    this.goTo(Math.max(0, lastLive(this.shown)));
  }

  /** Another point of the player's own line. @param {number} at */
  goTo(at) {
    this.#go(movedTo(this.state.line, at), travelBetween(this.shown, this.state.line, at));
  }

  /** Another line altogether. @param {Line} line */
  restore(line) {
    this.#go(line, null);
  }

  /** Show the piece; asked again, show where it goes. */
  async hint() {
    const { hint } = this.state;
    if (this.state.show || hint?.stage === 2) return;
    if (hint) return this.#set({ hint: { ...hint, stage: 2 }, selected: hint.from });
    const { position } = positionAt(this.state.line);
    const answer = await this.#asked(this.api.hint(position));
    if (!answer || position !== positionAt(this.state.line).position) return;
    if (answer.step) this.#set({ hint: { stage: 1, ...answer.step }, note: null });
    else this.say(`note.hint.${answer.verdict}`);
  }

  /** Put a solution on the board, beside the player's own line. @param {"here" | "start"} origin */
  async showSolution(origin) {
    const own = this.state.line;
    const base = origin === "start" ? 0 : Math.max(0, lastLive(own));
    const { position } = positionAt(own, base);
    const solution = await this.#asked(this.api.solution(position));
    if (!solution) return;
    if (solution.moves.length) await this.showMoves(movedTo(own, base), solution.moves, origin);
    else this.say(`note.solution.${solution.verdict}`);
  }

  /** Put moves on the board that follow the end of a line. @param {Line} line @param {number[][]} moves
   * @param {"here" | "start"} origin */
  async showMoves(line, moves, origin) {
    const answer = await this.#asked(this.api.line(positionAt(line).position, moves));
    if (!answer) return;
    const steps = [...line.steps.slice(0, line.at), ...answer.steps];
    this.setShow({ line: { ...line, steps }, base: line.at, origin, playing: false, speed: 1 });
  }

  /** @param {Show | null} show */
  setShow(show) {
    const now = show?.line ?? this.state.line;
    const travel = travelBetween(this.shown, now, now.at);
    this.#set({ show, travel, hint: null, note: null, graded: null, selected: show ? null : heldHole(now) });
    this.#grade();
  }

  /** Play on from the solution's position; the player's own line is put aside. */
  adopt() {
    const { show, line } = this.state;
    if (!show) return;
    this.#set({ show: null, aside: this.state.aside ?? line });
    this.#go({ ...show.line, steps: show.line.steps.slice(0, show.line.at) }, null);
  }

  /** The line put aside comes back. */
  takeBack() {
    const { aside } = this.state;
    this.#set({ aside: null });
    if (aside) this.#go(aside, null);
  }

  /** @param {string} key @param {import("./words.js").Values} [values] */
  say(key, values = {}) {
    this.#set({ note: { key, values } });
  }

  /** @param {Line} line @param {Travel | null} travel */
  #go(line, travel) {
    const open = isOpen(positionAt(line)) && line.at > 0;
    const note = open ? { key: "note.chain", values: {} } : null;
    this.#set({ line, travel, show: null, graded: null, hint: null, note, selected: heldHole(line) });
    this.#grade();
  }

  /** The legal steps of the player's position, once they are known. */
  async #ready() {
    if (this.state.show) return this.say("note.player");
    return this.#asked(this.api.position(positionAt(this.state.line).position));
  }

  async #grade() {
    const { position } = positionAt(this.shown);
    const graded = await this.#asked(this.api.position(position));
    if (graded && position === positionAt(this.shown).position) this.#set({ graded });
  }

  /** An answer, or a note that there is none. @template T @param {Promise<T>} question */
  async #asked(question) {
    try {
      return await question;
    } catch (error) {
      this.say("note.offline", { why: error instanceof Error ? error.message : "" });
    }
  }

  /** @param {Partial<State>} changed */
  #set(changed) {
    const before = this.state;
    this.state = { ...before, ...changed };
    for (const listener of this.#listeners) listener(this.state, before);
  }
}

/** The hole of the piece that may go on. @param {Line} line @returns {number | null} */
function heldHole(line) {
  const hole = positionAt(line).position.split(":")[1];
  return hole === undefined ? null : Number(hole);
}

/** The one piece that moved between two places of a line; null where several did, or the lines differ.
 * @param {Line} was @param {Line} now @param {number} at @returns {Travel | null} */
function travelBetween(was, now, at) {
  if (was.steps.slice(0, was.at).some((step, index) => index < at && step !== now.steps[index])) return null;
  const [low, high] = [Math.min(was.at, at), Math.max(was.at, at)];
  const steps = (was.at > at ? was : now).steps.slice(low, high);
  const joined = steps.every((step, index) => index === 0 || step.from === steps[index - 1].to);
  if (!steps.length || !joined) return null;
  const ends = { from: steps[0].from, to: /** @type {Step} */ (steps.at(-1)).to };
  return was.at > at ? { from: ends.to, to: ends.from } : ends;
}

