/**
 * The game in progress: all state of the page, and every way to change it. Views are functions of the new and the old
 * state; no view changes the state itself.
 *
 * @typedef {import("./line.js").Line} Line
 * @typedef {import("./line.js").Step} Step
 * @typedef {import("./api.js").Analysis} Analysis
 * @typedef {import("./position.js").Travel} Travel
 *
 * @typedef {object} Hint
 * @property {1 | 2} stage 1 shows the piece, 2 also where it goes
 * @property {number} from hole of the piece
 * @property {number} to hole that the next step leads to
 * @property {number[]} move holes of the whole move
 * @property {boolean} proved whether the move begins a shortest solution
 *
 * @typedef {object} Note a text of the catalogue under the board
 * @property {string} key key of the catalogue
 * @property {import("../ui/i18n.js").Values} values
 *
 * @typedef {object} ShownSolution a line that the solution player shows on the board
 * @property {Line} line moves already made, then the solution
 * @property {number} base number of steps before the solution
 * @property {"here" | "start" | "own"} origin where the solution begins; "own" replays the player's line
 * @property {boolean} playing
 * @property {number} speed
 * @property {boolean} proved whether the solution is proved to be shortest
 *
 * @typedef {object} RunningSearch
 * @property {string} position
 * @property {number} limit move limit being searched; 0 before the first
 *
 * @typedef {object} State
 * @property {Line} line the player's own line
 * @property {Line | null} aside the player's own line while a solution has been taken over
 * @property {Analysis | null} graded verdict and legal steps of the position on the board; null until the server answers
 * @property {number | null} selected hole of the selected piece
 * @property {Hint | null} hint
 * @property {Note | null} note
 * @property {ShownSolution | null} show solution on the board
 * @property {Line | null} edit position being set up by hand
 * @property {Travel[]} travel pieces to animate from the position before to this one
 * @property {"off" | "verdict" | "marks"} assistance setting: what the page says about positions without being asked
 * @property {boolean} movable setting: whether to mark the pieces that can move
 * @property {string} told position whose verdict was requested while `assistance` is off
 * @property {import("./api.js").Fault | null} trouble why `graded` is missing
 * @property {import("./line.js").KnownBounds} known bounds of positions without a proved number of moves
 * @property {RunningSearch | null} searched
 *
 * @typedef {(state: State, before: State) => void} Listener
 */
import { faultOf } from "./api.js";
import { DoublePress, drop, press, runTowards, stepAlong } from "./press.js";
import { heldHole, hintNote, isOpen, isWon, judgedAnew, knownAlong, knownWith, lastLive, movedTo, noHint, noteOn, played, positionAt, redoTarget, travelBetween, undoTarget } from "./line.js";
import { cellsOf } from "./position.js";
import { sayWhenLate, seek } from "./polling.js";

export class Session {
  /** @type {Listener[]} */
  #listeners = [];
  #double = new DoublePress();
  /** The gesture before: a quick player's next one waits for it, so that each meets the position it was meant for. */
  #before = Promise.resolve();

  /**
   * @param {import("./api.js").Api} api @param {Line} line
   * @param {{ chains: boolean, steered: boolean, atOnce: boolean, isEmpty: (cell: string) => boolean, points: [number, number][] }} rules
   */
  constructor(api, line, rules) {
    this.api = api;
    this.rules = rules;
    /** @type {State} */
    this.state = {
      line, aside: null, graded: null, selected: heldHole(line), hint: null, note: null, show: null, edit: null, travel: [],
      assistance: "verdict", movable: false, told: "", trouble: null, known: {}, searched: null,
    };
  }

  /** The line whose end is on the board. */
  get shown() {
    return this.state.edit ?? this.state.show?.line ?? this.state.line;
  }

  /** @param {Listener} listener */
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  /** Show the first state and ask what is possible in it. */
  start() {
    this.update({ note: noteOn(this.state.line) });
    this.learn(this.state.line.start.position, this.state.line.start.atlas ?? {});
    this.grade();
  }

