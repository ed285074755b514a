/**
 * The solution player: buttons, speed and a slider for a solution on the board. The player's own line is not changed.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../game/session.js").ShownSolution} ShownSolution
 */
import * as api from "../game/api.js";
import {
  begin,
  isWon,
  lastNotDead,
  movedTo,
  moves,
  movesMade,
  positionAt,
  redoTarget,
} from "../game/line.js";
import { puzzle } from "../game/position.js";
import { changeSentence } from "../speech/sentences.js";
import { showMoveList } from "./move_list.js";
import { button, element, find, isByKey, write } from "../ui/dom.js";
import { settings } from "../ui/storage.js";
import { pollUntilKnown } from "../game/polling.js";
import { SHOWN } from "../game/session.js";
import * as texts from "../ui/i18n.js";

/** Milliseconds between two steps at speed 1. */
const STEP_TIME = 800;
/** Milliseconds that a screen reader takes for a character of a sentence, at a usual rate. */
const SPOKEN_TIME = 55;

/** The player for a solution on the board. */
export class SolutionPlayer {
  #timer = 0;
  /** Whether a key has started the player: then it plays whole moves, and waits for its sentences. */
  #isHeard = false;
  /** Position whose solution has been requested. @type {string | null} */
  #awaited = null;

  /** @param {Session} session */
  constructor(session) {
    this.session = session;
    this.root = element(".player");
    this.slider = find(".scrub", HTMLInputElement);
    this.speed = find("#speed", HTMLSelectElement);
    this.playButton = find('[data-player="play"]', HTMLButtonElement);
    for (const control of this.root.querySelectorAll("[data-player]")) {
      control.addEventListener("click", (event) =>
        this.act(control.getAttribute("data-player") ?? "", isByKey(event)),
      );
    }
    this.slider.addEventListener("input", () => this.#goTo(Number(this.slider.value)));
    this.speed.addEventListener("change", () => this.show(session.state));
    button("leave").addEventListener("click", () => session.showSolution(null));
    button("adopt").addEventListener("click", () => session.takeOverSolution());
    const origin = button("origin");
    origin.addEventListener("click", () => this.open(origin.dataset.origin === "start" ? "start" : "here"));
  }

  /** Play the shortest known solution, from the start or the last position that is no dead end. @param {"here" | "start"} origin */
  async open(origin) {
    const own = this.session.state.line;
    if (isWon(own)) origin = "start"; // no moves are left from here
    const base = origin === "start" ? 0 : Math.max(0, lastNotDead(own));
    const { position } = positionAt(own, base);
    if (this.#awaited === position) return;
    this.#awaited = position;
    const solution = await pollUntilKnown(this.session, () => api.solution(position));
    if (this.#awaited === position) this.#awaited = null;
    if (!solution) return;
    const { moves: found, proved } = solution;
    if (!found.length) return this.session.showNote(`note.solution.${solution.verdict}`);
    await this.showMoves(movedTo(own, base), found, origin, proved);
  }

  /** Play moves on the board, as a solution that continues a line. @param {import("../game/line.js").Line} line
   * @param {number[][]} holes of each move @param {"here" | "start"} origin @param {boolean} [proved] whether the solution is proved to be shortest */
  async showMoves(line, holes, origin, proved = true) {
    const answer = await this.session.tryRequest(api.line(positionAt(line).position, holes));
    if (!answer) return;
    const steps = [...line.steps.slice(0, line.at), ...answer.steps];
    this.session.showSolution({
      line: { ...line, steps },
      base: line.at,
      origin,
      playing: !settings().calm,
      proved,
    });
  }

  /** @param {boolean} [byKey] whether a key has asked for it */
  toggle(byKey = false) {
    this.#isHeard = byKey;
    if (this.session.state.solution) this.session.showSolution(null);
    else this.open("here");
  }

  /** Run the action of a button. @param {string} what value of `data-player` @param {boolean} [byKey] */
  act(what, byKey = false) {
    const { solution } = this.session.state;
    if (!solution) return;
    if (what === "play") this.#isHeard = byKey;
    const { at, steps } = solution.line;
    if (what === "play" && at === steps.length)
      this.#change({ line: movedTo(solution.line, solution.base), playing: true });
    else if (what === "play") this.#change({ playing: !solution.playing });
    else this.#goTo({ first: solution.base, back: at - 1, forward: at + 1, last: steps.length }[what] ?? at);
  }

  /** @param {import("../game/session.js").State} state */
  show({ solution }) {
    clearTimeout(this.#timer);
    this.root.hidden = solution === null;
    if (!solution) return;
    this.#describe(solution);
    if (solution.playing)
      this.#timer = setTimeout(() => this.#advance(), this.#pause(solution) / Number(this.speed.value));
  }

  /** Return the milliseconds before the next step, or whole move. @param {ShownSolution} solution */
  #pause = ({ line }) => STEP_TIME + (this.#isHeard ? SPOKEN_TIME * this.#said(line).length : 0);

  /** Return what is said of the last move on the board. @param {import("../game/line.js").Line} line */
  #said(line) {
    const { first } = moves(line).findLast(({ end }) => end <= line.at) ?? { first: line.at };
    return changeSentence(puzzle, texts, movedTo(line, first), line, true);
  }

  #advance() {
    const { solution } = this.session.state;
    if (!solution) return;
    const { at, steps } = solution.line;
    const next = this.#isHeard ? redoTarget(movedTo(solution.line, at)) : at + 1;
    if (at < steps.length)
      this.session.showSolution({
        ...solution,
        line: movedTo(solution.line, next),
        playing: next < steps.length,
      });
    else this.#change({ playing: false });
  }

  /** @param {ShownSolution} show */
  #describe(show) {
    const { line, base, origin, playing } = show;
    const n = movesMade({ ...line, at: line.steps.length }) - movesMade(line, base);
    write(find("h2", HTMLElement, this.root), texts.get(titleOf(show), { n: movesMade(line, base) }));
    write(
      find(".about-solution", HTMLElement, this.root),
      texts.get(base ? "player.about" : "player.whole", { n, all: n + movesMade(line, base) }),
    );
    Object.assign(this.slider, { min: String(base), max: String(line.steps.length), value: String(line.at) });
    this.slider.setAttribute("aria-valuetext", this.#said(line) || texts.get("count.moves", { n: 0 }));
    this.playButton.setAttribute("aria-label", texts.get(playing ? "player.pause" : "player.play"));
    find("use", SVGUseElement, this.playButton).setAttribute("href", playing ? "#i-pause" : "#i-play");
    const other = button("origin");
    other.dataset.origin = origin === "start" ? "here" : "start";
    other.hidden = this.session.state.line.at === 0 || isWon(this.session.state.line);
    write(other, texts.get(`player.origin.${other.dataset.origin}`));
    showMoveList(
      find(".chips", HTMLElement, this.root),
      line,
      base,
      (at) => this.#goTo(at),
      origin === "own",
    );
  }

  /** @param {number} at */
  #goTo(at) {
    const { solution } = this.session.state;
    if (!solution) return;
    const place = Math.max(solution.base, Math.min(at, solution.line.steps.length));
    this.session.showSolution({ ...solution, line: movedTo(solution.line, place), playing: false });
  }

  /** @param {Partial<ShownSolution>} changed */
  #change(changed) {
    const { solution } = this.session.state;
    if (solution) this.session.showSolution({ ...solution, ...changed });
  }
}

