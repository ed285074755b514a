/**
 * Sentences for the ear: what has just happened on the board, and what stands on it. This module does not use the page.
 *
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../game/line.js").Step} Step
 * @typedef {Pick<import("../game/position.js").Puzzle, "glyphs" | "jumps" | "points">} Puzzle
 * @typedef {{ get: (key: string, values?: import("../ui/i18n.js").Values) => string, has: (key: string) => boolean }} Texts
 */
import { cellsOf, differences, rowsOf } from "../game/cells.js";
import { moves, movesMade, positionAt } from "../game/line.js";

/** Return a text as it is to be read out: `10–0–2` in words, and no signs such as (+0). @param {Texts} texts @param {string} text */
export const spoken = ({ get }, text) =>
  text
    .replaceAll("\u2060", "")
    .replace(/(?<=\d)–(?=\d)/g, get("say.to"))
    .replace(/\s*[(（][+＋−]\d[)）]/g, "");

/** Return a text with a full stop, unless it has an end. @param {Texts} texts @param {string} text */
export const sentence = ({ get }, text) =>
  !text || /[.!?…。！？]$/.test(text) ? text : get("say.stop", { text });

/** Return items as in a sentence: `5, 1 and 4`. @param {Texts} texts @param {readonly (string | number)[]} items
 * @param {string} [last] key of the word before the last */
export function listed({ get }, items, last = "count.and") {
  const [head, tail] = [items.slice(0, -1).join(get("comma")), items.slice(-1)];
  return [...(head ? [head] : []), ...tail].join(get(last));
}

/** Return the numbers of pieces for which there is a text, as its key and the number. The red peg counts as a peg.
 * @param {Pick<Puzzle, "glyphs">} puzzle @param {Texts} texts @param {string} position
 * @returns {[key: string, n: number][]} */
export function countsOf({ glyphs }, { has }, position) {
  const names = [...cellsOf(position)].map((cell) => glyphs[cell] ?? "");
  return Object.values(glyphs)
    .filter((glyph) => has(`count.${glyph}`))
    .map((glyph) => [`count.${glyph}`, names.filter((other) => `${other}-`.startsWith(`${glyph}-`)).length]);
}

/** Return the numbers of pieces as a sentence; "" where none has a text. @param {Puzzle} puzzle @param {Texts} texts
 * @param {string} position */
export const countSentence = (puzzle, texts, position) =>
  sentence(
    texts,
    countsOf(puzzle, texts, position)
      .map(([key, n]) => texts.get(key, { n }))
      .join(texts.get("comma")),
  );

/** Return some steps of a line, which belong together, without a full stop: the holes and what was captured or turned.
 * @param {Puzzle} puzzle @param {Texts} texts @param {string} before position before the first @param {readonly Step[]} steps
 * @param {boolean} isBrief whether to say the holes alone */
function stepsText(puzzle, texts, before, steps, isBrief) {
  const [first, last] = [steps[0], steps[steps.length - 1]];
  const [kind, number] = (puzzle.glyphs[cellsOf(before)[first.from]] ?? "").split("-");
  if (kind === "tile") return texts.get("say.tile", { number, to: last.to });
  const move = [first.from, ...steps.map(({ to }) => to)].join(texts.get("say.to"));
  if (isBrief) return move;
  const over = steps.flatMap(({ from, to }) =>
    puzzle.jumps.filter(([start, , end]) => start === from && end === to).map(([, hole]) => hole),
  );
  const { turned } = differences(puzzle.glyphs, cellsOf(before), cellsOf(last.position), steps);
  if (over.length) return texts.get("say.over", { move, list: listed(texts, over) });
  return turned.length ? texts.get("say.turned", { move, list: listed(texts, turned) }) : move;
}

/** Return the steps of a line between two places, in words: one text for each move or push.
 * @param {Puzzle} puzzle @param {Texts} texts @param {Line} line @param {number} from @param {number} to
 * @param {boolean} [isBrief] whether to say the holes alone */
export function movesBetween(puzzle, texts, line, from, to, isBrief = false) {
  const part = { ...line, start: positionAt(line, from), steps: line.steps.slice(from, to), at: to - from };
  return moves(part).map(({ first, end }) =>
    stepsText(puzzle, texts, positionAt(part, first).position, part.steps.slice(first, end), isBrief),
  );
}

