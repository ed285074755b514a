/** Connects the stream with a game: deals positions, rates the games or counts those of a timed run, and shows the standing. */
import { buildOwnTable } from "../game/own_table.js";
import { isStuck } from "../game/help.js";
import { begin as beginLine, isDecided, isWon, lastWithFewest, positionAt } from "../game/line.js";
import { goal, puzzle } from "../game/position.js";
import { storedLine } from "../game/url_state.js";
import { addressOf, dueToday, saveFailed, savePassed } from "../review/again_store.js";
import { button, element, find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";
import { dealer, seeded } from "./deal.js";
import * as rating from "./rating.js";
import * as timed from "./timed.js";

/**
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {ReturnType<typeof dealer>} Dealer
 */

/** Milliseconds after a position of a timed run has ended before the next one. */
const PAUSE = 350;
/** Own mistakes that are dealt first, each time the page is opened. */
const MISTAKES = 3;

/** Deal the first position once the table is there; say so if it cannot be loaded. Return a function that says the standing.
 * @param {import("../play/game.js").Game} game */
export function startStream({ session, announcer }) {
  let standingText = () => element("#standing").textContent ?? "";
  const start = async () => {
    const table = await buildOwnTable();
    if (!table) throw new Error("no table");
    const seed = new URLSearchParams(location.search).get("seed");
    const deal = dealer(table, seeded(seed ?? String(Math.random())));
    if (element("main").dataset.mode) standingText = startTimed(session, announcer, deal);
    else startRated(session, deal, seed !== null);
  };
  start().catch(() => write(element("#outcome"), texts.get("stream.unavailable")));
  return { sayStanding: () => announcer.answer(standingText()) };
}

/** @returns {import("./rating.js").Standing} */
const standing = () => store.standing(puzzle.id) ?? rating.NEW_STANDING;

/** Begin a game at a position, or go on with one. @param {Session} session @param {string} position
 * @param {import("../game/line.js").Line} [line] @param {Readonly<import("../game/help.js").Attempts>} [attempts] */
function beginGame(session, position, line, attempts) {
  element("main").dataset.card = `stream/${puzzle.id}/${position}`;
  session.begin(line ?? beginLine({ position, verdict: "checking", moves_left: null }), attempts);
}

/** Keep a game that is not yet rated for when the page is opened again. @param {Readonly<import("../game/session.js").State>} state */
const keep = ({ line, help, tries }) => store.saveDealtGame(puzzle.id, { line, help, tries });

/** @param {number} change in points */
const signed = (change) => `${change < 0 ? "−" : "+"}${Math.abs(change)}`;

/** Label the button that deals: next position, skip or begin. @param {0 | 1 | 2} which */
function labelDeal(which) {
  const deal = button("deal");
  deal.disabled = false;
  deal.classList.toggle("first", which !== 1);
  write(deal, (deal.dataset.labels ?? "").split("|")[which]);
}

/** @param {Session} session @param {Dealer} deal @param {boolean} isSeeded whether the address asks for certain positions */
function startRated(session, deal, isSeeded) {
  let difficulty = 0;
  let isOpen = false; // until the first end, which alone counts
  const mistakes = takeMistakes();
  /** Position of the player's mistake on the board. @type {string | undefined} */
  let mistake;

  /** Say what is to be done in a game, and begin it or go on with it. @param {string} position
   * @param {import("../game/line.js").Line} [line] @param {Readonly<import("../game/help.js").Attempts>} [attempts] */
  function play(position, line, attempts) {
    difficulty = deal.difficulty(position);
    const skip = signed(rating.change(standing(), difficulty, "lost"));
    const values = { n: deal.moves(position), rating: Math.round(100 * difficulty), skip };
    const key = mistake ? "stream.mistake" : standing().played ? "stream.difficulty" : "stream.first";
    write(element("#outcome"), texts.get(key, values));
    labelDeal(1);
    beginGame(session, position, line, attempts);
    isOpen = true; // only now, because the last game was on the board until here
    keep(session.state);
  }

  async function next() {
    mistake = mistakes.shift();
    if (mistake) return play(mistake);
    button("deal").disabled = true;
    play(await deal.byDifficulty(rating.wanted(standing().rating)));
  }

  /** Go on with the game that was left unrated; return whether there is one. */
  function goOn() {
    const kept = store.dealtGame(puzzle.id);
    const line = storedLine(kept);
    const position = line?.start.position ?? "";
    if (!kept || !line || isNaN(deal.moves(position))) return false;
    if (mistakes.includes(position)) [mistake] = mistakes.splice(mistakes.indexOf(position), 1);
    play(position, line, { ...kept, ended: null });
    return true;
  }

  function close() {
    isOpen = false;
    store.saveDealtGame(puzzle.id, null);
  }

  /** @param {import("./rating.js").Outcome} outcome @param {string} [how] key of the text if it is not that of the outcome */
  function end(outcome, how = outcome) {
    if (mistake) return endMistake(mistake, outcome);
    const before = standing();
    const now = rating.after(before, difficulty, outcome);
    close();
    store.saveStanding(puzzle.id, now);
    const change = signed(now.rating - before.rating);
    write(element("#outcome"), texts.get(`stream.${how}`, { change }));
    showRating();
    labelDeal(0);
  }

  /** Keep a mistake of the player for later, without a rating. @param {string} position @param {import("./rating.js").Outcome} outcome */
  function endMistake(position, outcome) {
    close();
    const save = outcome === "won" ? savePassed : saveFailed;
    for (const entry of dueToday().filter((each) => isHere(each) && each.position === position)) save(entry);
    write(element("#outcome"), texts.get(outcome === "won" ? "stream.mistakeRight" : "stream.mistakeWrong"));
    labelDeal(0);
  }

  session.subscribe(["medal", "line", "help", "analysis", "solution"], (state, before) => {
    if (!isOpen) return;
    if (isTakenBack(state.line, before.line)) end("lost", "undone");
    else if (state.medal) end(rating.outcomeOf(state.medal));
    else if (isStuck(state) || state.solution) end("lost");
    else keep(state);
  });
  button("deal").addEventListener("click", () => {
    if (isOpen && !mistake) end("lost"); // skipped
    void next();
  });
  offerNextInResult();
  showRating();
  if (isSeeded || !goOn()) void next();
}

/** Return whether the stream of this page can deal a mistake of the player. @param {import("../review/again.js").Entry} entry */
const isHere = (entry) => entry.puzzle === puzzle.id && entry.goal === goal;

/** Return the positions of the mistakes to begin with, and link to the first on another board, which leads on to the rest. */
function takeMistakes() {
  const due = dueToday();
  const here = new Set(due.filter(isHere).map(({ position }) => position));
  const others = due.filter((entry) => !isHere(entry));
  const link = find("#other-mistakes", HTMLAnchorElement);
  link.hidden = !others.length;
  if (others.length) {
    link.href = addressOf(others[0]);
    write(link, texts.get("stream.otherMistakes", { n: others.length }));
  }
  return [...here].slice(0, MISTAKES);
}

/** Let the result card lead to the next position. */
function offerNextInResult() {
  find("#next", HTMLAnchorElement).href = "#board";
  find("#result-next", HTMLAnchorElement).addEventListener("click", (event) => {
    event.preventDefault();
    button("deal").click();
  });
}

/** Return whether an undo goes back past the last place with the fewest moves, so that another first play is tried.
 * @param {import("../game/line.js").Line} line @param {import("../game/line.js").Line} before */
function isTakenBack(line, before) {
  const best = lastWithFewest(before);
  const isUndo = line.start.position === before.start.position && line.at <= best && best < before.at;
  return isUndo && isDecided(positionAt(before, best + 1));
}

function showRating() {
  const now = standing();
  const key = rating.isUncertain(now) ? "stream.guess" : "stream.rating";
  write(element("#standing"), texts.get(key, { n: now.rating }));
}

/** Return the length of the timed runs in minutes, as chosen; 0 without a clock. */
function chosenMinutes() {
  const { calm, minutes } = store.settings();
  return calm || minutes === "none" ? 0 : Number(minutes);
}

/** Let runs be begun and ended; return a function that gives the standing as it is said.
 * @param {Session} session @param {import("../play/announcer.js").Announcer} announcer @param {Dealer} deal */
function startTimed(session, announcer, deal) {
  /** @type {timed.Run | null} */
  let run = null;
  let position = "";
  let seconds = 0;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let clock;
  const [outcome, stop] = [element("#outcome"), button("end-run")];

  async function next() {
    if (!run) return;
    const dealt = await deal.byPieces(timed.pegsOf(run));
    if (!run) return;
    beginGame(session, (position = dealt));
  }

  /** Count the end of a position, and deal the next one a moment later. @param {(run: timed.Run) => timed.Run} count */
  function endPosition(count) {
    if (!run) return;
    const isMistake = count === timed.mistaken;
    run = count(run);
    position = "";
    write(outcome, isMistake ? texts.get(run.minutes ? "stream.cost" : "stream.mistaken") : "");
    look();
    setTimeout(() => void next(), PAUSE);
  }

  /** Look at the clock. */
  function look() {
    if (!run) return;
    const before = seconds;
    seconds = timed.secondsLeft(run, Date.now());
    write(element("#standing"), runText(run, seconds));
    if (timed.isTold(before, seconds)) announcer.answer(timeText(seconds));
    if (!seconds) end();
  }

  function end() {
    if (!run) return;
    clearInterval(clock);
    const before = standing();
    if (run.minutes) store.saveStanding(puzzle.id, timed.after(before, run));
    write(outcome, endText(run, timed.bestOf(before, run.minutes)));
    run = null;
    showRun(false);
  }

  function begin() {
    clearInterval(clock);
    run = timed.begin(Date.now(), chosenMinutes());
    clock = setInterval(look, 200);
    write(outcome, "");
    showRun(true);
    void next();
    look();
  }

  /** Say what a run is, while none is on. */
  function explain() {
    if (run) return;
    const minutes = chosenMinutes();
    const best = timed.bestOf(standing(), minutes);
    write(element("#standing"), best ? texts.get("stream.best", { n: best }) : "");
    write(outcome, texts.get(minutes ? "stream.rules" : "stream.rulesFree", { n: minutes }));
  }

  session.subscribe(["line"], ({ line }) => {
    if (!run || !position || line.start.position !== position || !line.at) return;
    if (isWon(line)) endPosition(timed.solved);
    else if (positionAt(line).verdict === "dead") endPosition(timed.mistaken);
  });
  button("deal").addEventListener("click", begin);
  stop.addEventListener("click", end);
  document.addEventListener("settings", explain);
  explain();
  showRun(false);
  return () =>
    run
      ? [run.minutes ? timeText(seconds) : "", scoreText(run)].filter(Boolean).join(texts.get("sentence.gap"))
      : (outcome.textContent ?? "");
}

/** Show what can be pressed during a run, or else before it. @param {boolean} isOn */
function showRun(isOn) {
  labelDeal(2);
  button("deal").hidden = isOn;
  element(".length").hidden = isOn;
  button("end-run").hidden = !isOn;
}

/** Return the time left and the score as they are shown. @param {timed.Run} run @param {number} seconds left */
function runText(run, seconds) {
  if (!run.minutes) return texts.get("stream.solved", { n: run.solved });
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return texts.get("stream.clock", { n: run.solved, clock });
}

/** Return the time left as it is said. @param {number} seconds */
function timeText(seconds) {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [
    minutes && texts.get("stream.minutes", { n: minutes }),
    rest && texts.get("stream.seconds", { n: rest }),
  ];
  return texts.get("stream.left", { time: parts.filter(Boolean).join(texts.get("sentence.gap")) });
}

/** @param {timed.Run} run */
const scoreText = ({ solved, mistakes }) => texts.get("stream.score", { n: solved, mistakes });

/** Return what is said at the end of a run. @param {timed.Run} run @param {number} best before it */
function endText(run, best) {
  if (!run.minutes) return scoreText(run);
  const { solved, mistakes } = run;
  return texts.get(solved > best ? "stream.record" : "stream.over", { n: solved, best, mistakes });
}
