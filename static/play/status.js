/**
 * The status line: one sentence, always in the same place and the same words, and the verdict.
 *
 * @typedef {import("../game/session.js").State} State
 * @typedef {import("../game/line.js").Line} Line
 */
import { boundsOf, lastBest, lastLive, movedTo, movesMade, positionAt, settled } from "../game/line.js";
import { element, find, sign, write } from "../ui/dom.js";
import { cellsOf, written } from "../game/position.js";

export class StatusLine {
  /** @param {import("../ui/i18n.js").Words} words @param {{ glyphs: Record<string, string>, objective: string }} puzzle
   * @param {{ ending: string, isUnusual: boolean }} goal an unusual one stays in sight */
  constructor(words, { glyphs, objective }, { ending, isUnusual }) {
    this.words = words;
    this.glyphs = glyphs;
    this.rules = ending ? objective + words.say("sentence.gap") + ending : objective;
    this.reminder = isUnusual ? ending : "";
    this.piece = words.say(`piece.${Object.values(glyphs)[0].split("-")[0]}`);
    this.root = element('[role="status"]');
    this.back = element("#go-back");
    this.ask = element("#ask-verdict");
    this.prove = element("#ask-proof");
    this.again = element("#try-again");
    this.best = element("#best-back");
    this.machine = element(".machine");
    this.count = find(".count", HTMLElement, this.root);
    this.word = find(".word", HTMLElement, this.root);
    this.more = find(".more", HTMLElement, this.root);
    this.note = find(".note", HTMLElement, this.root);
  }

  /** @param {State} state @param {Line} shown what is on the board */
  show(state, shown) {
    const line = settled(shown, state.known);
    const now = positionAt(line);
    const untold = state.assistance === "off" && now.verdict !== "solved" && state.told !== now.position;
    this.ask.hidden = !untold;
    const isSearched = now.verdict === "unknown" && state.searched?.position === now.position;
    this.prove.hidden = untold || state.trouble !== null || isSearched || !isOpenQuestion(now, state.graded);
    this.#machine(state);
    this.root.dataset.verdict = untold ? "untold" : now.verdict;
    this.root.dataset.movesLeft = untold || now.moves_left === null ? "" : String(now.moves_left);
    this.#count(line, untold);
    const made = movesMade(line);
    const optimal = now.verdict === "solved" && made === best(line) && made > 0;
    this.root.dataset.best = String(optimal);
    if (untold) this.word.replaceChildren();
    else this.#word(optimal ? "optimal" : isSearched || isAtWork(now, state.graded) ? "checking" : now.verdict);
    this.more.ariaLive = isSearched ? "off" : null; // its limits are not read out one by one
    write(this.more, untold ? "" : isSearched ? this.#limit(state) : this.#more(line, optimal, state));
    const rules = state.edit || (line.at && now.verdict === "solved") ? "" : line.at ? this.reminder : this.rules;
    this.note.classList.toggle("rules", !state.note);
    write(this.note, state.note ? this.#noteOf(state.note, now.position) : rules);
    const isWorse = state.show === null && now.verdict === "solved" && made > (best(line) ?? Infinity);
    this.again.hidden = !isWorse;
    this.best.hidden = !isWorse || lastBest(line) < 1; // at the start that is the same
    this.back.hidden = untold || now.verdict !== "dead" || lastLive(line) < 0;
  }

  /** @param {Line} line @param {boolean} untold */
  #count(line, untold) {
    const par = untold ? null : best(line);
    const parts = [this.words.parts("count.moves", { n: movesMade(line) }), ...this.#pieces(line)];
    if (par !== null) parts.push(this.words.parts("count.best", { n: par }));
    const comma = { text: this.words.say("comma"), value: false };
    const joined = parts.flatMap((part, index) => (index ? [comma, ...part] : part));
    if (joined.map((part) => part.text).join("") === this.count.textContent) return;
    this.count.replaceChildren(...joined.map(({ text, value }) => (value ? bold(text) : text)));
  }

  /** Counts of the pieces worth counting: those the catalogue has words for. @param {Line} line */
  #pieces(line) {
    const cells = [...cellsOf(positionAt(line).position)];
    return Object.entries(this.glyphs)
      .filter(([, glyph]) => this.words.has(`count.${glyph}`))
      .map(([cell, glyph]) => this.words.parts(`count.${glyph}`, { n: cells.filter((other) => other === cell).length }));
  }

  /** @param {string} verdict */
  #word(verdict) {
    const word = this.words.say(`verdict.${verdict}`);
    if (this.word.textContent === word) return;
    this.word.replaceChildren(sign(SIGNS[verdict] ?? "unknown"), word);
  }

