/**
 * The texts of a board on a page of another site, in the language of the board.
 *
 * @typedef {import("../ui/i18n.js").Entry} Entry
 * @typedef {import("../ui/i18n.js").Values} Values
 */

/** Language -> what is said while the server, which has the other texts, cannot be reached, of an answer that is an error
 * without a sentence, and of an element without a puzzle. The script of the server's fixed address fills in all languages of the server.
 * @type {Record<string, { unreachable: string, refused: string, missing: string }>} */
export const faults = {
  en: {
    unreachable: "The board cannot be loaded: its server cannot be reached.",
    refused: "The board's server answers with error {status}.",
    missing: "Which puzzle? Set the attribute puzzle.",
  },
};

export class Texts {
  /** @param {string} language @param {Record<string, Entry>} words */
  constructor(language, words) {
    this.words = words;
    this.plural = new Intl.PluralRules(language);
  }

  /** @param {string} key */
  has = (key) => key in this.words;

  /** Return a text with its values filled in; the value `n` selects the plural.
   * @type {(key: string, values?: Values) => string} */
  get = (key, values = {}) => {
    const entry = this.words[key];
    const text =
      typeof entry === "object" ? (entry[this.plural.select(Number(values.n))] ?? entry.other) : entry;
    if (text === undefined) console.error(`There is no text ${key}.`);
    return (text ?? key).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
  };
}
