/**
 * The solution on the board: first, back, play, forward, last, speed and a slider. The player's own line waits.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../game/session.js").ShownSolution} ShownSolution
 */
import { begin, lastLive, movedTo, movesMade, positionAt } from "../game/line.js";
import { showChips } from "./move_list.js";
import { button, element, find, write } from "../ui/dom.js";
import { seek } from "../game/polling.js";

const BEAT = 800;

export class SolutionPlayer {
  #timer = 0;

  /** @param {Session} session @param {import("../ui/i18n.js").Words} words */
  constructor(session, words) {
    this.session = session;
    this.words = words;
    this.root = element(".player");
    this.slider = find(".scrub", HTMLInputElement);
    this.speed = find("#speed", HTMLSelectElement);
    this.playKey = find('[data-deck="play"]', HTMLButtonElement);
    for (const key of this.root.querySelectorAll("[data-deck]")) {
      key.addEventListener("click", () => this.act(key.getAttribute("data-deck") ?? ""));
    }
    this.slider.addEventListener("input", () => this.#seek(Number(this.slider.value)));
    this.speed.addEventListener("change", () => this.#change({ speed: Number(this.speed.value) }));
    button("leave").addEventListener("click", () => session.setShow(null));
    button("adopt").addEventListener("click", () => session.adopt());
    const origin = button("origin");
    origin.addEventListener("click", () => this.open(origin.dataset.origin === "start" ? "start" : "here"));
  }

  /** Play a shortest solution, beside the player's own line. @param {"here" | "start"} origin */
  async open(origin) {
    const own = this.session.state.line;
    if (isSolved(own)) origin = "start"; // there is nothing left to show from here
    const base = origin === "start" ? 0 : Math.max(0, lastLive(own));
    const { position } = positionAt(own, base);
    const solution = await seek(this.session, position, () => this.session.api.solution(position), ({ found }) => found.length > 0);
    if (!solution) return;
    const proved = solution.moves.length > 0;
    const moves = proved ? solution.moves : solution.found;
    if (!moves.length) return this.session.say(`note.solution.${solution.verdict}`);
    await this.showMoves(movedTo(own, base), moves, origin, proved);
    this.#change({ playing: true });
  }

  /** Put moves on the board that follow the end of a line. @param {import("../game/line.js").Line} line
   * @param {number[][]} moves @param {"here" | "start"} origin @param {boolean} [proved] to be shortest */
  async showMoves(line, moves, origin, proved = true) {
    const answer = await this.session.asked(this.session.api.line(positionAt(line).position, moves));
    if (!answer) return;
    const steps = [...line.steps.slice(0, line.at), ...answer.steps];
    this.session.setShow({ line: { ...line, steps }, base: line.at, origin, playing: false, speed: 1, proved });
  }

  toggle() {
    if (this.session.state.show) this.session.setShow(null);
    else this.open("here");
  }

  /** @param {string} what a key of the deck */
  act(what) {
    const { show } = this.session.state;
    if (!show) return;
    const { at, steps } = show.line;
    if (what === "play") this.#change({ playing: !show.playing, ...(at === steps.length ? this.#rewound(show) : {}) });
    else this.#seek({ first: show.base, back: at - 1, forward: at + 1, last: steps.length }[what] ?? at);
  }

  /** @param {import("../game/session.js").State} state */
  show({ show }) {
    clearTimeout(this.#timer);
    this.root.hidden = show === null;
    if (!show) return;
    this.#describe(show);
    if (show.playing) this.#timer = setTimeout(() => this.#beat(), BEAT / show.speed);
  }

  #beat() {
    const { show } = this.session.state;
    if (!show) return;
    const { at, steps } = show.line;
    if (at < steps.length) this.session.setShow({ ...show, line: movedTo(show.line, at + 1), playing: at + 1 < steps.length });
    else this.#change({ playing: false });
  }

  /** @param {ShownSolution} show */
  #describe(show) {
    const { line, base, origin, playing } = show;
    const n = movesMade({ ...line, at: line.steps.length }) - movesMade(line, base);
    write(find("h2", HTMLElement, this.root), this.words.say(titleOf(show), { n: movesMade(line, base) }));
    write(find(".about-solution", HTMLElement, this.root), this.words.say(base ? "player.about" : "player.whole", { n, all: n + movesMade(line, base) }));
    Object.assign(this.slider, { min: String(base), max: String(line.steps.length), value: String(line.at) });
    this.slider.setAttribute("aria-valuetext", this.words.say("count.moves", { n: movesMade(line) }));
    this.playKey.setAttribute("aria-label", this.words.say(playing ? "player.pause" : "player.play"));
    find("use", SVGUseElement, this.playKey).setAttribute("href", playing ? "#i-pause" : "#i-play");
    const other = button("origin");
    other.dataset.origin = origin === "start" ? "here" : "start";
    other.hidden = this.session.state.line.at === 0 || isSolved(this.session.state.line);
    write(other, this.words.say(`player.origin.${other.dataset.origin}`));
    showChips(find(".chips", HTMLElement, this.root), line, base, this.words, (at) => this.#seek(at), origin === "own");
  }

  /** @param {number} at */
  #seek(at) {
    const { show } = this.session.state;
    if (!show) return;
    const place = Math.max(show.base, Math.min(at, show.line.steps.length));
    this.session.setShow({ ...show, line: movedTo(show.line, place), playing: false });
  }

  /** @param {ShownSolution} show @returns {Partial<ShownSolution>} */
  #rewound(show) {
    return { line: movedTo(show.line, show.base), playing: true };
  }

  /** @param {Partial<ShownSolution>} changed */
  #change(changed) {
    const { show } = this.session.state;
    if (show) this.session.setShow({ ...show, ...changed });
  }
}

/** @param {import("../game/line.js").Line} line */
const isSolved = (line) => line.at > 0 && positionAt(line).verdict === "solved";

/** @param {ShownSolution} show */
function titleOf({ base, origin, proved }) {
  if (origin === "own") return "player.own";
  return proved ? (base ? "player.from" : "player.start") : "player.found";
}

/** @param {import("../game/session.js").Session} session @param {boolean} came whether the page was opened with a line */
export function offerReplay(session, came) {
  const opened = session.state.line;
  const keys = [button("replay"), button("start-here")];
  session.subscribe(({ line, show, edit }) => {
    const same = line.at === opened.at && positionAt(line).position === positionAt(opened).position;
    for (const key of keys) key.hidden = !came || !same || show !== null || edit !== null;
    if (positionAt(line).verdict === "solved") keys[1].hidden = true;
  });
  keys[0].addEventListener("click", () => replay(session));
  keys[1].addEventListener("click", () => session.restore(begin(positionAt(session.state.line))));
}

/** @param {import("../game/session.js").Session} session */
function replay(session) {
  const { line } = session.state;
  const played = { ...line, steps: line.steps.slice(0, line.at) };
  session.setShow({ line: movedTo(played, 0), base: 0, origin: "own", playing: true, speed: 1, proved: false });
}