  /** @param {Line} line @param {boolean} optimal @param {State} state */
  #more(line, optimal, state) {
    const { verdict, moves_left: left } = positionAt(line);
    const [made, par] = [movesMade(line), best(line)];
    if (verdict === "solved" && !made) return this.words.say("note.hint.solved");
    if (verdict === "solved" && par === null) return this.#ended(line, made, state);
    if (verdict === "solved") return this.words.say(optimal ? "more.optimal" : "more.solved", { n: made, best: par ?? "" });
    if (verdict === "dead") return this.#died(line);
    if (verdict === "checking") return this.words.say("more.checking");
    if (verdict !== "live" || left === null) return this.#unproved(line, state);
    const all = made + left;
    const isOver = par !== null && all > par;
    if (left === 0) return this.words.say(isOver ? "more.lastOver" : "more.last", { all }); // the move under way can end it
    return this.words.say(isOver ? "more.over" : "more.live", { n: left, all });
  }

  /** @param {State} state */
  #limit({ searched }) {
    return searched?.limit ? this.words.say("more.limit", { limit: searched.limit }) : this.words.say("more.checking");
  }

  /** Solved, though nobody has proved in how few moves it can be. @param {Line} line @param {number} made @param {State} state */
  #ended(line, made, { known }) {
    const fewest = boundsOf(movedTo(line, 0), known).moves ?? made;
    return this.words.say(fewest < made ? "more.solvedFound" : "more.solvedOpen", { n: made, fewest });
  }

  /** What is known of a position that is not judged: from the atlas, from searches, and from where the line came.
   * @param {Line} line @param {State} state */
  #unproved(line, { known }) {
    const { least, moves } = boundsOf(line, known);
    if (moves === null && least < 2) return this.words.say(this.#ofKind("more.unknown"));
    if (moves !== null && least < 2) return this.words.say("more.some", { n: moves });
    const state = moves === null ? "open" : "found";
    return this.words.say(this.#ofKind(line.at ? `more.rest.${state}` : `more.atlas.${state}`), { n: moves ?? "", least });
  }

  /** A piece with a number of its own is called by that, not by its place.
   * @param {import("../game/session.js").Note} note @param {string} position */
  #noteOf({ key, values }, position) {
    if (key === "note.fault") return this.words.named("fault", { code: String(values.code), why: String(values.why) });
    const glyph = this.glyphs[[...cellsOf(position)][Number(values.from ?? values.hole)]];
    const said = this.words.say(this.#ofKind(key, glyph), { rules: this.rules, piece: this.piece, side: glyph?.split("-")[1] ?? "", ...values });
    return values.also ? [said, this.words.say(String(values.also))].join(this.words.say("sentence.gap")) : said;
  }

  /** The words for this kind of piece, where there are such. @param {string} key @param {string} [glyph] */
  #ofKind(key, glyph = Object.values(this.glyphs)[0]) {
    const own = `${key}.${glyph.split("-")[0]}`;
    return this.words.has(own) ? own : key;
  }

  /** What keeps the server from answering, if anything does. Trouble is read out; how far work is, is not.
   * @param {State} state */
  #machine({ trouble, graded }) {
    this.machine.setAttribute("aria-live", trouble ? "polite" : "off");
    write(this.machine, trouble ? this.words.named("machine", trouble) : this.#work(graded));
  }

  /** @param {State["graded"]} graded */
  #work(graded) {
    const { preparation, warming } = graded ?? {};
    if (warming) return this.words.say("machine.warming", { n: warming[0], all: warming[1] });
    return typeof preparation === "number" ? this.words.say("machine.preparing", { n: Math.floor(preparation * 100) }) : "";
  }

  /** @param {Line} line */
  #died(line) {
    const at = lastLive(line);
    const never = this.#ofKind("more.never");
    if (at < 0) return this.words.say(never === "more.never" && line.at === 0 ? "more.neverHere" : never);
    const made = movesMade(line) - movesMade(line, at);
    const wasLive = positionAt(line, at).verdict === "live";
    if (made) return this.words.say(wasLive ? "more.dead" : "more.open", { n: made });
    return this.words.say(wasLive ? "more.deadJump" : "more.openJump", { n: line.at - at });
  }
}

/** @type {Record<string, string>} */
const SIGNS = { checking: "run", live: "live", dead: "dead", solved: "live", optimal: "optimal" };

/** Whether nothing is known, and nobody works on it unasked. @param {import("../game/line.js").PositionVerdict} now
 * @param {State["graded"]} graded */
const isOpenQuestion = (now, graded) => now.verdict === "unknown" && graded?.position === now.position && !isAtWork(now, graded);

/** Whether nothing is known yet, but the server works on it. @param {import("../game/line.js").PositionVerdict} now
 * @param {State["graded"]} graded */
function isAtWork({ position, verdict }, graded) {
  const isBusy = Boolean(graded?.warming) || typeof graded?.preparation === "number";
  return verdict === "unknown" && graded?.position === position && isBusy;
}

/** The fewest moves from where the line began. @param {Line} line */
const best = (line) => line.start.moves_left;

/** @param {string} text */
function bold(text) {
  const element = document.createElement("b");
  element.textContent = text;
  return element;
}

/** @param {import("../game/session.js").Session} session */
export function readAloud(session) {
  return {
    moves: () => {
      const steps = session.state.graded?.steps ?? [];
      const { position } = positionAt(session.shown);
      session.say("note.steps", { n: steps.length, list: steps.flatMap(({ from, to }) => written(position, [[from, to]])).join(" ").replaceAll("–", "–\u2060") });
    },
    hole: () => {
      const hole = document.activeElement?.closest("[data-hole]") ?? document.querySelector('[data-hole][tabindex="0"]');
      const label = hole?.getAttribute("aria-label");
      if (label) session.say("note.read", { text: label });
    },
    counts: () => session.say("note.read", { text: document.querySelector(".count")?.textContent ?? "" }),
  };
}
