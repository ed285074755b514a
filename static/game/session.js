/**
 * The game in progress: all state of the page, and the actions that change it. A view names the fields of the state that it
 * shows, and is called when one of them changes; no view changes the state itself.
 *
 * @typedef {import("./line.js").Line} Line
 * @typedef {import("./line.js").Step} Step
 * @typedef {import("./api.js").Analysis} Analysis
 * @typedef {import("./cells.js").Travel} Travel
 *
 * @typedef {import("./chains.js").Chain} Chain
 *
 * @typedef {object} Hint
 * @property {1 | 2} stage 1 shows the piece, 2 also where it goes
 * @property {number} from hole of the piece
 * @property {number} to hole that the next step leads to
 * @property {number[]} move holes of the whole move
 * @property {boolean} proved whether the move begins a shortest solution
 *
 * @typedef {object} Note a catalogue text shown under the board
 * @property {string} key key of the catalogue
 * @property {import("../ui/i18n.js").Values} values
 * @property {number[][]} [groups] holes that the text speaks of, each group after its number
 * @property {string | null} [certificate] address of a proof of the text for programs
 *
 * @typedef {object} ShownSolution a line that the solution player shows on the board
 * @property {Line} line moves already made, then the solution
 * @property {number} base number of steps before the solution
 * @property {"here" | "start" | "own"} origin where the solution begins; "own" replays the player's line
 * @property {boolean} playing
 * @property {boolean} proved whether the solution is proved to be shortest
 *
 * @typedef {object} RunningSearch
 * @property {string} position
 * @property {number} limit move limit being searched; 0 before the first
 *
 * @typedef {object} State
 * @property {Line} line the player's own line
 * @property {Line | null} savedLine the player's own line while a solution has been taken over
 * @property {Analysis | null} analysis verdict and legal steps of the position on the board; null until the server answers
 * @property {number | null} selected hole of the selected piece
 * @property {Chain[] | null} chains those to the hole that was pressed, between which the player has to choose
 * @property {Hint | null} hint hint on the board, until the next move
 * @property {Note | null} note text under the board; null for the rules
 * @property {ShownSolution | null} solution solution on the board, in place of the player's own line
 * @property {Line | null} edit position being set up by hand, in place of the player's own line; a line without steps
 * @property {Travel[]} travel pieces to animate between the previous and the current position
 * @property {"off" | "verdict" | "marks"} assistance setting: what the page says about positions without being asked
 * @property {boolean} atOnce setting: whether a peg with a single jump makes it when it is pressed; other pieces always do
 * @property {boolean} movable setting: whether to mark the pieces that can move
 * @property {import("./slack.js").Slack | null} slack numbers that fit the goal of the line on the board; null: not shown
 * @property {string} revealedPosition position whose hidden verdict was requested
 * @property {import("./api.js").Fault | null} fault why `analysis` is missing
 * @property {import("./line.js").KnownBounds} known bounds of positions without a proved number of moves
 * @property {RunningSearch | null} search search that the panel is running, for any position; null unless it makes progress
 * @property {Readonly<import("./help.js").Help>} help help that the player has had since the start
 * @property {number} restarted steps of the line that Restart has taken back just now, which Undo brings again; 0: none
 * @property {number} tries how often a first move was played from the start
 * @property {import("./help.js").Ended | null} ended last end of a game
 * @property {import("./medal.js").Medal | null} medal of the solved game on the board, whatever was shown after its end
 *
 * @typedef {readonly (keyof State)[]} Fields
 * @typedef {(state: State, before: State) => void} Listener `before`: the state before the change, or for the first call
 *   of a view the state itself
 */
