/** The review of a game: what every move cost, and the places to try again. */
import "../ui/settings.js";
import { focusWithArrows } from "../keys/arrows.js";
import { Board } from "../board/board.js";
import { followGame } from "../board/follow_game.js";
import { listenForPointers } from "../board/pointer.js";
import { begin, isWon, movesMade, movedTo, positionAt } from "../game/line.js";
import { followMoveSettings } from "../keys/move_settings.js";
import { goal, inNotation, puzzle } from "../game/position.js";
import { helpOfGame } from "../game/help.js";
import { addressOf as addressOfGame } from "../game/url_state.js";
import { countHelpOfPage } from "../game/help_of_page.js";
import { Session } from "../game/session.js";
import { saveFailed, savePassed, addressOf, dueToday } from "../review/again_store.js";
import { analysesOf } from "../review/analyses.js";
import { answered, goodSteps, isAnswered, isRight, newAttempt, withAnswerShown } from "../review/attempt.js";
import { bitsOf, gradedMoves, gradeOfPlayed, isExact, placesOf, positionsOf } from "../review/grades.js";
import { mistakes } from "../review/mistakes.js";
import { recordOf, withHintsOf, withLine } from "../review/record.js";
import { stairs } from "../review/stairs.js";
import { button, create, element, find, pageData, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { attempts as storedAttempts, gameRecord, saveUnfinished, tabName } from "../ui/storage.js";

/**
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../review/attempt.js").Attempt} Attempt
 * @typedef {import("../review/grades.js").GradedMove} GradedMove
 * @typedef {import("../review/grades.js").Place} Place
 */

/** Milliseconds for which a wrong step stays on the board. */
const WRONG_TIME = 1200;

/** @type {{ line: Line }} */
const page = pageData();
/** The reviewed line, all of it on the board; without steps, a single place is tried. @type {Line} */
const line = { ...page.line, at: page.line.steps.length };
const isSinglePlace = line.at === 0;
const played = new URLSearchParams(location.search).get("card") ?? puzzle.id;
/** The help in this game; null if it is not known, such as in another player's game. */
const stored = storedAttempts(played, line.start.position, goal);
const help = helpOfGame(stored, line);
const record = withLine(
  withHintsOf(recordOf(help && gameRecord(puzzle.id), line.start.position, goal), stored?.ended?.tries ?? 1),
  movedTo(line, 0),
  line,
);
// another player's solution gives the answer away; one's own game only what its moves were worth
countHelpOfPage(puzzle.id, line.start.position, goal, isWon(line) && !help ? "solution" : "reviewed");
const session = new Session(movedTo(line, 0));
const board = new Board(element(".board"), { puzzle, goal, texts });
const parts = {
  lead: element(".lead"),
  say: element('[role="status"]'),
  where: element(".where"),
  chips: element(".chips"),
  tryKey: button("try"),
  showKey: button("show"),
  playOnLink: find("#play-on", HTMLAnchorElement),
  doneLink: find("#done", HTMLAnchorElement),
  nextLink: find("#next-entry", HTMLAnchorElement),
};

/** @type {Awaited<ReturnType<typeof analysesOf>>} */
let analyses = new Map();
/** @type {GradedMove[]} */
let graded = [];
/** @type {Place[]} */
let places = [];
/** The attempts of this visit, by position. @type {Map<string, Attempt>} */
const attempts = new Map();
/** Number of the selected move, from 0. */
let selected = 0;
/** The place that is being tried, or null while the game is shown. @type {Place | null} */
let tried = null;

followGame(session, board, () => (tried || !graded[selected] ? {} : { arrows: [graded[selected].holes] }));
session.follow(["line"], ({ line }, before) => {
  element("main").dataset.position = positionAt(line).position;
  if (tried && line.at > before.line.at) answer(tried, line);
});

listenForPointers(
  board,
  {
    press: (hole) => void (isTrying() && session.press(hole)),
    lift: (hole) => void (isTrying() && session.lift(hole)),
    cancel: () => session.state.selected === null || session.cancel(),
    hop: async () => false,
    drop: async (from, to, direction) => void (isTrying() && (await session.drop(from, to, direction))),
  },
  board.root.closest(".play-area"),
);
focusWithArrows(board);
followMoveSettings(session);

/** Show the game before a move. @param {number} index */
function select(index) {
  tried = null;
  selected = Math.max(0, Math.min(index, graded.length - 1));
  session.restore(movedTo(line, graded[selected]?.first ?? 0));
  showTexts();
}

/** Return the first place of a move that is not found yet, or else its first place. @param {number} index */
function placeOfMove(index) {
  const own = places.filter(({ move }) => move === index + 1);
  return own.find((place) => !isFound(place)) ?? own[0] ?? null;
}

/** @param {Place} place */
const isFound = ({ position }) => attempts.get(position)?.found ?? false;

/** Return whether an answer is expected. */
const isTrying = () => tried !== null && !isFound(tried);

/** Return the place to try with the key: that of the selected move, else the next that is not found. */
const nextPlace = () => {
  const here = tried ?? placeOfMove(selected);
  return here && !isFound(here) ? here : (places.find((place) => !isFound(place)) ?? null);
};

/** Let the player try a place. @param {Place} place */
function tryPlace(place) {
  tried = place;
  if (place.move !== null) selected = place.move - 1;
  if (!attempts.has(place.position)) attempts.set(place.position, newAttempt(place.position));
  const { verdict, moves_left } = analyses.get(place.position) ?? { verdict: "unknown", moves_left: null };
  session.restore(begin({ position: place.position, verdict, moves_left }));
  showTexts();
  board.spots.find((spot) => spot.tabIndex === 0)?.focus({ preventScroll: true });
}

/** Judge the step that the player has made at a place. @param {Place} place @param {Line} played */
function answer(place, played) {
  const analysis = analyses.get(place.position);
  const before = attempts.get(place.position);
  if (!analysis || !before || before.found) return;
  const now = answered(before, analysis, played.steps[0]);
  attempts.set(place.position, now);
  const item = { card: "", puzzle: puzzle.id, position: place.position, goal };
  if (isRight(now)) savePassed(item);
  else if (!now.found && now.wrong === 1 && (isSinglePlace || now.last?.kind === "lost")) saveFailed(item);
  showTexts();
  if (now.found) return nextKey()?.focus({ preventScroll: true });
  setTimeout(() => tried === place && !isFound(place) && session.restore(movedTo(played, 0)), WRONG_TIME);
}

/** Return the filled key. @returns {HTMLElement | undefined} */
const nextKey = () => [parts.tryKey, parts.nextLink, parts.doneLink].find((key) => !key.hidden);

/** Show a good step at the place. */
function showGoodStep() {
  const place = tried ?? placeOfMove(selected);
  const analysis = place && analyses.get(place.position);
  const [good] = analysis ? goodSteps(analysis) : [];
  if (!place || !good) return;
  if (tried !== place) tryPlace(place);
  attempts.set(place.position, withAnswerShown(attempts.get(place.position) ?? newAttempt(place.position)));
  session.update({
    hint: { stage: 2, from: good.from, to: good.to, move: [good.from, good.to], proved: true },
  });
  write(parts.say, texts.get("review.shown"));
  showBetter();
}

/** Show the better steps that were tried or asked for. */
function showBetter() {
  for (const item of document.querySelectorAll("[data-better]"))
    item.toggleAttribute("hidden", !isAnswered(attempts.get(item.getAttribute("data-better") ?? "")));
}

/** Write what depends on the selected move and the place. */
function showTexts() {
  const place = tried ?? placeOfMove(selected);
  write(parts.where, place || graded.length ? whereText(place) : "");
  write(parts.say, sayText(place));
  const next = nextPlace();
  parts.tryKey.hidden = next === null || (tried !== null && tried === next);
  parts.showKey.hidden = !place || isFound(place);
  parts.doneLink.hidden = next !== null;
  offerToPlayOn();
  offerNextEntry(isSinglePlace && next === null);
  if (!next && places.length) write(parts.lead, texts.get("review.allFound"));
  [...parts.chips.querySelectorAll("button")].forEach((chip, index) => {
    if (index === selected) chip.setAttribute("aria-current", "step");
    else chip.removeAttribute("aria-current");
  });
  for (const item of parts.chips.querySelectorAll("[data-found]"))
    item.toggleAttribute(
      "hidden",
      !places.some((each) => each.position === item.getAttribute("data-found") && isFound(each)),
    );
  showBetter();
  find('[data-go="back"]', HTMLButtonElement).disabled = find(
    '[data-go="first"]',
    HTMLButtonElement,
  ).disabled = selected === 0;
  find('[data-go="forward"]', HTMLButtonElement).disabled = find(
    '[data-go="last"]',
    HTMLButtonElement,
  ).disabled = selected >= graded.length - 1;
}

/** After a good step at a place, link to a game that goes on from there: that of a card on its own page, where it counts. */
function offerToPlayOn() {
  const { line: found } = session.state;
  parts.playOnLink.hidden = !tried || !isFound(tried) || isWon(found);
  if (!tried || parts.playOnLink.hidden) return;
  const before = tried.at === null ? [] : line.steps.slice(0, tried.at);
  const steps = [...before, ...found.steps];
  const game = { start: tried.at === null ? found.start : line.start, steps, at: steps.length };
  const isOfCard = played !== puzzle.id && game.start.position === line.start.position;
  const place = isOfCard ? parts.doneLink.pathname : `/puzzles/${puzzle.id}`;
  const url = place + addressOfGame(game);
  parts.playOnLink.href = isOfCard ? place : url;
  parts.playOnLink.onclick = () => {
    if (isOfCard) saveUnfinished(played, { url, moves: movesMade(game), tab: tabName(), line: game });
  };
}

/** Offer the next place or card that comes again today, in place of the way back to the board. @param {boolean} isDone */
function offerNextEntry(isDone) {
  const isHere = (/** @type {import("../review/again.js").Entry} */ entry) =>
    !entry.card && entry.puzzle === puzzle.id && entry.position === line.start.position;
  const next = isDone ? dueToday().find((entry) => !isHere(entry)) : undefined;
  parts.nextLink.hidden = !next;
  if (next) ((parts.nextLink.href = addressOf(next)), (parts.doneLink.hidden = true));
}

/** @param {Place | null} place */
function whereText(place) {
  if (place && place.move === null) return isSinglePlace ? "" : texts.get("review.elsewhere");
  return texts.get("review.beforeMove", { n: selected + 1 });
}

/** @param {Place | null} place */
function sayText(place) {
  const analysis = place && analyses.get(place.position);
  if (!place || !analysis) return "";
  const attempt = attempts.get(place.position);
  if (attempt?.found) return texts.get("review.right");
  if (tried === place && attempt?.last) {
    const { kind, cost } = attempt.last;
    if (kind === "lost") return texts.get("review.wrongLost");
    return kind === "costs" ? texts.get("review.wrongCost", { n: cost ?? 0 }) : texts.get("review.wrongOpen");
  }
  return texts.get(puzzle.multiStepMoves ? "review.keeps.peg" : "review.keeps", {
    n: goodSteps(analysis).length,
  });
}

/** Return a move as a chip with what it cost. @param {GradedMove} move @param {number} index */
function chipOf(move, index) {
  const [notation] = inNotation(positionAt(line, move.first).position, [move.holes]);
  const marks = marksOf(move);
  const chip = create(
    "button",
    { type: "button", className: `chip ${move.grade.kind}` },
    create("span", { className: "n" }, texts.number.format(index + 1)),
    notation,
    create("span", { className: "plus" }, marks.join(texts.get("comma"))),
  );
  chip.setAttribute(
    "aria-label",
    texts.get("review.move", { n: index + 1, move: notation, what: marks.join(texts.get("comma")) }),
  );
  chip.addEventListener("click", () => select(index));
  const found = move.steps.map(({ position }) => {
    const sign = create("span", { className: "found-sign", hidden: true }, texts.get("review.found"));
    sign.dataset.found = position;
    return sign;
  });
  return create("li", {}, chip, ...found);
}

/** Return what happened at a move in words. @param {GradedMove} move */
function marksOf({ grade: { kind, cost }, steps }) {
  const own = { lost: "review.lost", late: "review.late", open: "review.notProved" };
  const first =
    kind in own
      ? texts.get(own[/** @type {keyof typeof own} */ (kind)])
      : texts.get(cost ? "review.cost" : "review.best", { n: cost ?? 0 });
  const taken = steps
    .flatMap(({ missed }) => missed)
    .map((step) => gradeOfPlayed(step, analyses))
    .map((grade) =>
      grade.kind === "lost"
        ? texts.get("review.taken")
        : texts.get("review.takenCost", { n: grade.cost ?? 0 }),
    );
  const helped = steps.some((step) => step.helped) ? [texts.get("review.helped")] : [];
  return [first, ...new Set(taken), ...helped];
}

/** Return how the game ended, and what there is to try again. */
function leadText() {
  if (isSinglePlace) return "";
  const made = movesMade(line);
  const best = analyses.get(line.start.position)?.moves_left ?? line.start.moves_left;
  const result = !isWon(line)
    ? texts.get("review.unsolved", { n: made })
    : best === null
      ? texts.get("review.open", { n: made })
      : texts.get(made === best ? "review.optimal" : "review.solved", { n: made, best });
  const rest = !isExact(graded)
    ? texts.get("review.bounds")
    : places.length
      ? texts.get("review.places", { n: places.length })
      : isWon(line)
        ? texts.get("review.clean")
        : "";
  return [result, rest].filter(Boolean).join(texts.get("sentence.gap"));
}

function showBits() {
  const bits = isSinglePlace ? null : bitsOf(graded, record, analyses);
  const about = find(".about-bits", HTMLElement);
  about.hidden = bits === null;
  find(".bits", HTMLElement).hidden = bits === null || help?.solution === true;
  if (!bits) return;
  if (help?.solution) return write(about, texts.get("review.unmeasured"));
  for (const cell of document.querySelectorAll("[data-bits]")) {
    const name = /** @type {keyof typeof bits} */ (cell.getAttribute("data-bits"));
    write(cell, texts.get("review.bits", { n: Math.round(10 * bits[name]) / 10 }));
    cell.parentElement?.toggleAttribute("hidden", name === "help" && bits.help === 0);
  }
  if (!help) about.append(texts.get("sentence.gap"), texts.get("review.helpUnknown"));
}

const MOVES = /** @type {const} */ ({ first: -Infinity, back: -1, forward: 1, last: Infinity });
for (const key of document.querySelectorAll("[data-go]")) {
  const by = MOVES[/** @type {keyof typeof MOVES} */ (key.getAttribute("data-go"))];
  key.addEventListener("click", () => select(selected + by));
}
parts.tryKey.addEventListener("click", () => {
  const place = nextPlace();
  if (place) tryPlace(place);
});
parts.showKey.addEventListener("click", showGoodStep);

/** Request the analyses, and show the review. */
async function open() {
  const positions = isSinglePlace ? [line.start.position] : positionsOf(line, record);
  analyses = await analysesOf(positions, (n) =>
    write(parts.lead, texts.get("review.waiting", { n, all: positions.length })),
  );
  if (!analyses.has(line.start.position)) return write(parts.lead, texts.get("review.failed"));
  graded = gradedMoves(line, record, analyses);
  places = isSinglePlace
    ? [{ position: line.start.position, kind: "lost", move: null, at: null, step: null }]
    : placesOf(line, record, analyses);
  parts.chips.replaceChildren(...graded.map(chipOf));
  const fewest = analyses.get(line.start.position)?.moves_left ?? null;
  if (fewest !== null && isExact(graded) && graded.some(({ grade }) => grade.kind !== "best")) {
    find(".stairs", HTMLElement).append(stairs(fewest, graded));
    find(".stairs", HTMLElement).hidden = false;
  }
  element(".mistakes").replaceChildren(...mistakes(places, analyses, (move) => select(move - 1)));
  showBits();
  find(".figures", HTMLElement).hidden = ![...document.querySelectorAll(".figures > :not(summary)")].some(
    (part) => !part.hasAttribute("hidden"),
  );
  write(parts.lead, leadText());
  if (isSinglePlace) return tryPlace(places[0]);
  const first = graded.findIndex((_, index) => placeOfMove(index) !== null);
  select(Math.max(0, first));
}

session.start();
if (line.at || location.search.includes("position=")) open();
else write(parts.lead, texts.get("review.none"));
