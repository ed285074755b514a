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
import { endingOf, hasMoreHelp, helpPlayedWith, isAt } from "../game/help.js";
import { cellsOf } from "../game/cells.js";
import { isWon, lineText, lossOf, movedTo, movesMade, movesOf, positionAt } from "../game/line.js";
import { pollNumber } from "../game/polling.js";
import { address, card, goal, puzzle } from "../game/position.js";
import { copyText, showOutcome } from "../ui/clipboard.js";
import { button, create, element, find, svg, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";
import { dueToday, saveFailed, savePassed } from "./again_store.js";
import { analysesOf } from "./analyses.js";
import { gradedMoves, placesOf, positionsOf } from "./grades.js";
import { withKind } from "./kinds.js";
import { recordOf, withHint, withLine } from "./record.js";
import { helpTexts, occurring, shareText } from "./share_text.js";

/** Most lost places of one game that come again. */
const MAX_PLACES = 3;
/** Letters of the signs in the address of the picture (`web/drawing/result_picture.py`). @type {Record<Sign, string>} */
const LETTERS = { best: "b", costs: "c", lost: "l", late: "a", open: "o", help: "h" };

/** Show the result of every game that ends, once the last piece has landed. @param {Session} session @param {GamePage} page
 * @param {() => Promise<unknown>} landed waits for the pieces that are in the air */
export function showResult(session, page, landed) {
  const root = element("#result");
  const recorder = recordGame(session);
  /** Position and moves of the result that is shown, or that the player has closed. */
  let shown = session.state.tries ? "" : keyOf(session.state); // a game that came with the link ended elsewhere
  /** @type {Story | null} */
  let story = null;
  let helpBefore = session.state.help; // before the game on the board
  const endedBefore = session.state.ended; // before this page
  button("close-result").addEventListener("click", () => (root.hidden = true));
  button("result-back").addEventListener("click", () => button("go-back").click());
  button("share-result").addEventListener("click", () => story && share(story));
  session.follow(["line", "solution", "edit", "analysis"], (state) => {
    const key = keyOf(state);
    if (key === shown || "embed" in document.documentElement.dataset) return;
    shown = key;
    root.hidden = true;
    if (key)
      void landed().then(() => void (key === shown && open({ ...state, help: helpPlayedWith(state) })));
  });

  /** @param {State} state */
  async function open(state) {
    const now = (story = storyOf(state, root.dataset.title ?? ""));
    root.hidden = false;
    showWords(root, now, state);
    showSigns(root, []);
    queueMicrotask(() => offerNext(now.isSolved)); // when the link beside the board is up to date
    if (now.isSolved) reportSolution(state);
    const record = recorder();
    const analyses = await analysesOf(positionsOf(state.line, record));
    if (story !== now) return;
    story = { ...now, signs: gradedMoves(state.line, record, analyses).map(({ sign }) => sign) };
    showSigns(root, story.signs);
    showPicture(root, story, state);
    const isCard = card !== null && page.mode.isKept; // the stream deals its positions but once
    if (!isAt(endedBefore, state))
      keepForLater(state, placesOf(state.line, record, analyses), isCard ? card : null, helpBefore);
    helpBefore = session.state.help;
    showAgain();
    if (isListed(state, page)) await showKinds(root, state, () => shown === keyOf(state) && !root.hidden);
  }
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

/** Record the game, also in the storage, where the review finds it. Return a function that returns the record.
 * @param {Session} session */
function recordGame(session) {
  const { line, tries } = session.state;
  const stored = tries ? store.gameRecord(puzzle.id) : null;
  let record = withLine(recordOf(stored, line.start.position, goal), movedTo(line, 0), line);
  const save = (/** @type {import("./record.js").GameRecord} */ now) => {
    if (now !== record && !("embed" in document.documentElement.dataset))
      store.saveGameRecord(puzzle.id, now);
    record = now;
  };
  session.subscribe(["line"], ({ line }, before) => save(withLine(record, before.line, line)));
  session.subscribe(["hint"], ({ line, hint }, before) => {
    if (hint && !before.hint) save(withHint(record, positionAt(line).position));
  });
  return () => record;
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
  const title = story.isSolved
    ? texts.get("ended.solved", { n: story.moves })
    : story.left
      ? texts.get("ended.left", { left: story.left })
      : texts.get("ended.stuck");
  const detail = detailOf(story, state);
  const told = [texts.get("share.tries", { n: story.tries }), ...helpTexts(story, texts.get)].join(" · ");
  find(".medal use", SVGUseElement, root).setAttribute("href", `#s-${state.medal ?? "new"}`);
  write(find("h2", HTMLElement, root), title);
  write(find(".sub", HTMLElement, root), detail);
  write(find(".told", HTMLElement, root), told);
  write(
    find(".announced", HTMLElement, root),
    [title, detail, told].filter(Boolean).join(texts.get("comma")),
  );
  find(".kinds", HTMLElement, root).hidden = true;
  const { line } = state;
  const query = new URLSearchParams({ start: line.start.position, line: lineText(line), goal });
  if (card) query.set("card", card);
  find("#to-review", HTMLAnchorElement).href = `/puzzles/${puzzle.id}/review?${query}`;
}

/** @param {Story} story @param {State} state */
function detailOf({ isSolved, best }, { line, medal }) {
  if (isSolved) {
    if (best === null) return texts.get("ended.open");
    return medal === "solved"
      ? texts.get("ended.more", { best })
      : texts.get(medal === "optimal" ? "ended.own" : "ended.assisted");
  }
  const loss = lossOf(line);
  return loss ? texts.get(loss.isProved ? "ended.lost" : "ended.lost.latest", { move: loss.move }) : "";
}

/** Show a sign for each move, and what the signs mean that occur. @param {HTMLElement} root @param {readonly Sign[]} signs */
function showSigns(root, signs) {
  const row = find(".signs", HTMLElement, root);
  row.replaceChildren(...signs.map(pip));
  const counted = occurring(signs).map((sign) =>
    texts.get("ended.sign", {
      n: signs.filter((other) => other === sign).length,
      sign: texts.get(`sign.${sign}`),
    }),
  );
  row.setAttribute("aria-label", texts.get("ended.signs", { list: counted.join(texts.get("comma")) }));
  const meanings = occurring(signs).map((sign) => create("li", {}, pip(sign), texts.get(`sign.${sign}`)));
  find(".legend", HTMLElement, root).replaceChildren(...meanings);
}

/** @param {Sign} sign */
function pip(sign) {
  const picture = svg("svg", { "aria-hidden": "true" });
  picture.append(svg("use", { href: `#p-${sign}` }));
  return picture;
}

/** Point the link to the picture of the result. @param {HTMLElement} root @param {Story} story @param {State} state */
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
  find("#result-picture", HTMLAnchorElement, root).href = `/puzzles/${puzzle.id}/result.png?${query}`;
}

/** Offer what the keys beside the board offer, in their place: the next game, or the way back. @param {boolean} isSolved */
function offerNext(isSolved) {
  const [link, own] = ["#next", "#result-next"].map((name) => find(name, HTMLAnchorElement));
  own.hidden = !isSolved || !link.href;
  own.href = link.href;
  own.ariaLabel = link.textContent;
  if (!own.hidden) own.focus({ preventScroll: true });
  button("result-back").hidden = isSolved || button("go-back").hidden;
}

/** Copy the text of the result, and offer it to the device, if it can share. @param {Story} story */
function share(story) {
  const text = shareText(story, texts.get);
  void showOutcome(button("share-result"), copyText("result", text));
  navigator.share?.({ text }).catch(() => {}); // closed by the player
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

/** Offer what comes again today. */
function showAgain() {
  const link = find("#to-again", HTMLAnchorElement);
  const { length } = dueToday();
  link.hidden = !length;
  write(link, texts.get("ended.again", { n: length }));
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
