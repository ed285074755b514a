/**
 * A line that the player types: moves as `6-8-10` or `6 8 10`, and commands in words. This module does not use the page.
 *
 * @typedef {import("./sentences.js").Puzzle} Puzzle
 * @typedef {import("./sentences.js").Texts} Texts
 * @typedef {{ kind: string, numbers: number[] }} Command `kind`: "play" for holes, otherwise one of `COMMANDS`, or "unknown"
 *
 * @typedef {object} Game what can be asked about
 * @property {Puzzle} puzzle
 * @property {string} position
 * @property {readonly { from: number, to: number }[]} steps legal steps
 * @property {number} moves moves made
 */
import { cellsOf } from "../game/cells.js";
import { boardSentence, countSentence, listed, rowSentence, sentence } from "./sentences.js";

/** Commands, each with its words in the catalogue under `typed.words`. */
const COMMANDS = [
  ...["undo", "redo", "restart", "hint", "why", "check", "solution", "go-back"],
  ...["pegs", "row", "count", "moves", "last", "help"],
];
/** What may stand between the holes of a move; a long vowel mark is the hyphen of a Japanese keyboard. */
const BETWEEN = /(?<=\d)\s*(?:[-‐-―−ー〜~>→:,.、x×]|から|へ|to)+\s*(?=\d)/g;

/** Return what a line means. @param {string} text @param {Texts["get"]} get @returns {Command} */
export function parse(text, get) {
  const plain = text.normalize("NFKC").toLowerCase().trim().replaceAll(BETWEEN, " ");
  const numbers = (plain.match(/\d+/g) ?? []).map(Number);
  const word = plain
    .replace(/\d+/g, " ")
    .replace(/[?!.。？！]+$/, "")
    .replace(/\s+/g, " ")
    .trim();
  if (!word && numbers.length) return { kind: "play", numbers };
  const words = (/** @type {string} */ name) => get(`typed.words.${name}`).split("|");
  if (numbers.length === 1 && words("number").includes(word)) return { kind: "play", numbers };
  return { kind: COMMANDS.find((name) => words(name).includes(word)) ?? "unknown", numbers };
}

/** Return the holes that typed numbers mean: a single number is a numbered tile where there are such. Return null if a hole is
 * not on the board. @param {readonly number[]} numbers @param {Pick<Game, "puzzle" | "position">} game */
export function holesOf(numbers, { puzzle, position }) {
  const cells = [...cellsOf(position)];
  const tile = cells.findIndex((cell) => puzzle.glyphs[cell] === `tile-${numbers[0]}`);
  if (numbers.length === 1 && tile >= 0) return [tile];
  return numbers.every((hole) => hole < cells.length) ? [...numbers] : null;
}

/** Return the answer to a question in one sentence, or null if the command is none. @param {Command} command @param {string} text
 * what was typed @param {Game} game @param {Texts} texts @returns {string | null} */
export function answerTo({ kind, numbers }, text, { puzzle, position, steps, moves }, texts) {
  const { get } = texts;
  switch (kind) {
    case "pegs":
      return boardSentence(puzzle, texts, position);
    case "row":
      return rowSentence(puzzle, texts, position, numbers[0] ?? 1);
    case "count":
      return [countSentence(puzzle, texts, position), sentence(texts, get("count.moves", { n: moves }))]
        .filter(Boolean)
        .join(get("sentence.gap"));
    case "moves":
      return steps.length
        ? sentence(
            texts,
            listed(
              texts,
              steps.map(({ from, to }) => `${from}${get("say.to")}${to}`),
            ),
          )
        : sentence(texts, get("say.noneMovable"));
    case "help":
      return get("typed.help");
    case "unknown":
      return get("typed.unknown", { text: text.trim() });
    default:
      return null;
  }
}