  /** A press on a hole. @param {number} hole */
  press(hole) {
    const when = performance.now();
    return this.#inTurn((graded) => this.#press(graded, hole, when));
  }

  /** @param {Analysis} graded @param {number} hole @param {number} when it was pressed */
  async #press(graded, hole, when) {
    if (this.#double.ends(hole, when)) return;
    const empty = this.rules.isEmpty(cellsOf(graded.position)[hole]);
    const meaning = press(graded.steps, this.state.selected, hole, { empty, atOnce: this.rules.atOnce });
    if (meaning.kind === "play" && meaning.step.from === hole) this.#double.begin(meaning.step.to, when);
    if (meaning.kind !== "refuse" || empty || !(await this.#push(graded, hole))) this.#obey(meaning);
  }

  /** A piece dragged from one hole to another; where that is no step, the way it went may say which is meant.
   * @param {number} from @param {number | null} to @param {[number, number]} way */
  drop(from, to, way) {
    return this.#inTurn(({ steps }) => {
      this.#double.forget();
      const meaning = way.some(Boolean) ? drop(steps, from, to) : /** @type {const} */ ({ kind: "cancel" }); // the browser took it
      const own = steps.filter((step) => step.from === from);
      if (meaning.kind === "play" || !this.#steer(own.length ? own : steps, way)) this.#obey(meaning);
    });
  }

  /** The one step that leads this way, as an arrow key asks for. @param {[number, number]} way */
  steer(way) {
    return this.#inTurn(({ steps }) => void this.#steer(steps, way));
  }

  /** Obey a gesture once the one before it has been obeyed and it is known what is possible now.
   * @param {(graded: Analysis) => void | Promise<void>} act */
  #inTurn(act) {
    const turn = this.#before.then(async () => {
      const graded = await this.#ready();
      if (graded && graded.position === positionAt(this.state.line).position) await (isWon(this.state.line) ? this.say("note.won") : act(graded));
    });
    this.#before = turn.catch(() => {});
    return turn;
  }

  /** @param {Step[]} steps @param {[number, number]} way whether there was one such step */
  #steer(steps, way) {
    const step = this.rules.steered ? stepAlong(steps, way, this.rules.points) : null;
    if (step) this.#play(step);
    return step !== null;
  }

  /** Push the pressed piece and all before it towards a gap: as many single steps, but one act.
   * @param {Analysis} graded @param {number} hole */
  async #push({ position, steps }, hole) {
    const run = this.rules.chains ? null : runTowards(steps, hole, this.rules.points);
    const pushed = run && (await this.asked(this.api.line(position, run)));
    if (!pushed || position !== positionAt(this.state.line).position) return run !== null;
    const act = pushed.steps.map((step, index) => ({ ...step, ...(index ? { pushed: true } : {}) }));
    this.#go(act.reduce(played, this.state.line), act);
    return true;
  }

  /** @param {import("./press.js").Meaning} meaning */
  #obey(meaning) {
    if (meaning.kind === "play") this.#play(meaning.step);
    else if (meaning.kind === "select") this.update({ selected: meaning.hole, note: meaning.hole === heldHole(this.state.line) ? noteOn(this.state.line) : null });
    else if (meaning.kind === "cancel") this.cancel();
    else this.update({ note: { key: meaning.why, values: meaning.values }, selected: heldHole(this.state.line) });
  }

  /** @param {Step} step */
  #play(step) {
    if (this.state.line.at === 0) this.update({ aside: null });
    this.#go(played(this.state.line, step), [step]);
  }

  cancel() {
    this.update({ selected: null, note: null, hint: null });
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
    this.#go(line, []);
  }

  /** Show the piece; asked again, show where it goes. */
  async hint() {
    const { hint } = this.state;
    if (this.state.show) return;
    if (hint) return this.update({ hint: { ...hint, stage: 2 }, selected: hint.from, note: hintNote(hint, "to") });
    const { position } = positionAt(this.state.line);
    const answer = await seek(this, position, () => this.api.hint(position), ({ step }) => step !== null);
    if (!answer) return;
    /** @type {Hint | null} */
    const piece = answer.step && { stage: 1, ...answer.step, move: answer.move, proved: answer.proved };
    const next = this.state.graded?.steps.find(({ from, to }) => from === piece?.from && to === piece.to);
    this.learn(position, { moves: answer.found ?? null });
    if (next && answer.found) this.learn(next.position, { moves: answer.found - next.cost });
    if (piece) this.update({ hint: piece, note: hintNote(piece, "from") });
    else this.say(noHint(this.state.line, answer.verdict));
  }

  /** @param {ShownSolution | null} show */
  setShow(show) {
    const now = show?.line ?? this.state.line;
    const travel = travelBetween(this.shown, now, now.at);
    const known = show ? knownAlong(this.state.known, show.line) : this.state.known;
    this.update({ show, known, travel, hint: null, note: null, graded: null, selected: show ? null : heldHole(now) });
    this.grade();
  }

  /** Play on from the solution's position; the player's own line is put aside. */
  adopt() {
    const { show, line } = this.state;
    if (!show) return;
    this.update({ show: null, aside: this.state.aside ?? line });
    this.#go({ ...show.line, steps: show.line.steps.slice(0, show.line.at) }, []);
  }

  /** The line put aside comes back. */
  takeBack() {
    const { aside } = this.state;
    this.update({ aside: null });
    if (aside) this.#go(aside, []);
  }

  /** @param {string} key @param {import("../ui/i18n.js").Values} [values] */
  say(key, values = {}) {
    this.update({ note: { key, values } });
  }

  /** @param {Line} line @param {Travel[]} travel */
  #go(line, travel) {
    const note = noteOn(line);
    this.update({ line, travel, show: null, edit: null, graded: null, hint: null, note, selected: heldHole(line) });
    this.grade();
  }

  /** The legal steps of the player's position, once they are known. */
  async #ready() {
    if (this.state.show) return this.say("note.player");
    const [{ position }, { graded }] = [positionAt(this.state.line), this.state];
    return graded?.position === position ? graded : this.asked(this.api.steps(position));
  }

  /** Ask what is possible on the board. What was not decided when a line was played may be by now. */
  async grade() {
    const { position } = positionAt(this.shown);
    const answer = await this.api.position(position).catch(faultOf);
    if (this.state.edit || position !== positionAt(this.shown).position) return;
    if (!("code" in answer)) this.learn(position, answer.atlas ?? {});
    if ("code" in answer) this.update({ trouble: answer });
    else this.update({ graded: answer, line: judgedAnew(this.state.line, answer), trouble: null });
  }

  /** A bound or a way of a position, wherever it comes from. @param {string} position
   * @param {{ least?: number | null, moves?: number | null }} told */
  learn(position, { least, moves }) {
    const known = knownWith(this.state.known, position, { least: least ?? 0, moves: moves ?? null });
    if (known !== this.state.known) this.update({ known });
  }

  /** @param {RunningSearch | null} searched */
  watch(searched) {
    if (JSON.stringify(searched) !== JSON.stringify(this.state.searched)) this.update({ searched });
  }

  /** An answer, or a note that there is none. @template T @param {Promise<T>} question */
  async asked(question) {
    try {
      return await sayWhenLate(this, question);
    } catch (error) {
      this.update({ note: { key: "note.fault", values: { ...faultOf(error) } } });
    }
  }

  /** @param {Partial<State>} changed */
  update(changed) {
    const before = this.state;
    this.state = { ...before, ...changed };
    for (const listener of this.#listeners) listener(this.state, before);
  }
}
