/** The texts of the notes of a game, which name the piece that they are about. */
import { cellsOf } from "../game/cells.js";
import { puzzle } from "../game/position.js";
import { spoken } from "./sentences.js";
import * as texts from "../ui/i18n.js";

/** @typedef {import("../game/session.js").Note} Note */

/** Return the text of a note. A numbered tile is called by its number, not by its hole.
 * @param {Note} note @param {string} position on the board @param {string} rules */
export function noteText({ key, values }, position, rules) {
  if (key === "note.fault")
    return texts.forCode("fault", { code: String(values.code), why: String(values.why) });
  const glyph = glyphIn(position, values.from ?? values.hole);
  const text = texts.get(forPiece(key, glyph), {
    rules,
    piece: texts.get(`piece.${Object.values(puzzle.glyphs)[0].split("-")[0]}`),
    side: glyph?.split("-")[1] ?? "",
    ...values,
  });
  return values.also ? [text, texts.get(String(values.also))].join(texts.get("sentence.gap")) : text;
}

/** Return the note as it is said: a refusal names the piece. @param {Note} note @param {string} position
 * @param {string} rules */
export function spokenNoteText(note, position, rules) {
  const key = forPiece(`say.${note.key}`, glyphIn(position, note.values.hole));
  const said = texts.has(key) ? { ...note, key: `say.${note.key}` } : note;
  return spoken(texts, noteText(said, position, rules));
}

/** @param {string} position @param {unknown} hole @returns {string | undefined} */
const glyphIn = (position, hole) => puzzle.glyphs[[...cellsOf(position)][Number(hole)]];

/** Return `key` extended by a unique piece of the puzzle, such as the red peg, or by the kind of the given piece, if
 * the catalogue has such a text; otherwise `key`. @param {string} key @param {string} [glyph] */
export function forPiece(key, glyph = Object.values(puzzle.glyphs)[0]) {
  const unique = [...puzzle.unique].map((cell) => puzzle.glyphs[cell]);
  return (
    [...unique, glyph.split("-")[0]].map((name) => `${key}.${name}`).find((own) => texts.has(own)) ?? key
  );
}
