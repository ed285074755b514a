/**
 * Codes of a reader's result, for a class: eight signs that hold lesson, guesses, right guesses and seed, with a check sum.
 *
 * @typedef {{ lesson: number, guesses: number, right: number, seed: number | null }} Result
 */

/** Signs of base 32 that are not mistaken for each other (Crockford). */
const SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Most values of each part; a seed of 0 stands for none. */
const SIZES = { lesson: 16, guesses: 64, right: 64, seed: 10_001 };
const CHECKS = 509; // a prime
const LENGTH = 8;

/** Return the code of a result, such as "0C4K-8M2D". @param {Result} result */
export function codeOf({ lesson, guesses, right, seed }) {
  const most = SIZES.guesses - 1;
  const parts = {
    lesson,
    guesses: Math.min(guesses, most),
    right: Math.min(right, most),
    seed: (seed ?? -1) + 1,
  };
  const packed = Object.entries(SIZES).reduce(
    (number, [name, size]) => number * size + parts[/** @type {keyof typeof SIZES} */ (name)],
    0,
  );
  let number = packed * CHECKS + checkOf(packed);
  let code = "";
  for (let index = 0; index < LENGTH; index++) {
    code = SIGNS[number % SIGNS.length] + code;
    number = Math.floor(number / SIGNS.length);
  }
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Return the result in a code, or null if a sign of it is wrong. @param {string} text @returns {Result | null} */
export function resultOf(text) {
  const code = text
    .normalize("NFKC")
    .toUpperCase()
    .replace(/[\s-]/g, "")
    .replace(/O/g, "0")
    .replace(/[IL]/g, "1");
  if (code.length !== LENGTH || [...code].some((sign) => !SIGNS.includes(sign))) return null;
  const number = [...code].reduce((sum, sign) => sum * SIGNS.length + SIGNS.indexOf(sign), 0);
  let packed = Math.floor(number / CHECKS);
  if (number % CHECKS !== checkOf(packed)) return null;
  /** @type {Record<string, number>} */
  const parts = {};
  for (const [name, size] of Object.entries(SIZES).reverse()) {
    parts[name] = packed % size;
    packed = Math.floor(packed / size);
  }
  const { lesson, guesses, right, seed } = parts;
  return packed || right > guesses ? null : { lesson, guesses, right, seed: seed ? seed - 1 : null };
}

/** Return the check sum of a number, which every changed or exchanged sign changes. @param {number} packed */
function checkOf(packed) {
  let sum = 7;
  for (let rest = packed; rest; rest = Math.floor(rest / 32)) sum = (sum * 37 + (rest % 32) + 1) % CHECKS;
  return sum;
}
