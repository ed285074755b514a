/**
 * The results of a set for a class in a code of at most 80 characters, such as `12-k7q2x-s6.d9.l4.n.h10-7v`: the row of the
 * pupil, the id of the set, a result for each problem, and a check sum. No name is in it. This module is pure.
 *
 * A result is a letter and a number: `s6`, `h6` and `d9` as in a friend's result (the star, with help, or more than the
 * fewest moves), `l4` lost at move 4, `o4` lost by move 4, `n` not ended. A problem that could not be solved
 * from the start is lost at move 0.
 *
 * @typedef {import("./friend.js").FriendResult["medal"]} Medal
 * @typedef {"n" | `${"s" | "h" | "d" | "l" | "o"}${number}`} Result
 * @typedef {object} ClassResult
 * @property {number} row
 * @property {Result[]} results
 * @typedef {"form" | "check" | "set"} CodeFault "form": it is no code; "check": a sign of it is wrong; "set": it is of another set
 */
import { isWon, lossOf, movesMade } from "../game/line.js";
import { medalOf } from "../game/medal.js";
import { MEDALS } from "./friend.js";

/** Largest row, and largest number in a result; three digits each. */
export const MOST = 999;

const SIGNS = "0123456789abcdefghjkmnpqrstvwxyz";
const CHECKS = 1021; // a prime below 32²
const FORM = /^([1-9]\d{0,2})-(\w{5})-((?:n|[shdlo]\d{1,3})(?:\.(?:n|[shdlo]\d{1,3}))*)-(\w\w)$/;

/** Return the result of a game that has ended. @param {import("../game/line.js").Line} line all of it on the board
 * @param {Readonly<import("../game/help.js").Help>} help @returns {Result} */
export function resultOf(line, help) {
  const moves = Math.min(MOST, movesMade(line));
  if (isWon(line)) return `${MEDALS[medalOf({ moves, best: line.start.moves_left, help })]}${moves}`;
  const loss = lossOf(line);
  return `${!loss || loss.isProved ? "l" : "o"}${Math.min(MOST, loss?.move ?? 0)}`;
}

/** Return the code of a pupil's results. @param {string} set its id @param {ClassResult} results */
export function codeOf(set, { row, results }) {
  const text = `${row}-${set}-${results.join(".")}`;
  return `${text}-${checkOf(text)}`;
}

/** Return the results in a code, or what is wrong with it. Capitals, spaces and long dashes do no harm.
 * @param {string} text @param {string} set its id @param {number} problems of the set @returns {ClassResult | CodeFault} */
export function readCode(text, set, problems) {
  const code = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s/g, "")
    .replace(/[‐-―−]/g, "-");
  const [, row, of, results, check] = FORM.exec(code) ?? [];
  if (row === undefined) return "form";
  if (check !== checkOf(code.slice(0, -3))) return "check";
  const found = /** @type {Result[]} */ (results.split("."));
  return of === set && found.length === problems ? { row: Number(row), results: found } : "set";
}

/** Return the results in a text with a code on each line, by row, and the lines that hold none of this set.
 * @param {string} text @param {string} set its id @param {number} problems of the set */
export function readCodes(text, set, problems) {
  const lines = text.split("\n").filter((line) => line.trim());
  const read = lines.map((line) => ({ line: line.trim(), result: readCode(line, set, problems) }));
  return {
    rows: read
      .flatMap(({ result }) => (typeof result === "string" ? [] : [result]))
      .sort((one, other) => one.row - other.row),
    faults: read.flatMap(({ line, result }) => (typeof result === "string" ? [{ line, fault: result }] : [])),
  };
}

/** Return two signs that every changed sign and every exchange of neighbours changes. @param {string} text */
function checkOf(text) {
  const sum = [...text].reduce((before, sign) => (before * 37 + (sign.codePointAt(0) ?? 0)) % CHECKS, 7);
  return SIGNS[sum >> 5] + SIGNS[sum & 31];
}
