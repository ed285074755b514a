/**
 * A friend's result in a link, such as `#s-6-2-cbbbbb`: the star in 6 moves at the 2nd try, and the signs of the moves.
 * The browser keeps it for the card, and the server never sees it. Whatever cannot be the result of the card is ignored. This module
 * is pure.
 *
 * @typedef {import("./grades.js").Sign} Sign
 * @typedef {import("../game/medal.js").Medal} Medal
 * @typedef {object} FriendResult
 * @property {Medal} medal
 * @property {number} moves
 * @property {number} tries
 * @property {readonly Sign[]} signs one for each move
 */
import { LETTERS } from "./share_text.js";

/** The letter of each medal. @type {Record<Medal, "s" | "h" | "d">} */
export const MEDALS = { optimal: "s", assisted: "h", solved: "d" };
const FORM = /^#([shd])-([1-9]\d?)-([1-9]\d?)-([bcloah]{1,99})$/;

/** Return the end of a link, with `#`. @param {FriendResult} result */
export const friendText = ({ medal, moves, tries, signs }) =>
  `#${MEDALS[medal]}-${moves}-${Math.min(99, tries)}-${signs.map((sign) => LETTERS[sign]).join("")}`;

/** Return the result in the end of a link, or null if this card cannot have it.
 * @param {string} text with `#` @param {number} fewest moves of the card @returns {FriendResult | null} */
export function readFriend(text, fewest) {
  const [, letter, moves, tries, letters] = FORM.exec(text) ?? [];
  if (letter === undefined) return null;
  const result = {
    medal: nameOf(MEDALS, letter),
    moves: Number(moves),
    tries: Number(tries),
    signs: [...letters].map((sign) => nameOf(LETTERS, sign)),
  };
  return isPossible(result, fewest) ? result : null;
}

/** @template {string} Name @param {Record<Name, string>} letters @param {string} letter */
const nameOf = (letters, letter) =>
  /** @type {Name} */ (Object.keys(letters).find((name) => letters[/** @type {Name} */ (name)] === letter));

/** Return whether a card can end so: never in less than the fewest moves, and a star without help.
 * @param {FriendResult} result @param {number} fewest */
function isPossible({ medal, moves, signs }, fewest) {
  const isRightLength = signs.length === moves && (medal === "solved" ? moves > fewest : moves === fewest);
  return isRightLength && !(medal === "optimal" && signs.includes("help"));
}
