/**
 * The catalogue of the page, in one language: texts with {placeholders}, in plural forms selected by the value `n`.
 * Only for pages that send `#data`.
 *
 * @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Entry
 * @typedef {Record<string, string | number>} Values
 */
import { pageData } from "./dom.js";

/** @type {{ language: string, words: Record<string, Entry> }} */
const { language, words } = pageData();

/** Formatter for numbers. A slow phone takes some 0.1 s to load the rules of a language, so they are loaded at the first use.
 * Small whole numbers, which all our languages write alike, do not need them. */
export class NumberFormat {
  /** @type {Intl.NumberFormat | undefined} */
  #rules;

  /** @param {Intl.NumberFormatOptions} [options] */
  constructor(options) {
    this.options = options;
  }

  /** @param {number} number */
  format(number) {
    if (!this.options && Number.isInteger(number) && number >= 0 && number < 1000) return String(number);
    this.#rules ??= new Intl.NumberFormat(language, this.options);
    return this.#rules.format(number);
  }
}

/** Formatter for numbers without options. */
export const number = new NumberFormat();

/** @type {Intl.PluralRules | undefined} created at the first use, see `NumberFormat` */
let plural;

/** @param {string} key */
export const has = (key) => key in words;

/** Return a text with its values filled in. @param {string} key @param {Values} [values] */
export const get = (key, values) =>
  parts(key, values)
    .map((part) => part.text)
    .join("");

/** Return the text for a code, or the general text of its kind. @param {string} kind
 * @param {{ code: string } & Values} values the code, and the values for the text */
export function forCode(kind, { code, ...values }) {
  const key = `${kind}.${code}`;
  return get(has(key) ? key : `${kind}.other`, values);
}

/** Return a text in pieces, so that values can be formatted separately. @param {string} key @param {Values} [values] */
export function parts(key, values = {}) {
  return pluralForm(key, values)
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((piece) => {
      const name = piece.match(/^\{(\w+)\}$/)?.[1];
      if (!name) return { text: piece, value: false };
      const value = values[name];
      return { text: typeof value === "number" ? number.format(value) : String(value), value: true };
    });
}

/** @param {string} key @param {Values} values */
function pluralForm(key, values) {
  const entry = words[key];
  if (entry === undefined) console.error(`There is no text ${key}.`);
  if (typeof entry !== "object") return entry ?? key;
  plural ??= new Intl.PluralRules(language);
  return entry[plural.select(Number(values.n))] ?? entry.other ?? key;
}