import * as api from "./api.js";
import { helpPlayedWith, isVerdictHidden, NOT_TRIED, withEnd, withHelp, withShown } from "./help.js";
import { drop, press, pushTowards, stepInDirection } from "./press.js";
import {
  activeHole,
  hintNote,
  isWon,
  withVerdict,
  withSolutionBounds,
  withBounds,
  movedTo,
  movesMade,
  noHintKey,
  chainNote,
  played,
  positionAt,
  redoTarget,
  travelBetween,
  undoTarget,
} from "./line.js";
import { medalOf } from "./medal.js";
import { chainsFrom } from "./board_view.js";
import { cellsOf } from "./cells.js";
import { isEmpty, puzzle } from "./position.js";
import { groupsOf, marksOf } from "./reason.js";
import { accountOf } from "./slack.js";
import { pollUntilKnown } from "./polling.js";
import { choices } from "./chains.js";

/** Milliseconds after which a note says that the server is slow. */
const SLOW = 1000;
/** Notes that say that an answer takes time. */
const WAITING_NOTES = ["note.asking", "note.seeking", "note.warming"];

/** Milliseconds in which a press on the target of a step that a press made at once is part of a double press, and no step. */
const DOUBLE_PRESS_TIME = 900;
const NO_DOUBLE_PRESS = { hole: -1, until: 0 };

/** Fields that tell which line is on the board, see `Session.shown`. @type {Fields} */
export const SHOWN = ["line", "solution", "edit"];

/** The state of the page and the actions of the player. */
export class Session {
  /** @type {{ fields: Fields, listener: Listener }[]} */
  #listeners = [];
  /** @type {Listener[]} */
  #views = [];
  /** Target of the step that the last press made at once, and the time until which a press on it is no step. */
  #doublePress = NO_DOUBLE_PRESS;
  /** Hole of the piece that a press has selected, unless it is the active peg, which stays selected. @type {number | null} */
  #taken = null;
  /** Promise that resolves when all gestures so far have been handled. The next gesture waits for it. */
  lastGesture = Promise.resolve();
  /** Position whose hint has been requested, and the stage in which to show it. @type {{ position: string, stage: 1 | 2 } | null} */
  #awaitedHint = null;

  /** @param {Line} line @param {Readonly<import("./help.js").Attempts>} [attempts] help and tries so far */
  constructor(line, { help, tries, ended } = NOT_TRIED) {
    /** @type {State} */
    this.state = {
      line,
      savedLine: null,
      analysis: null,
      selected: activeHole(line),
      chains: null,
      hint: null,
      note: null,
      solution: null,
      edit: null,
      travel: [],
      assistance: "verdict",
      atOnce: false,
      movable: false,
      slack: null,
      revealedPosition: "",
      fault: null,
      known: {},
      search: null,
      restarted: 0,
      help,
      tries,
      ended,
      medal: null,
    };
    this.state.ended = withEnd(this.state);
    this.state.medal = medalOn(this.state);
  }

  /** The line that the board shows. */
  get shown() {
    return this.state.edit ?? this.state.solution?.line ?? this.state.line;
  }

  /** Call a listener whenever one of some fields changes. @param {Fields} fields @param {Listener} listener */
  subscribe(fields, listener) {
    this.#listeners.push({ fields, listener });
  }

  /** Let a view show some fields: at the start, and whenever one of them changes. @param {Fields} fields @param {Listener} view */
  follow(fields, view) {
    this.subscribe(fields, view);
    this.#views.push(view);
  }

