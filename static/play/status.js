/**
 * The status line: the verdict, the number of moves and one sentence, always in the same place.
 *
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../game/line.js").Line} Line
 */
import { helpPlayedWith, isStuck, isVerdictHidden, tellsLoss } from "../game/help.js";
import {
  boundsOf,
  isDecided,
  lastWithFewest,
  lastNotDead,
  lossOf,
  movedTo,
  movesMade,
  positionAt,
  withBestVerdict,
} from "../game/line.js";
import { create, element, find, icon, write } from "../ui/dom.js";
import { goal, puzzle } from "../game/position.js";
import { countsOf } from "../speech/sentences.js";
import * as texts from "../ui/i18n.js";
import { forPiece, noteText, spokenNoteText } from "../speech/note_text.js";

/** The status line under the board. */
export class StatusLine {
  /** @type {import("../game/session.js").Fields} */
  fields =
    // prettier-ignore
    ["line", "solution", "edit", "analysis", "fault", "search", "known", "note", "assistance", "revealedPosition", "medal", "help", "tries", "ended"];

  /** Whether the verdict is shown, and not about to change. */
  #isSettled = false;

  /** @param {string} ending the goal as a sentence; always shown if it is not the puzzle's own goal
   * @param {boolean} hasResult whether another part of the page announces the end of a game, too */
  constructor(ending, hasResult) {
    this.hasResult = hasResult;
    this.rules = ending ? puzzle.objective + texts.get("sentence.gap") + ending : puzzle.objective;
    this.reminder = goal === puzzle.goal ? "" : ending;
    this.root = element('[role="status"]');
    this.backButton = element("#go-back");
    this.whyButton = element("#why");
    this.certificate = element("#certificate");
    this.askButton = element("#check");
    this.proveButton = element("#ask-proof");
    this.againButton = element("#try-again");
    this.bestButton = element("#best-back");
    this.machine = element(".machine");
    this.count = find(".count", HTMLElement, this.root);
    this.word = find(".word", HTMLElement, this.root);
    this.more = find(".more", HTMLElement, this.root);
    this.note = find(".note", HTMLElement, this.root);
  }

  /** @param {State} state @param {Line} shown the line on the board */
  show(state, shown) {
    const line = withBestVerdict(shown, state.known);
    const now = positionAt(line);
    const isHidden = isVerdictHidden(state);
    this.askButton.hidden = !isHidden;
    const isSearched = now.verdict === "unknown" && state.search?.position === now.position;
    this.proveButton.hidden =
      isHidden ||
      state.fault !== null ||
      state.search?.position === now.position ||
      !isUndecided(now, state.analysis);
    this.#showServer(state, isHidden);
    this.root.dataset.verdict = isHidden ? "hidden" : now.verdict;
    if (isHidden) delete this.root.dataset.movesLeft;
    else this.root.dataset.movesLeft = String(now.moves_left ?? "");
    this.#showBounds(isHidden || now.verdict !== "live" ? null : now.bounds);
    delete this.root.dataset.sent; // the texts no longer come from the server
    const stuck = isStuck(state);
    this.#showCount(line, isHidden || now.verdict === "dead");
    const made = movesMade(line);
    const optimal = now.verdict === "solved" && made === line.start.moves_left && made > 0;
    this.root.dataset.best = String(state.medal === "optimal" && !state.solution);
    if (isHidden) (this.word.replaceChildren(), delete this.word.dataset.shown);
    else this.#showVerdict(this.#wordOf(line, state, isSearched));
    this.#isSettled = !isHidden && now.verdict !== "checking" && !isSearched && !state.edit;
    write(
      this.more,
      isHidden
        ? ""
        : stuck
          ? this.#remaining(line)
          : isSearched
            ? this.#limitText(state)
            : this.#detail(line, optimal, state),
    );
    this.note.classList.toggle("rules", !state.note);
    write(
      this.note,
      state.note ? noteText(state.note, now.position, this.rules) : this.#sentence(line, state),
    );
    const isWorse =
      state.solution === null && now.verdict === "solved" && made > (line.start.moves_left ?? Infinity);
    this.againButton.hidden = !isWorse;
    this.bestButton.hidden = !isWorse || lastWithFewest(line) < 1; // at the start this would equal "try again"
    const { certificate } = state.note ?? {};
    this.certificate.hidden = !certificate;
    if (certificate) this.certificate.setAttribute("href", certificate);
    this.whyButton.hidden = isHidden || now.verdict !== "dead" || stuck;
    const isUntold = stuck && !tellsLoss(state);
    this.backButton.hidden = isHidden || isUntold || now.verdict !== "dead" || lastNotDead(line) < 0;
  }