/** Moves of one change that are said one by one; of more, only where they lead. */
const MOST_MOVES = 3;

/** Return what has happened when the board goes from one line to another, or "" if nothing has moved.
 * @param {Puzzle} puzzle @param {Texts} texts @param {Line} was @param {Line} now @param {boolean} isSolution */
export function changeSentence(puzzle, texts, was, now, isSolution) {
  const [low, high] = [Math.min(was.at, now.at), Math.max(was.at, now.at)];
  const isSame = [...Array(low + 1).keys()].every(
    (at) => positionAt(was, at).position === positionAt(now, at).position,
  );
  const count = countSentence(puzzle, texts, positionAt(now).position);
  const gap = texts.get("sentence.gap");
  const join = (/** @type {string[]} */ ...parts) => parts.filter(Boolean).join(gap);
  if (!isSame) return join(texts.get("say.new"), count);
  if (was.at === now.at) return "";
  const isBack = now.at < was.at;
  const parts = movesBetween(puzzle, texts, isBack ? was : now, low, high, isBack);
  if (isBack && now.at === 0 && parts.length > 1) return join(texts.get("say.start"), count);
  const isShort = parts.length <= MOST_MOVES;
  const list = parts.join(texts.get("say.then"));
  if (isBack)
    return isShort
      ? texts.get("say.undone", { list })
      : join(texts.get("say.at", { n: movesMade(now) }), count);
  const happened = isShort ? sentence(texts, list) : texts.get("say.at", { n: movesMade(now) });
  if (!isSolution) return join(happened, count);
  const all = movesMade({ ...now, at: now.steps.length });
  return isShort ? texts.get("say.move", { n: movesMade(now), all, move: happened }) : happened;
}

/** Return where a piece can go: `to 3 or 11`; "" if nowhere. @param {Texts} texts @param {readonly { to: number }[]} targets */
export const targetsText = (texts, targets) =>
  targets.length
    ? texts.get("say.targets", {
        list: listed(
          texts,
          [...new Set(targets.map(({ to }) => to))].sort((a, b) => a - b),
          "say.or",
        ),
      })
    : "";

/** Return what is said of a selected piece. @param {Texts} texts @param {number} hole @param {readonly { to: number }[]} targets */
export const selectionText = (texts, hole, targets) =>
  [texts.get("say.selected", { hole }), targetsText(texts, targets)].filter(Boolean).join(": ");

/** Return one row of the board in words, from 1. @param {Puzzle} puzzle @param {Texts} texts @param {string} position
 * @param {number} row */
export function rowSentence({ glyphs, points }, texts, position, row) {
  const holes = rowsOf(points)[row - 1];
  if (!holes) return texts.get("say.noRow", { n: rowsOf(points).length, row });
  const cells = cellsOf(position);
  const list = holes
    .map((hole) => `${hole} ${pieceWord(texts, glyphs[cells[hole]])}`)
    .join(texts.get("comma"));
  return texts.get("say.row", { row, list });
}

/** Return a word for what is in a hole. @param {Texts} texts @param {string | undefined} glyph */
function pieceWord({ get, has }, glyph) {
  if (!glyph) return get("say.empty");
  const [kind, side = ""] = glyph.split("-");
  if (has(`side.${side}`)) return get(`side.${side}`);
  return kind === "tile"
    ? get("say.tileNumber", { side })
    : get(has(`piece.${glyph}`) ? `piece.${glyph}` : `piece.${kind}`);
}

/** Return what stands on the board: the holes of each kind of piece, then the empty holes.
 * @param {Pick<Puzzle, "glyphs">} puzzle @param {Texts} texts @param {string} position */
export function boardSentence({ glyphs }, texts, position) {
  const { get, has } = texts;
  const cells = [...cellsOf(position)];
  return [...Object.values(glyphs), undefined]
    .flatMap((glyph) => {
      const holes = [...cells.keys()].filter((hole) => glyphs[cells[hole]] === glyph);
      const [key, list] = [`say.kind.${glyph ?? "empty"}`, holes.join(get("comma"))];
      if (!holes.length) return [];
      return has(key) ? get(key, { list }) : get("say.kind", { word: pieceWord(texts, glyph), list });
    })
    .join(get("sentence.gap"));
}
