/**
 * The result card: how a game ended, in words and signs, with the text to share. It is shown when a game is solved, or when
 * no step is left, and keeps what comes again and the kinds of solutions found.
 *
 * @typedef {import("../game/session.js").Session} Session
 * @typedef {import("../game/session.js").State} State
 * @typedef {{ problems: readonly [start: string, goal: string][], mode: { isKept: boolean } }} GamePage what the card uses of the data of a page
 * @typedef {import("./grades.js").Sign} Sign
 * @typedef {import("./share_text.js").Story} Story
 */
import * as api from "../game/api.js";
import { cellsOf } from "../game/cells.js";
import { endingOf, hasMoreHelp, helpPlayedWith, isAt, NO_HELP, tellsLoss } from "../game/help.js";
import { isWon, lineText, lossOf, movedTo, movesMade, movesOf, positionAt } from "../game/line.js";
import { medalOf } from "../game/medal.js";
import { pollNumber } from "../game/polling.js";
import { address, card, goal, puzzle } from "../game/position.js";
import { copyPicture, copyText, shareOrCopy, showOutcome } from "../ui/clipboard.js";
import { button, create, element, find, moveFocus, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";
import { saveFailed, savePassed } from "./again_store.js";
import { analysesOf } from "./analyses.js";
import { friendText } from "./friend.js";
import { gradedMoves, placesOf, positionsOf } from "./grades.js";
import { withKind } from "./kinds.js";
import { ofLastTry, recordOf, withHint, withHintsOf, withLine, withNewTry } from "./record.js";
import { helpTexts, LETTERS, occurring, shareText } from "./share_text.js";
import { pip, showSigns } from "./signs.js";
import * as stages from "./stages.js";

/** Most lost places of one game that come again. */
const MAX_PLACES = 3;

/** Show the result of every game that ends, once the last piece has landed. @param {Session} session @param {GamePage} page
 * @param {() => Promise<unknown>} landed waits for the pieces that are in the air */
export function showResult(session, page, landed) {
  const root = element("#result");
  const recorder = recordGame(session);
  const first = session.state;
  // a game that came with the link ended elsewhere
  let now = stages.opened(first.line.at, keyOf(first), first.tries > 0);
  /** @type {Story | null} */
  let story = null;
  let helpBefore = first.help; // before the game on the board
  const endedBefore = first.ended; // before this page

  /** @param {import("./stages.js").Event} event */
  function follow(event) {
    now = stages.after(now, event);
    showStage();
  }
  function showStage() {
    element("main").dataset.stage = now.stage;
    root.hidden = now.sheet !== "open";
    document.dispatchEvent(new Event("stage"));
  }
  /** @param {State} state */
  function showEnd(state) {
    void open(state);
    const { end } = now;
    void landed().then(() => {
      follow({ type: "landed", end });
      const isElsewhere = state === first || document.activeElement?.matches("input");
      if (now.sheet === "open" && isWon(state.line) && !isElsewhere) moveFocus(find("h2", HTMLElement, root));
    });
  }
  session.follow(["line", "solution", "edit", "analysis"], (state) => {
    if (state.solution || state.edit) return;
    const [key, before] = [keyOf(state), now];
    follow({ type: "board", moves: state.line.at, end: key });
    if (now.sheet === "waiting" && now !== before) showEnd(state);
  });
  button("close-result").addEventListener("click", () => follow({ type: "closed" }));
  button("result-again").addEventListener("click", () => button("restart").click());
  button("where-lost").addEventListener("click", () => tellLoss(root, session));
  button("share-result").addEventListener("click", () => story && tell("share-result", share(story)));
  button("share-picture").addEventListener("click", () => tell("share-picture", sharePicture(root)));
  showStage();
  if (now.sheet === "waiting") showEnd(first);

  /** @param {State} state */
  async function open(state) {
    const help = helpPlayedWith(state);
    const own = (story = storyOf({ ...state, help }, root.dataset.title ?? ""));
    showWords(root, own, state);
    showTries(root, [[]]);
    queueMicrotask(() => offerNext(own.isSolved)); // when the link beside the board is up to date
    if (own.isSolved) reportSolution(state);
    const record = recorder(state.tries);
    const analyses = await analysesOf(positionsOf(state.line, record));
    const signs = signsOf(state.line, ofLastTry(record), analyses, own);
    const earlier = await earlierSigns(state);
    if (story !== own) return;
    story = withSigns(own, signs);
    const places = placesOf(state.line, record, analyses);
    offerBetter(root, state, places.length);
    showTries(root, [...earlier, signs]);
    showPicture(root, story, state);
    const isCard = card !== null && page.mode.isKept; // the stream deals its positions but once
    if (!isAt(endedBefore, state)) keepForLater({ ...state, help }, places, isCard ? card : null, helpBefore);
    helpBefore = session.state.help;
    if (isListed(state, page))
      await showKinds(root, state, () => now.end === keyOf(state) && now.sheet === "open");
  }
}

/** Return the signs of the moves of a game. Those of a solution that was seen are all help.
 * @param {State["line"]} line @param {import("./record.js").GameRecord} record @param {import("./grades.js").Analyses} analyses
 * @param {Pick<Story, "help">} story @returns {Sign[]} */
const signsOf = (line, record, analyses, { help }) =>
  gradedMoves(line, record, analyses).map(({ sign }) => (help.solution ? "help" : sign));

/** Return the signs of the earlier tries that have ended, the oldest first. @param {State} state @returns {Promise<Sign[][]>} */
async function earlierSigns({ ended, line }) {
  const { start } = line;
  const tries = (ended?.earlier ?? []).map(async (text) => {
    const { steps } = await api.line(start.position, movesOf(text));
    const played = { start, steps, at: steps.length };
    const record = recordOf(null, start.position, goal);
    const analyses = await analysesOf(positionsOf(played, record));
    return gradedMoves(played, record, analyses).map(({ sign }) => sign);
  });
  const found = await Promise.allSettled(tries); // one that cannot be had is left out
  return found.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

/** Return the story with its signs; its link then carries the result to a friend. @param {Story} story
 * @param {Sign[]} signs @returns {Story} */
function withSigns(story, signs) {
  const { isSolved, moves, best, tries, help, link } = story;
  if (!card || !isSolved || best === null) return { ...story, signs };
  const medal = medalOf({ moves, best, help });
  return { ...story, signs, link: link + friendText({ medal, moves, tries, signs }) };
}

/** Offer the review of a game that could have been better, and after a star another solution.
 * @param {HTMLElement} root @param {State} state @param {number} mistakes as many as are known, also in earlier tries */
function offerBetter(root, state, mistakes) {
  const isStar = state.medal === "optimal";
  showParts(root, "#to-review", (!isStar || mistakes > 0) && (isWon(state.line) || tellsLoss(state)));
  label(root.querySelector("#play-again"), isStar);
  const isBest = isWon(state.line) && movesMade(state.line) === state.line.start.moves_left;
  label(root.querySelector("#to-review span"), isBest && !mistakes);
}

/** Write the first or the second label of a part that has two. @param {HTMLElement | null} part @param {boolean} isSecond */
function label(part, isSecond) {
  if (part) write(part, part.dataset.labels?.split("|")[Number(isSecond)] ?? "");
}

/** Tell where a lost game was lost, which costs the star. @param {HTMLElement} root @param {Session} session */
function tellLoss(root, session) {
  session.countHelp({ ...NO_HELP, told: true });
  write(find(".sub", HTMLElement, root), detailOfLoss(session.state));
  button("where-lost").hidden = true;
  moveFocus(find("h2", HTMLElement, root)); // its key is gone
  showParts(root, ".tries, .legend, #share-result, #share-picture, #to-review", true);
}

/** Show or hide parts. @param {HTMLElement} root @param {string} selector
 * @param {boolean} isShown */
function showParts(root, selector, isShown) {
  for (const part of root.querySelectorAll(selector)) part.toggleAttribute("hidden", !isShown);
}

/** Send a solution of a start whose fewest moves are not proved: the server learns it if it is better than the best known.
 * @param {State} state */
function reportSolution({ line }) {
  if (line.start.moves_left !== null) return;
  api.line(line.start.position, movesOf(lineText(line))).catch(() => undefined); // the game goes on without an answer
}

/** Return a text that changes with the result of the game on the board; "" before its end. @param {State} state */
function keyOf(state) {
  const ending = endingOf(state);
  return ending ? `${ending} ${lineText(state.line)} ${state.line.start.moves_left}` : "";
}

/** Record the game, also in the storage, where the review finds it. Return a function that returns the record with the hints
 * of a try. @param {Session} session */
function recordGame(session) {
  const { line, tries } = session.state;
  const stored = tries ? store.gameRecord(puzzle.id) : null;
  let record = withLine(recordOf(stored, line.start.position, goal), movedTo(line, 0), line);
  const save = (/** @type {import("./record.js").GameRecord} */ now) => {
    if (now !== record) store.saveGameRecord(puzzle.id, now);
    record = now;
  };
  session.subscribe(["line"], ({ line }, before) => save(withLine(record, before.line, line)));
  session.subscribe(["tries"], () => save(withNewTry(record)));
  session.subscribe(["hint"], ({ line, hint, tries }, before) => {
    if (hint && !before.hint) save(withHint(record, positionAt(line).position, line.at ? tries : tries + 1));
  });
  return (/** @type {number} */ tryNumber) => withHintsOf(record, tryNumber);
}

/** Return what there is to tell of a game; the signs of its moves follow. @param {State} state @param {string} title @returns {Story} */
function storyOf({ line, help, tries }, title) {
  return {
    title,
    isSolved: isWon(line),
    moves: movesMade(line),
    best: line.start.moves_left,
    left: piecesLeft(positionAt(line).position),
    signs: [],
    tries: Math.max(1, tries),
    help,
    link: location.origin + problemAddress(line.start.position),
  };
}

/** Return the address of the problem, without any move. @param {string} position of its start */
function problemAddress(position) {
  const isPlain = card !== null || (position === puzzle.start && goal === puzzle.goal);
  return `${address}${isPlain ? "" : `?${new URLSearchParams({ position, goal })}`}`;
}

/** Return the number of pegs in words; "" for pieces whose number has no text. @param {string} position */
function piecesLeft(position) {
  const pieces = [...cellsOf(position)].filter((cell) => puzzle.glyphs[cell]?.startsWith("peg")).length;
  return pieces ? texts.get("count.peg", { n: pieces }) : "";
}

/** Write the result in words, and announce it. @param {HTMLElement} root @param {Story} story @param {State} state */
function showWords(root, story, state) {
  const title = titleOf(story, state);
  const detail = detailOf(story, state);
  const told = [texts.get("share.tries", { n: story.tries }), ...helpTexts(story, texts.get)].join(" · ");
  root.dataset.medal = state.medal ?? "lost";
  find(".medal use", SVGUseElement, root).setAttribute("href", `#s-${state.medal ?? "dead"}`);
  write(find("h2", HTMLElement, root), title);
  write(find(".sub", HTMLElement, root), detail);
  write(find(".told", HTMLElement, root), told);
  find(".kinds", HTMLElement, root).hidden = true;
  button("result-again").hidden = story.isSolved;
  const leadsOn = find("#result-next", HTMLAnchorElement).matches(".first"); // in the stream
  button("share-result").classList.toggle("first", story.isSolved && !leadsOn); // else the first key is to try again
  showParts(root, "#to-proof, #play-again", story.isSolved);
  button("where-lost").hidden = story.isSolved || tellsLoss(state) || !lossOf(state.line);
  const tellsAll = story.isSolved || tellsLoss(state);
  showParts(root, ".tries, .legend, #share-result, #share-picture", tellsAll);
  offerBetter(root, state, 0);
  const { line } = state;
  const query = new URLSearchParams({ start: line.start.position, line: lineText(line), goal });
  if (card) query.set("card", card);
  find("#to-review", HTMLAnchorElement).href = `/puzzles/${puzzle.id}/review?${query}`;
}

/** @param {Story} story @param {State} state */
function titleOf({ isSolved, moves, left }, { medal }) {
  if (isSolved) return texts.get(medal === "optimal" ? "ended.star" : "ended.solved", { n: moves });
  return left ? texts.get("ended.left", { left }) : texts.get("ended.stuck");
}

/** @param {Story} story @param {State} state */
function detailOf({ isSolved, best }, state) {
  if (!isSolved) return tellsLoss(state) ? detailOfLoss(state) : "";
  if (best === null) return texts.get("ended.open");
  return state.medal === "solved"
    ? texts.get("ended.more", { best })
    : texts.get(state.medal === "optimal" ? "ended.own" : "ended.assisted");
}

/** Return where a game was lost. @param {Pick<State, "line">} state */
function detailOfLoss({ line }) {
  const loss = lossOf(line);
  return loss ? texts.get(loss.isProved ? "ended.lost" : "ended.lost.latest", { move: loss.move }) : "";
}

/** Show the signs of all tries, and what the signs mean that occur. @param {HTMLElement} root @param {readonly Sign[][]} tries */
function showTries(root, tries) {
  const rows = tries.map((signs, index) => {
    const row = create("span", { className: "signs", role: "img" });
    showSigns(row, signs);
    return create("li", { value: index + 1 }, row);
  });
  find(".tries", HTMLElement, root).replaceChildren(...rows);
  const signs = occurring(tries.flat());
  const meanings = signs.map((sign) => create("li", {}, pip(sign), texts.get(`sign.${sign}`)));
  find(".legend", HTMLElement, root).replaceChildren(...meanings);
}

/** Keep the address of the picture of the result. @param {HTMLElement} root @param {Story} story @param {State} state */
function showPicture(root, { signs, isSolved }, { line, medal }) {
  const query = new URLSearchParams({
    start: line.start.position,
    goal,
    medal: isSolved ? (medal ?? "solved") : "lost",
    signs: signs
      .map((sign) => LETTERS[sign])
      .join("")
      .slice(0, 100),
    theme: store.isDark() ? "dark" : "light",
  });
  root.dataset.picture = `/puzzles/${puzzle.id}/result.png?${query}`;
}

/** Offer the game that the key beside the board offers. @param {boolean} isSolved */
function offerNext(isSolved) {
  const [link, own] = ["#next", "#result-next"].map((name) => find(name, HTMLAnchorElement));
  own.hidden = !isSolved || !link.href;
  own.href = link.href;
  write(own, link.textContent ?? "");
}

/** Tell what came of sharing on the key itself, so that nothing moves. @param {string} id of the key @param {Promise<string>} outcome */
const tell = (id, outcome) => void showOutcome(button(id), outcome, true);

/** Share the text of the result by the sheet of the device, or else copy it; return which. @param {Story} story */
async function share(story) {
  const text = shareText(story, texts.get);
  const outcome = await shareOrCopy({ text }, () => copyText("result", text));
  const field = find(".to-copy", HTMLTextAreaElement);
  field.hidden = outcome !== "refused.text";
  field.value = text;
  if (!field.hidden) (field.focus(), field.select());
  return field.hidden ? outcome : "refused.field";
}

/** Share the picture of the result as a file, or else copy it; return which. @param {HTMLElement} root */
async function sharePicture(root) {
  const address = root.dataset.picture ?? "";
  const answer = await fetch(address).catch(() => null);
  const files = answer?.ok ? [new File([await answer.blob()], "hoppers.png", { type: "image/png" })] : [];
  const save = () => (create("a", { href: address, download: "hoppers.png" }).click(), "copied.saved");
  const copy = async () => {
    const copied = await copyPicture(address);
    return copied.startsWith("copied.") || !files.length ? copied : save();
  };
  return shareOrCopy({ files }, copy);
}

/** Keep a failed card and the lost places for another day; a card solved on one's own leaves earlier.
 * @param {State} state @param {import("./grades.js").Place[]} places @param {string | null} card
 * @param {State["help"]} helpBefore that of earlier games, for which no card stays here */
function keepForLater({ line, help, medal }, places, card, helpBefore) {
  const start = { puzzle: puzzle.id, position: line.start.position, goal };
  const isFewest = isWon(line) && movesMade(line) === line.start.moves_left;
  if (card && isFewest && !hasMoreHelp(help, helpBefore)) savePassed({ ...start, card });
  else if (card && (!medal || help.solution)) saveFailed({ ...start, card });
  for (const { position } of places.filter(({ kind }) => kind === "lost").slice(0, MAX_PLACES))
    saveFailed({ card: "", puzzle: puzzle.id, position, goal });
}

/** Return whether the game was of a card or of a problem in the lists. @param {State} state @param {GamePage} page */
const isListed = ({ line }, { problems }) =>
  Boolean(card) || problems.some((problem) => problem.join() === [line.start.position, goal].join());

/** Store the kind of a shortest solution, and show how many kinds are found, as soon as the server has counted them.
 * @param {HTMLElement} root @param {State} state @param {() => boolean} isShown whether the result is still shown */
async function showKinds(root, { line }, isShown) {
  if (!isWon(line) || movesMade(line) !== line.start.moves_left) return;
  const { position } = line.start;
  const { kind = null, kinds = null } = (await pollNumber(position, lineText(line), isShown)) ?? {};
  if (kind === null || kinds === null) return;
  const problem = `${position}|${goal}`;
  const found = withKind(store.foundKinds(puzzle.id)[problem] ?? null, kind, kinds);
  store.saveFoundKinds(puzzle.id, problem, found);
  if (kinds === 1) return;
  write(find(".kinds", HTMLElement, root), texts.get("ended.kinds", { n: found.kinds.length, of: kinds }));
  find(".kinds", HTMLElement, root).hidden = false;
}
