/**
 * The game in the address, the browser's history and the storage of the tab. The address holds the position and the
 * played steps; the history also the steps that can be redone.
 *
 * @typedef {import("./line.js").Line} Line
 */
import { isWon, lineText, movedTo, positionAt } from "./line.js";
import { cellsOf } from "./cells.js";
import { address, gameKey, goal, puzzle } from "./position.js";
import { saveBounds, storedBounds, unfinished } from "../ui/storage.js";

/** Length of a line, in characters, from which on the address omits it. Some servers refuse long addresses. */
const MAX_LINE_LENGTH = 1500;

/** Return the query of the address for a line. @param {Line} line */
export function addressOf(line) {
  const { position } = positionAt(line);
  const parts = [`position=${position}`, `goal=${goal}`];
  const text = lineText(line);
  if (text && text.length < MAX_LINE_LENGTH) parts.push(`line=${text}`);
  if (text && line.start.position !== puzzle.start) parts.push(`start=${line.start.position}`);
  return `?${parts.join("&")}`;
}

/** Store a line in the browser's history and in the links to other languages.
 * @param {Line} line @param {boolean} [asNew] whether to add a history entry */
export function saveLine(line, asNew = false) {
  const here = `${address}${addressOf(line)}`;
  if (asNew) history.pushState({ line }, "", here);
  else history.replaceState({ ...history.state, line }, "", here);
  for (const link of document.querySelectorAll("a[data-language]")) {
    if (link instanceof HTMLAnchorElement) link.href = `${here}&lang=${link.lang}`;
  }
}

/** Return the line of the address, with the undone steps that the history stores. Offline, the page may have been cached
 * under another address of the same board. The line is then in the history, or in the storage if the player had left the
 * page. The storage also carries undone steps to the page in another language.
 * @param {{ line: Line, query: Record<string, string> }} page `query`: query of the request that the server answered with this page
 * @returns {{ line: Line, isOther: boolean, origin: "new" | "own" | "foreign" }} `isOther`: the line is not the one of the
 *   address; `origin`: whether its moves were played here, or came with the link */
export function firstLine({ line: sent, query: answered }) {
  const query = new URLSearchParams(location.search);
  const isCopy = [...new Set([...query.keys(), ...Object.keys(answered)])].some(
    (key) => key !== "lang" && query.get(key) !== answered[key],
  );
  const line = { ...sent, at: sent.steps.length };
  const stored = unfinished(gameKey);
  const isOfThisAddress = stored?.url === location.pathname + location.search.replace(/&lang=\w+$/, ""); // links to other languages add `lang`
  const kept = storedLine(stored);
  if (isPlain(query) && kept && kept.at > 0 && goalOf(stored) === goal && !history.state)
    return { line: kept, isOther: false, origin: "own" };
  const found = storedLine(history.state) ?? (isOfThisAddress ? kept : null);
  if (!isCopy) {
    const isFound = found !== null && isSame(found, line);
    const origin = originOf(
      line,
      [found, kept].some((own) => isPartOf(line, own)),
    );
    return { line: isFound ? { ...found, start: line.start } : line, isOther: false, origin };
  }
  const fits =
    found &&
    (query.get("goal") ?? puzzle.goal) === goal &&
    [null, positionAt(found).position].includes(query.get("position"));
  return fits
    ? { line: found, isOther: false, origin: originOf(found, true) }
    : { line, isOther: true, origin: originOf(line, false) };
}

/** Return the line with which the page of a card opens: the kept game, unless it was solved on another day; whatever the address
 * says. @param {{ line: Line }} page @param {(start: string) => boolean} isFromToday
 * @returns {ReturnType<typeof firstLine>} */
export function keptLine({ line: sent }, isFromToday) {
  const stored = unfinished(gameKey);
  const kept = atEndIfSolved(storedLine(stored));
  const isOfCard = kept?.start.position === sent.start.position && goalOf(stored) === goal;
  if (!kept?.at || !isOfCard || (isWon(kept) && !isFromToday(sent.start.position)))
    return { line: { ...sent, at: 0 }, isOther: false, origin: "new" };
  return { line: { ...kept, start: sent.start }, isOther: false, origin: "own" };
}

/** Return a line that was solved and went back to its start at its end again, so that its result can be shared; another as
 * it is. @param {Line | null} kept */
function atEndIfSolved(kept) {
  if (!kept || kept.at) return kept;
  const end = movedTo(kept, kept.steps.length);
  return isWon(end) ? end : kept;
}

/** Return whether an address names no position, but only the puzzle or the card: it opens the kept game. @param {URLSearchParams} query */
const isPlain = (query) => !["position", "line", "start", "deal", "goal"].some((name) => query.has(name));

/** Return the goal of a kept game, or null. @param {import("../ui/stored_kinds.js").Unfinished | null} kept */
export const goalOf = (kept) => new URLSearchParams(kept?.url.split("?")[1]).get("goal");

/** @param {Line} line @param {boolean} isOwn */
const originOf = (line, isOwn) => (line.at === 0 ? "new" : isOwn ? "own" : "foreign");

/** Return whether a line is a beginning of the kept game. @param {Line} line @param {Line | null} kept */
const isPartOf = (line, kept) =>
  kept !== null &&
  kept.start.position === line.start.position &&
  lineText({ ...kept, at: line.at }) === lineText(line);

/** @param {Line} one @param {Line} other */
const isSame = (one, other) =>
  positionAt(one).position === positionAt(other).position && one.start.position === other.start.position;

/** Return the line stored in a history entry or an unfinished game. Return null if it is invalid, because imported files may
 * contain anything.
 * @param {unknown} state @returns {Line | null} */
export function storedLine(state) {
  const line = /** @type {{ line?: Line } | null} */ (state)?.line;
  if (!Array.isArray(line?.steps) || !isPosition(line.start) || !line.steps.every(isStep)) return null;
  return Number.isInteger(line.at) && line.at >= 0 && line.at <= line.steps.length ? line : null;
}

const VERDICTS = ["solved", "live", "dead", "unknown", "checking"];

/** @param {any} known */
function isPosition(known) {
  if (typeof known?.position !== "string" || !VERDICTS.includes(known.verdict)) return false;
  const { position, moves_left: movesLeft = null, bounds = null } = known;
  const isNumber = [movesLeft, bounds?.least ?? 0, bounds?.most ?? null].every(
    (number) => number === null || Number.isInteger(number),
  );
  return (
    isNumber &&
    cellsOf(position).length === puzzle.points.length &&
    [...cellsOf(position)].every((cell) => puzzle.alphabet.includes(cell))
  );
}

/** @param {any} known */
const isStep = (known) =>
  isPosition(known) &&
  [known.from, known.to].every((hole) => hole in puzzle.points) &&
  [0, 1].includes(known.cost);

/** Restore the bounds of positions that this tab has stored, and store the bounds whenever they change.
 * @param {import("./session.js").Session} session */
export function keepBounds(session) {
  const about = `${puzzle.id}/${goal}`;
  session.state.known = storedBounds(about);
  session.subscribe(["known"], ({ known }) => saveBounds(about, known));
}
