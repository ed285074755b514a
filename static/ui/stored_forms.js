/** The forms of stored values. Imported files, other versions and extensions may have written anything, so every value is
 * checked when it is read, and its wrong parts are ignored. */

/** @typedef {(value: unknown) => boolean} Form */

/** @type {Form} */
const isBoolean = (value) => typeof value === "boolean";
/** @type {Form} */
const isText = (value) => typeof value === "string";
/** @type {Form} */
const isCount = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
/** @type {Form} */
const isTime = (value) => Number.isFinite(value) && Math.abs(Number(value)) < 8.64e15; // what a `Date` can hold
/** @param {Form} form @returns {Form} */
const orNull = (form) => (value) => value === null || form(value);
/** @param {...string} names @returns {Form} */
const oneOf =
  (...names) =>
  (value) =>
    names.some((name) => name === value);
/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @param {Record<string, Form>} fields @returns {Form} */
const has = (fields) => (value) =>
  isRecord(value) && Object.entries(fields).every(([name, form]) => form(value[name]));

/** @type {Record<string, Form>} */
const SETTINGS = {
  theme: oneOf("auto", "light", "dark"),
  letters: isBoolean,
  numbers: orNull(isBoolean),
  arrows: oneOf("walk", "tile", "gap"),
  assistance: oneOf("off", "verdict", "marks"),
  sounds: isBoolean,
  motion: oneOf("auto", "none"),
  atOnce: isBoolean,
  movable: isBoolean,
  depth: oneOf("play", "study"),
  keys: (value) => isRecord(value) && Object.values(value).every(isText),
};
/** @param {Form} form @returns {Form} */
const optional = (form) => (value) => value === undefined || form(value);
const isHelp = has({
  hints: isCount,
  checks: isCount,
  solution: isBoolean,
  verdict: isBoolean,
  told: optional(isBoolean),
});
const isResult = has({
  moves: isCount,
  best: optional(orNull(isCount)),
  help: optional(isHelp),
  tries: optional(isCount),
});
const isCardResult = (/** @type {unknown} */ value) =>
  isResult(value) && has({ date: isText, line: isText })(value);
const isEnd = has({ line: isText, tries: isCount, help: isHelp });
const isAttempts = has({
  help: isHelp,
  tries: isCount,
  ended: optional(orNull(isEnd)),
  day: isText,
  begun: optional(isText),
});
const isStanding = has({ rating: isCount, played: isCount, won: isCount, best: isCount });
const isLesson = has({ guesses: isCount, right: isCount });
const isBound = has({ least: isCount, most: orNull(isCount) });
const isOutcome = has({
  moves: orNull(isCount),
  count: orNull(isCount),
  seconds: isTime,
  nodes: (value) => Array.isArray(value) && value.every(isCount),
});
const isPublishedRun = has({ outcome: isOutcome, engine: isText, when: isTime });
/** @param {string} key id of a puzzle, or of a card such as `hoppers/17` or `daily/2026-01-31`
 * @returns {Form} whether a value is a game of it */
const isGameOf = (key) => {
  const starts = key.includes("/") ? [`/decks/${key}?`, `/${key}?`] : [`/puzzles/${key}?`];
  return has({
    url: (value) => isText(value) && starts.some((start) => String(value).startsWith(start)),
    moves: isCount,
  });
};

/** @param {Form} form @returns {Form} */
const listOf = (form) => (value) => Array.isArray(value) && value.every(form);
/** @param {RegExp} pattern @returns {Form} */
const matching = (pattern) => (value) => typeof value === "string" && pattern.test(value);
const isName = matching(/^[a-z0-9-]+$/);
const isDay = matching(/^\d{4}-\d{2}-\d{2}$/);
const isRecordedGame = has({
  start: isText,
  goal: isText,
  played: listOf(has({ position: isText, from: isCount, to: isCount })),
  hinted: listOf(isText),
});
const isAgainEntry = has({
  card: matching(/^([a-z0-9-]+(\/[a-z0-9-]+)+)?$/),
  puzzle: isName,
  position: isText,
  goal: isText,
  due: isDay,
  passed: isCount,
});
const isFoundKinds = has({ of: isCount, kinds: listOf(isCount) });

/** @param {Form} form @returns {(value: unknown) => unknown} */
const whole = (form) => (value) => (form(value) ? value : null);
/** @param {(value: unknown, name: string) => boolean} form @returns {(value: unknown) => unknown} */
const entries = (form) => (value) =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, part]) => form(part, name)))
    : null;

/** What is kept of a value and the rest of its key, by the first part of the key. @type {Record<string, (value: unknown, rest: string) => unknown>} */
const KINDS = {
  settings: entries((value, name) => !Object.hasOwn(SETTINGS, name) || SETTINGS[name](value)), // of a later version, perhaps
  results: entries(isResult),
  cards: entries(isCardResult),
  attempts: entries(isAttempts),
  tally: entries(isCount),
  stream: whole(isStanding),
  classics: entries(isPublishedRun),
  record: whole(isRecordedGame),
  again: (value) => (Array.isArray(value) ? value.filter(isAgainEntry) : null),
  kinds: entries(isFoundKinds),
  known: entries(isBound),
  lessons: entries(isLesson),
  game: (value, puzzle) => whole(isGameOf(puzzle))(value),
  method: whole(isText),
  large: whole(isBoolean),
  here: whole(isText),
  tab: whole(isText),
  visited: whole(isBoolean),
  learnt: whole(isBoolean),
  told: whole(isBoolean),
  imported: whole(isCount),
};

/** Return the parts of a stored value that have the right form; null if there are none. @param {string} key without `PREFIX`
 * @param {unknown} value @returns {any} */
export function rightParts(key, value) {
  const [kind] = key.split("/", 1);
  return Object.hasOwn(KINDS, kind) ? KINDS[kind](value, key.slice(kind.length + 1)) : null;
}

/** Return whether the whole value has the right form. @param {string} key without `PREFIX` @param {unknown} value */
export const isWellFormed = (key, value) =>
  value === null || JSON.stringify(rightParts(key, value)) === JSON.stringify(value);