  /** Show the first state and analyse it. */
  start() {
    for (const view of this.#views) view(this.state, this.state);
    this.update({ note: chainNote(this.state.line) });
    this.addBounds(this.state.line.start.position, this.state.line.start.bounds ?? {});
    this.analyse();
  }

  /** Handle a press on a hole. @param {number} hole */
  press(hole) {
    const when = performance.now();
    return this.#enqueue((analysis) => this.#press(analysis, hole, when));
  }

  /** @param {Analysis} analysis @param {number} hole @param {number} when it was pressed */
  async #press(analysis, hole, when) {
    const { hole: target, until } = this.#doublePress;
    this.#doublePress = NO_DOUBLE_PRESS;
    if (hole === target && when < until) return;
    const chains = this.#chainsTo(analysis, hole);
    if (chains) return this.#run(analysis.position, chains);
    const empty = isEmpty(cellsOf(analysis.position)[hole]);
    const atOnce = this.state.atOnce || !puzzle.multiStepMoves;
    const taken = this.#taken === hole && this.state.selected === hole;
    const meaning = press(analysis.steps, this.state.selected, hole, { empty, atOnce, taken });
    if (meaning.kind === "play" && meaning.step.from === hole)
      this.#doublePress = { hole: meaning.step.to, until: performance.now() + DOUBLE_PRESS_TIME };
    if (meaning.kind !== "refuse" || empty || !(await this.#pushTowards(analysis, hole)))
      this.#perform(meaning);
  }

  /** Return the chains between which a press on a hole decides: those of the selected peg that end there, or of the choice
   * that the player has. @param {Analysis} analysis @param {number} hole */
  #chainsTo(analysis, hole) {
    const { chains, selected } = this.state;
    return chains ? choices(chains).get(hole) : chainsFrom(puzzle, analysis, selected).get(hole);
  }

  /** Play a chain, or let the player choose between several. @param {string} position @param {Chain[]} chains of one length */
  async #run(position, chains) {
    const [{ holes }] = chains;
    const to = holes[holes.length - 1];
    if (chains.length > 1) {
      const list = [...choices(chains).keys()].join(" / ");
      return this.update({ chains, note: { key: "note.ways", values: { to, list } } });
    }
    const run = await this.tryRequest(api.line(position, [holes]));
    if (run && position === positionAt(this.state.line).position)
      this.#play(run.steps, [{ from: holes[0], to, path: holes }]);
  }

