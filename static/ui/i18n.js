/** Formatter for the numbers of one language. A slow phone takes some 0.1 s to load the rules of a language, so they are
 * loaded at the first use. Small whole numbers, which all our languages write alike, do not need them. */
export class NumberFormat {
  /** @type {Intl.NumberFormat | undefined} */
  #rules;

  /** @param {string} language @param {Intl.NumberFormatOptions} [options] */
  constructor(language, options) {
    this.language = language;
    this.options = options;
  }

  /** @param {number} number */
  format(number) {
    if (!this.options && Number.isInteger(number) && number >= 0 && number < 1000) return String(number);
    this.#rules ??= new Intl.NumberFormat(this.language, this.options);
    return this.#rules.format(number);
  }
}

/**
 * The catalogue of one language: texts with {placeholders}, in plural forms selected by the value `n`.
 *
 * @typedef {string | Partial<Record<Intl.LDMLPluralRule, string>>} Entry
 * @typedef {Record<string, string | number>} Values
 */
export class Texts {
  /** @type {Intl.PluralRules | undefined} created at the first use, see `NumberFormat` */
  #plural;

  /** @param {string} language @param {Record<string, Entry>} entries */
  constructor(language, entries) {
    this.language = language;
    this.entries = entries;
    this.number = new NumberFormat(language);
  }

  /** @param {string} key */
  has(key) {
    return key in this.entries;
  }

  /** Return a text with its values filled in. @param {string} key @param {Values} [values] */
  get(key, values = {}) {
    return this.parts(key, values).map((part) => part.text).join("");
  }

  /** Return the text for a code, or the general text of its kind. @param {string} kind
   * @param {{ code: string } & Values} values the code, and the values for the text */
  forCode(kind, { code, ...values }) {
    const key = `${kind}.${code}`;
    return this.get(this.has(key) ? key : `${kind}.other`, values);
  }

  /** Return a text in pieces, so that values can be formatted separately. @param {string} key @param {Values} [values] */
  parts(key, values = {}) {
    return this.pluralForm(key, values).split(/(\{\w+\})/).filter(Boolean).map((piece) => {
      const name = piece.match(/^\{(\w+)\}$/)?.[1];
      if (!name) return { text: piece, value: false };
      const value = values[name];
      return { text: typeof value === "number" ? this.number.format(value) : String(value), value: true };
    });
  }

  /** @param {string} key @param {Values} values */
  pluralForm(key, values) {
    const entry = this.entries[key];
    if (typeof entry !== "object") return entry ?? key;
    this.#plural ??= new Intl.PluralRules(this.language);
    return entry[this.#plural.select(Number(values.n))] ?? entry.other ?? key;
  }
}