  /** Write the bounds of a live position whose fewest moves are not proved to the attributes of the status.
   * @param {Partial<import("../game/line.js").Bounds> | null | undefined} bounds */
  #showBounds(bounds) {
    this.root.toggleAttribute("data-bounded", Boolean(bounds));
    for (const name of /** @type {const} */ (["least", "most"])) {
      const value = bounds?.[name];
      if (typeof value === "number") this.root.dataset[name] = String(value);
      else delete this.root.dataset[name];
    }
  }

  /** @param {Line} line @param {boolean} isHidden */
  #showCount(line, isHidden) {
    const fewest = isHidden ? null : line.start.moves_left;
    const parts = [texts.parts("count.moves", { n: movesMade(line) }), ...this.#pieces(line)];
    if (fewest !== null) parts.push(texts.parts("count.best", { n: fewest }));
    const comma = { text: texts.get("comma"), value: false };
    const joined = parts.flatMap((part, index) => (index ? [comma, ...part] : part));
    if (joined.map((part) => part.text).join("") === this.count.textContent) return;
    this.count.replaceChildren(...joined.map(({ text, value }) => (value ? create("b", {}, text) : text)));
  }

  /** Return the counts of the pieces on the board. @param {Line} line */
  #pieces = (line) =>
    countsOf(puzzle, texts, positionAt(line).position).map(([key, n]) => texts.parts(key, { n }));

  /** Return which word the plaque shows. @param {Line} line @param {State} state @param {boolean} isSearched
   * @returns {keyof typeof SIGNS} */
  #wordOf(line, state, isSearched) {
    const now = positionAt(line);
    if (isStuck(state)) return "stuck";
    if (now.verdict === "dead" && lastNotDead(line) < 0) return "never";
    if (now.verdict === "solved" && state.medal === "optimal" && !state.solution) return "optimal";
    return isSearched || isAtWork(now, state.analysis) ? "checking" : now.verdict;
  }

  /** @param {keyof typeof SIGNS} name */
  #showVerdict(name) {
    const word = texts.get(`verdict.${name === "optimal" ? "solved" : name}`);
    if (this.word.dataset.shown === name) return;
    this.word.dataset.shown = name;
    this.word.replaceChildren(icon(SIGNS[name]), word);
  }

  /** Return the sentence below the verdict while no note is shown: after the end what it was worth or where the game
   * was lost, otherwise the rules or the goal. @param {Line} line @param {State} state */
  #sentence(line, state) {
    if (state.edit) return "";
    if (isStuck(state)) return tellsLoss(state) ? this.#lossText(line) : "";
    if (state.medal && !state.solution) return this.#worth(state.medal, helpPlayedWith(state));
    if (positionAt(line).verdict === "solved") return line.at ? "" : this.rules;
    return line.at ? this.reminder : this.rules;
  }

  /** Return the number of pieces left. @param {Line} line */
  #remaining = (line) =>
    this.#pieces(line)
      .map((parts) => parts.map(({ text }) => text).join(""))
      .join(texts.get("comma"));

  /** @param {Line} line */
  #lossText(line) {
    const loss = lossOf(line);
    if (!loss) return "";
    return texts.get(loss.isProved ? "note.lost" : "note.lost.latest", { move: loss.move });
  }

  /** @param {import("../game/medal.js").Medal} medal @param {Readonly<import("../game/help.js").Help>} help */
  #worth(medal, { hints, checks, solution, verdict, told, reviewed }) {
    if (medal === "solved") return "";
    if (medal === "optimal") return texts.get("note.medal.optimal");
    if (verdict && !hints && !checks && !solution && !told && !reviewed)
      return texts.get("note.medal.verdict");
    const had = [
      hints && texts.get("help.hints", { n: hints }),
      checks && texts.get("help.checks", { n: checks }),
      solution && texts.get("help.solution"),
      verdict && texts.get("help.verdict"),
      told && texts.get("share.told"),
      reviewed && texts.get("share.reviewed"),
    ].filter(Boolean);
    return texts.get("note.medal.assisted", { help: had.join(texts.get("comma")) });
  }

  /** @param {Line} line @param {boolean} optimal @param {State} state */
  #detail(line, optimal, state) {
    const { verdict, moves_left: movesLeft } = positionAt(line);
    const [made, fewest] = [movesMade(line), line.start.moves_left];
    if (verdict === "solved" && !made) return "";
    if (verdict === "solved" && fewest === null) return this.#solvedUnproved(line, made, state);
    if (verdict === "solved")
      return texts.get(optimal ? "more.optimal" : "more.solved", { n: made, best: fewest ?? "" });
    if (verdict === "dead") return this.#deadEnd(line);
    if (verdict === "checking") return texts.get("more.checking");
    if (verdict !== "live" || movesLeft === null) return this.#unproved(line, state);
    const all = made + movesLeft;
    const isOver = fewest !== null && all > fewest;
    if (movesLeft === 0) return texts.get(isOver ? "more.lastOver" : "more.last", { all }); // the current move can solve the puzzle
    return texts.get(isOver ? "more.over" : "more.live", { n: movesLeft, all });
  }

  /** @param {State} state */
  #limitText({ search }) {
    return search?.limit ? texts.get("more.limit", { limit: search.limit }) : texts.get("more.checking");
  }

  /** Return the text for a solved game whose fewest moves are not proved.
   * @param {Line} line @param {number} made @param {State} state */
  #solvedUnproved(line, made, { known }) {
    const fewest = boundsOf(movedTo(line, 0), known).most ?? made;
    return texts.get(fewest < made ? "more.solvedFound" : "more.solvedOpen", { n: made, fewest });
  }

  /** Return the text for a position without a proved number of moves, from the bounds known by the server, a running
   * search and the line.
   * @param {Line} line @param {State} state */
  #unproved(line, { known }) {
    const { least, most } = boundsOf(line, known);
    if (most !== null) return texts.get(least < 2 ? "more.atMost" : "more.between", { n: most, least });
    if (least < 2) return texts.get(forPiece("more.unknown"));
    return texts.get(forPiece(line.at ? "more.rest.open" : "more.atlas.open"), { least });
  }

  /** The verdict as it is said; "" while it is hidden or the server is asked. */
  get verdict() {
    if (!this.#isSettled) return "";
    return [this.word, this.more]
      .map(({ textContent }) => textContent)
      .filter(Boolean)
      .join(texts.get("comma"));
  }

  /** Return the note as it is said. @param {State} state */
  spokenNote({ note, edit, solution, line }) {
    return note ? spokenNoteText(note, positionAt(edit ?? solution?.line ?? line).position, this.rules) : "";
  }

  /** Show the failure or the progress of the server. Only a failure is read out. @param {State} state @param {boolean} isHidden */
  #showServer({ fault, analysis }, isHidden) {
    this.machine.setAttribute("aria-live", fault ? "polite" : "off");
    write(this.machine, fault ? texts.forCode("machine", fault) : this.#serverText(analysis, isHidden));
  }

  /** @param {State["analysis"]} analysis @param {boolean} isHidden whether no verdict is waited for */
  #serverText(analysis, isHidden) {
    const { preparation, warming } = analysis ?? {};
    if (warming && isHidden) return "";
    if (warming) return texts.get("machine.warming", { n: warming[0], all: warming[1] });
    return typeof preparation === "number"
      ? texts.get("machine.preparing", { n: Math.floor(preparation * 100) })
      : "";
  }

  /** @param {Line} line */
  #deadEnd(line) {
    const loss = lossOf(line);
    const never = forPiece("more.never");
    if (!loss) return texts.get(never === "more.never" && line.at === 0 ? "more.neverHere" : never);
    return texts.get(loss.isProved ? "more.dead" : "more.open", { count: this.#wayBack(loss) });
  }

  /** @param {import("../game/line.js").Loss} loss */
  #wayBack({ moves, jumps }) {
    const parts = [
      moves && texts.get("count.moves", { n: moves }),
      jumps && texts.get("count.jumps", { n: jumps }),
    ];
    return parts.filter(Boolean).join(texts.get("count.and"));
  }
}

/** Icons by word of the plaque. */
const SIGNS = {
  checking: "run",
  live: "live",
  dead: "dead",
  never: "dead",
  stuck: "dead",
  solved: "live",
  optimal: "star",
  unknown: "unknown",
};

/** Return whether a position is undecided and the server is not working on it.
 * @param {import("../game/line.js").PositionVerdict} now
 * @param {State["analysis"]} analysis */
const isUndecided = (now, analysis) =>
  !isDecided(now) && analysis?.position === now.position && !isAtWork(now, analysis);

/** Return whether a position is undecided and the server is working on it.
 * @param {import("../game/line.js").PositionVerdict} now
 * @param {State["analysis"]} analysis */
function isAtWork({ position, verdict }, analysis) {
  const isBusy = Boolean(analysis?.warming) || typeof analysis?.preparation === "number";
  return verdict === "unknown" && analysis?.position === position && isBusy;
}