/** @param {ShownSolution} show */
function titleOf({ base, origin, proved }) {
  if (origin === "own") return "player.own";
  return proved ? (base ? "player.from" : "player.start") : "player.found";
}

/** Offer to replay the line of the address, or to start from its last position.
 * @param {import("../game/session.js").Session} session @param {boolean} hasLine whether the page was opened with a line */
export function offerReplay(session, hasLine) {
  const opened = session.state.line;
  const [replayButton, startButton] = [button("replay"), button("start-here")];
  session.follow(SHOWN, ({ line, solution, edit }) => {
    const same = line.at === opened.at && positionAt(line).position === positionAt(opened).position;
    replayButton.hidden = !hasLine || !same || solution !== null || edit !== null;
    startButton.hidden = replayButton.hidden || positionAt(line).verdict === "solved";
  });
  replayButton.addEventListener("click", () => replay(session));
  startButton.addEventListener("click", () => session.restore(begin(positionAt(session.state.line))));
}

/** @param {import("../game/session.js").Session} session */
function replay(session) {
  const { line } = session.state;
  const played = { ...line, steps: line.steps.slice(0, line.at) };
  session.showSolution({
    line: movedTo(played, 0),
    base: 0,
    origin: "own",
    playing: !settings().calm,
    proved: false,
  });
}