  /** Take a jump of a drag that goes on; return whether it was made. @param {number} from @param {number} to */
  async hop(from, to) {
    const before = this.state.line;
    await this.#enqueue(({ steps }) => {
      const step = steps.find((step) => step.from === from && step.to === to);
      if (step) this.#play([step]);
    });
    return this.state.line !== before && this.state.line.steps[before.at]?.to === to;
  }

  /** Select a piece that a pointer has begun to drag, if it can move. @param {number} hole */
  lift(hole) {
    return this.#enqueue(({ steps }) => {
      if (steps.some(({ from }) => from === hole)) this.#perform({ kind: "select", hole });
    });
  }

  /** Handle a piece dragged from one hole to another. If the drag is no step and no run, try its direction.
   * @param {number} from @param {number | null} to @param {[number, number]} direction */
  drop(from, to, direction) {
    return this.#enqueue((analysis) => {
      const { position, steps } = analysis;
      this.#doublePress = NO_DOUBLE_PRESS;
      const chains = to === null ? undefined : chainsFrom(puzzle, analysis, from).get(to);
      if (chains) return this.#run(position, chains);
      const meaning = direction.some(Boolean)
        ? drop(steps, from, to)
        : /** @type {const} */ ({ kind: "cancel" }); // the browser took over the gesture
      const own = steps.filter((step) => step.from === from);
      if (meaning.kind === "play" || !this.#playInDirection(own.length ? own : steps, direction))
        this.#perform(meaning);
    });
  }

  /** Play the only step in a direction, for an arrow key. @param {[number, number]} direction */
  steer(direction) {
    return this.#enqueue(({ steps }) => void this.#playInDirection(steps, direction));
  }

  /** Run `act` after the gesture before, once the legal steps are known. In a solution or a solved game only show a note.
   * @param {(analysis: Analysis) => void | Promise<void>} act */
  #enqueue(act) {
    const turn = this.lastGesture.then(async () => {
      if (this.state.solution) return this.showNote("note.player");
      const analysis = await this.stepsOf(positionAt(this.state.line).position);
      if (analysis && analysis.position === positionAt(this.state.line).position)
        await (isWon(this.state.line) ? this.showNote("note.won") : act(analysis));
    });
    this.lastGesture = turn.catch(() => {});
    return turn;
  }

  /** Play the only step in a direction; return whether there is one.
   * @param {Step[]} steps @param {[number, number]} direction */
  #playInDirection(steps, direction) {
    const step = puzzle.arrowKeys ? stepInDirection(steps, direction, puzzle.points) : null;
    if (step) this.#play([step]);
    return step !== null;
  }

  /** Push the row of pieces from a gap to the pressed hole, as steps undone together; return whether there is such a row.
   * @param {Analysis} analysis @param {number} hole */
  async #pushTowards({ position, steps: legal }, hole) {
    const run = puzzle.multiStepMoves ? null : pushTowards(legal, hole, puzzle.points);
    const pushed = run && (await this.tryRequest(api.line(position, run)));
    if (!pushed || position !== positionAt(this.state.line).position) return run !== null;
    const steps = pushed.steps.map((step, index) => ({ ...step, ...(index ? { pushed: true } : {}) }));
    this.#play(steps);
    return true;
  }

  /** @param {import("./press.js").Meaning} meaning */
  #perform(meaning) {
    const active = activeHole(this.state.line);
    this.#taken = meaning.kind === "select" && meaning.hole !== active ? meaning.hole : null;
    if (meaning.kind === "play") this.#play([meaning.step]);
    else if (meaning.kind === "select")
      this.update({
        selected: meaning.hole,
        chains: null,
        note: meaning.hole === active ? chainNote(this.state.line) : null,
      });
    else if (meaning.kind === "cancel") this.cancel();
    else {
      // a peg is often pressed in place of the hole behind it: the selected one and its targets stay in sight
      const selected = meaning.why === "note.stuck" ? this.state.selected : active;
      this.update({ note: { key: meaning.why, values: meaning.values }, selected, chains: null });
    }
  }

  /** @param {Step[]} steps @param {Travel[]} [travel] of the pieces, if not one for each step */
  #play(steps, travel = steps) {
    if (this.state.line.at === 0) this.update({ savedLine: null, tries: this.state.tries + 1 });
    this.#setLine(steps.reduce(played, this.state.line), travel);
  }

  /** Clear the selection, the note and the hint. */
  cancel() {
    this.#taken = null;
    this.update({ selected: null, chains: null, note: null, hint: null });
  }

  /** Undo the last move or step. @param {boolean} [other] a single jump instead of a whole move, or a move instead of a jump */
  undo(other) {
    const { line, restarted } = this.state;
    if (line.at > 0) this.goTo(undoTarget(line, other));
    else if (restarted) this.goTo(restarted);
  }

  /** Go back to the start, if the game has left it; the next Undo takes that back. */
  restart() {
    const { line } = this.state;
    if (line.at) this.#setLine(movedTo(line, 0), travelBetween(this.shown, line, 0), { restarted: line.at });
  }

  /** Redo the next move or step. @param {boolean} [other] as for `undo` */
  redo(other) {
    if (this.state.line.at < this.state.line.steps.length) this.goTo(redoTarget(this.state.line, other));
  }

  /** Go to another point of the player's own line; the steps after it can be redone. @param {number} at */
  goTo(at) {
    this.#setLine(movedTo(this.state.line, at), travelBetween(this.shown, this.state.line, at));
  }

  /** Begin a new game, without help and not tried unless `attempts` says so. @param {Line} line
   * @param {Readonly<import("./help.js").Attempts>} [attempts] */
  begin(line, attempts = NOT_TRIED) {
    this.#setLine(line, [], { ...attempts, savedLine: null, revealedPosition: "" });
  }

  /** Replace the player's own line. @param {Line} line */
  restore(line) {
    this.#setLine(line, []);
  }

  /** Show the piece to move; at the second press show its target, too. The second press may come before the answer, but does
   * not count once a note says that the answer takes time. */
  async hint() {
    const { hint } = this.state;
    if (this.state.solution) return;
    if (hint) return this.#showHint({ ...hint, stage: 2 });
    const { position } = positionAt(this.state.line);
    if (this.#awaitedHint?.position === position) {
      if (!WAITING_NOTES.includes(this.state.note?.key ?? "")) this.#awaitedHint.stage = 2;
      return;
    }
    const awaited = (this.#awaitedHint = { position, stage: /** @type {1 | 2} */ (1) });
    const answer = await pollUntilKnown(this, () => api.hint(position));
    if (this.#awaitedHint === awaited) this.#awaitedHint = null;
    if (!answer || this.state.solution) return;
    /** @type {Hint | null} */
    const piece = answer.step && {
      stage: awaited.stage,
      ...answer.step,
      move: answer.move,
      proved: answer.proved,
    };
    this.addBounds(position, answer.bounds ?? {});
    if (piece && answer.bounds?.most) void this.#boundAfterHint(position, piece, answer.bounds.most);
    if (piece) {
      this.#addHelp({ hints: this.state.help.hints + 1 });
      this.#showHint(piece);
    } else {
      if (answer.verdict === "dead") this.#reveal({ told: true }); // by the refusal
      this.showNote(noHintKey(this.state.line, answer.verdict));
    }
  }

  /** Show the verdict of the position on the board if it is hidden; this counts as help. */
  check() {
    this.#reveal({ checks: this.state.help.checks + 1 });
  }

  /** Show the verdict of the position on the board if it is hidden. @param {Partial<import("./help.js").Help>} more help that this is */
  #reveal(more) {
    if (!isVerdictHidden(this.state)) return;
    this.update({ help: { ...this.state.help, ...more }, revealedPosition: positionAt(this.shown).position });
  }

  /** Show why the position on the board cannot be solved: a sentence, and the holes or numbers that it speaks of. */
  async explain() {
    const { position } = positionAt(this.shown);
    const answer = await this.tryRequest(api.reason(position));
    if (!answer?.sentence || position !== positionAt(this.shown).position) return;
    this.update({
      note: {
        ...(this.#overdraft(position) ?? {
          key: "note.read",
          values: { text: answer.sentence },
          groups: groupsOf(answer),
        }),
        certificate: answer.certificate,
      },
      hint: null,
    });
  }

  /** Return the reason that the slack on the board gives, if it is used up. @param {string} position */
  #overdraft(position) {
    const { slack } = this.state;
    const values = slack && accountOf(slack, position, puzzle.alphabet[0]);
    return values && values.n < 0 ? { key: "note.slack", values, groups: marksOf(slack) } : null;
  }

  /** Count that a solution was shown beside the board, or a search for one. */
  addShownSolution() {
    this.#addHelp({ solution: true });
  }

  /** Count help that the player had elsewhere for this problem, as in another tab. @param {Readonly<import("./help.js").Help>} other */
  countHelp(other) {
    const help = withHelp(this.state.help, other);
    if (help !== this.state.help) this.update({ help });
  }

  /** @param {Partial<import("./help.js").Help>} more */
  #addHelp(more) {
    this.update({ help: { ...this.state.help, ...more } });
  }

  /** @param {Hint} hint */
  #showHint(hint) {
    if (hint.stage === 1) this.update({ hint, note: hintNote(hint, "from") });
    else this.update({ hint, selected: hint.from, note: hintNote(hint, "to") });
  }

  /** Add the bound of the position after a hinted step, even if the step is played before the legal steps arrive.
   * @param {string} position @param {{ from: number, to: number }} hinted @param {number} most bound before the step */
  async #boundAfterHint(position, hinted, most) {
    const answer = await this.stepsOf(position);
    const next = answer?.steps.find(({ from, to }) => from === hinted.from && to === hinted.to);
    if (next) this.addBounds(next.position, { most: most - next.cost });
  }

  /** Show a solution on the board, or for null the player's own line again. @param {ShownSolution | null} solution */
  showSolution(solution) {
    const now = solution?.line ?? this.state.line;
    const travel = travelBetween(this.shown, now, now.at);
    const known = solution ? withSolutionBounds(this.state.known, solution.line) : this.state.known;
    this.update({
      solution,
      known,
      travel,
      chains: null,
      hint: null,
      note: null,
      analysis: null,
      selected: solution ? null : activeHole(now),
    });
    this.analyse();
  }

  /** Continue from the solution on the board. The player's own line moves to `savedLine`. */
  takeOverSolution() {
    const { solution, line } = this.state;
    if (!solution) return;
    this.update({ solution: null, savedLine: this.state.savedLine ?? line });
    this.#setLine({ ...solution.line, steps: solution.line.steps.slice(0, solution.line.at) }, []);
  }

  /** Restore the player's own line from `savedLine`. */
  restoreSavedLine() {
    const { savedLine } = this.state;
    this.update({ savedLine: null });
    if (savedLine) this.#setLine(savedLine, []);
  }

  /** @param {string} key @param {import("../ui/i18n.js").Values} [values] */
  showNote(key, values = {}) {
    this.update({ note: { key, values } });
  }

  /** @param {Line} line @param {Travel[]} travel @param {Partial<State>} [changed] what else changes */
  #setLine(line, travel, changed = {}) {
    this.#taken = null;
    const note = chainNote(line);
    this.update({
      restarted: 0,
      ...changed,
      line,
      travel,
      solution: null,
      edit: null,
      analysis: null,
      chains: null,
      hint: null,
      note,
      selected: activeHole(line),
    });
    this.analyse();
  }

  /** Return the analysis of a position, from the state or by a request; undefined on failure. @param {string} position */
  async stepsOf(position) {
    const { analysis } = this.state;
    return analysis?.position === position ? analysis : this.tryRequest(api.steps(position));
  }

  /** Request verdict and legal steps of the position on the board, and store the verdict in the player's own line, too, even if
   * it comes after the next move: the way back from a dead end depends on it. */
  async analyse() {
    const { position } = positionAt(this.shown);
    const answer = await api.analysis(position).catch(api.faultOf);
    const isShown = !this.state.edit && position === positionAt(this.shown).position;
    if ("code" in answer) return isShown && this.update({ fault: answer });
    this.addBounds(position, answer.bounds ?? {});
    const line = withVerdict(this.state.line, answer);
    if (isShown) this.update({ analysis: answer, line, fault: null });
    else if (line !== this.state.line) this.update({ line }); // the player has gone on meanwhile
  }

  /** Add bounds of a position, from the server or a running search. @param {string} position
   * @param {Partial<import("./line.js").Bounds>} bounds */
  addBounds(position, bounds) {
    const known = withBounds(this.state.known, position, bounds);
    if (known !== this.state.known) this.update({ known });
  }

  /** @param {RunningSearch | null} search */
  setSearch(search) {
    if (JSON.stringify(search) !== JSON.stringify(this.state.search)) this.update({ search });
  }

  /** Return the answer of a request, with a note while it takes long; if it fails, show a note and return undefined.
   * @template T @param {Promise<T>} question */
  async tryRequest(question) {
    const timer = setTimeout(() => this.showNote("note.asking"), SLOW);
    try {
      return await question;
    } catch (error) {
      this.update({ note: { key: "note.fault", values: { ...api.faultOf(error) } } });
    } finally {
      clearTimeout(timer);
      if (this.state.note?.key === "note.asking") this.update({ note: null });
    }
  }

  /** Change some fields of the state and call those who listen to them. @param {Partial<State>} changed */
  update(changed) {
    const before = this.state;
    this.state = { ...before, ...changed };
    this.state.ended = withEnd(this.state);
    this.state.help = withShown(this.state.help, this.state);
    this.state.medal = medalOn(this.state);
    for (const { fields, listener } of this.#listeners)
      if (fields.some((field) => this.state[field] !== before[field])) listener(this.state, before);
  }
}

/** Return the medal of the game on the board; null unless it is solved. @param {State} state */
function medalOn(state) {
  const { line } = state;
  if (!isWon(line)) return null;
  return medalOf({ moves: movesMade(line), best: line.start.moves_left, help: helpPlayedWith(state) });
}
