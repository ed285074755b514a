/**
 * The kinds of stored values: of each its form and how two values become one, as by an import. Imported files, other versions
 * and extensions may have written anything, so every value is checked when it is read, and its wrong parts are ignored.
 *
 * To merge never loses what is better, earlier or more; order and repetition do not matter, except for what belongs to a device.
 */

/** @template [T=any] @typedef {(value: unknown) => value is T} Form */
/** @template F @typedef {F extends Form<infer T> ? T : never} Of what has a form */

/** @template T @param {(value: unknown) => boolean} test @returns {Form<T>} */
const form = (test) => /** @type {Form<T>} */ (test);

/** @type {Form<boolean>} */
const isBoolean = form((value) => typeof value === "boolean");
/** @type {Form<string>} */
const isText = form((value) => typeof value === "string");
/** @type {Form<number>} */
const isCount = form((value) => Number.isSafeInteger(value) && Number(value) >= 0);
/** @type {Form<number>} */
const isTime = form((value) => Number.isFinite(value) && Math.abs(Number(value)) < 8.64e15); // what a `Date` can hold
/** @template T @param {Form<T>} inner @returns {Form<T | null>} */
const orNull = (inner) => form((value) => value === null || inner(value));
/** @template {string} T @param {...T} names @returns {Form<T>} */
const oneOf = (...names) => form((value) => names.some((name) => name === value));
/** @param {RegExp} pattern @returns {Form<string>} */
const matching = (pattern) => form((value) => typeof value === "string" && pattern.test(value));
/** @template T @param {Form<T>} inner @returns {Form<T[]>} */
const listOf = (inner) => form((value) => Array.isArray(value) && value.every(inner));
/** @type {Form<Record<string, unknown>>} */
const isRecord = form((value) => typeof value === "object" && value !== null && !Array.isArray(value));

/** @template T @param {Form<T>} inner @returns {Form<Record<string, T>>} */
const recordOf = (inner) => form((value) => isRecord(value) && Object.values(value).every(inner));

/** Return the form of a record. @template {Record<string, Form>} R @template {Record<string, Form>} [O={}]
 * @param {R} fields @param {O} [others] fields that may be missing
 * @returns {Form<{ [K in keyof R]: Of<R[K]> } & { [K in keyof O]?: Of<O[K]> }>} */
const has = (fields, others) =>
  form(
    (value) =>
      isRecord(value) &&
      Object.entries(fields).every(([name, inner]) => inner(value[name])) &&
      Object.entries(others ?? {}).every(([name, inner]) => value[name] === undefined || inner(value[name])),
  );

/** @template T @param {Form<T>} form @param {NoInfer<T>} initial what holds until the player changes it */
const setting = (form, initial) => ({ form, initial });

/** The settings of the player. */
const SETTINGS = {
  theme: setting(oneOf("auto", "light", "dark"), "auto"),
  letters: setting(isBoolean, true), // whether letters are shortcuts
  numbers: setting(orNull(isBoolean), null), // whether hole numbers are shown; null: as usual for the screen, see `play.css`
  arrows: setting(oneOf("walk", "tile", "gap"), "tile"), // what arrow keys move: the focus, a tile or the gap
  assistance: setting(oneOf("verdict", "marks"), "verdict"), // what Study says: the verdict, or also which moves lose
  sounds: setting(orNull(isBoolean), null), // whether landing pieces are heard and felt; null: never asked
  motion: setting(oneOf("auto", "none"), "auto"),
  atOnce: setting(isBoolean, false), // whether a peg with a single jump makes it when it is pressed
  movable: setting(isBoolean, false), // whether pieces that can move are marked
  slack: setting(isBoolean, false), // whether Study shows the slack of peg boards
  depth: setting(oneOf("play", "study"), "play"), // whether the game page shows only the game, or the solver, too
  tones: setting(isBoolean, false), // whether the limits of a search are heard, by their nodes
  calm: setting(isBoolean, false), // large targets, no drags, and nothing starts unasked or runs against the clock
  minutes: setting(oneOf("3", "5", "10", "none"), "3"), // of a timed run
  keys: setting(recordOf(isText), {}), // the player's own shortcut letters by action
};
const isHelp = has(
  { hints: isCount, checks: isCount, solution: isBoolean, verdict: isBoolean },
  { told: isBoolean, reviewed: isBoolean },
);
const RESULT = { help: isHelp, tries: isCount };
/** `best`: fewest moves; null if not proved. Results of earlier versions have no help. */
const isResult = has({ moves: isCount }, { best: orNull(isCount), ...RESULT });
/** `date`: the day for which it counts, see `day_card.js`; `line`: the moves, as in addresses */
const isCardResult = has(
  { moves: isCount, date: isText, line: isText },
  { best: orNull(isCount), ...RESULT },
);
const isEnd = has({ line: isText, tries: isCount, help: isHelp }, { earlier: listOf(isText) });
/** `day`: the player's own day of the last attempt; `begun`: that of the first move. See `game/help.js`. */
const isAttempts = has(
  { help: isHelp, tries: isCount, day: isText },
  { ended: orNull(isEnd), begun: isText },
);
/** `deviation`: how uncertain the rating is; `best`: best score in three minutes, `bests`: in other minutes. See
 * `stream/rating.js` and `stream/timed.js`. */
const isStanding = has(
  { rating: isCount, played: isCount, won: isCount, best: isCount },
  {
    deviation: isCount,
    bests: recordOf(isCount),
  },
);
/** The game of the stream that is not yet rated: its line (see `game/line.js`), and the attempts at it. */
const isDealt = has({ line: isRecord, help: isHelp, tries: isCount });
/** The guesses of the last time. */
const isLesson = has({ guesses: isCount, right: isCount });
const isBound = has({ least: isCount, most: orNull(isCount) });
/** `moves`: null if there is no solution; `count`: of shortest solutions, null if not counted; `nodes`: by limit */
const isOutcome = has({
  moves: orNull(isCount),
  count: orNull(isCount),
  seconds: isTime,
  nodes: listOf(isCount),
});
/** A published result run again; `engine`: version of the solver; `when`: time in milliseconds. */
const isPublishedRun = has({ outcome: isOutcome, engine: isText, when: isTime });
const isDrawing = matching(/^own-[sdt]-[a-v0-9-]+$/);
/** A friend's result as in the link that brought it, see `review/friend.js`; by card. */
const isFriend = matching(/^#[shd](-[1-9]\d?){2}-[bcloah]{1,99}$/);
const isName = matching(/^[a-z0-9-]+$/);
const isRecordedStep = has({ position: isText, from: isCount, to: isCount });
/** `played`: every different step, in the order of the first time; `hinted`: positions whose hint was shown; `tried`: every
 * different step of the last try, missing in records of earlier versions. */
const isRecordedGame = has(
  { start: isText, goal: isText, played: listOf(isRecordedStep), hinted: listOf(isText) },
  { tried: listOf(isRecordedStep) },
);
/** What comes again: `card` is "" for a single position; `passed`: how often it was right since it last failed. */
const isAgainEntry = has({
  card: matching(/^([a-z0-9-]+(\/[a-z0-9.-]+)+)?$/),
  puzzle: isName,
  position: isText,
  goal: isText,
  due: matching(/^\d{4}-\d{2}-\d{2}$/),
  passed: isCount,
});
/** Kinds of shortest solutions that were found: their numbers from 1, of how many. */
const isFoundKinds = has({ of: isCount, kinds: listOf(isCount) });
/** Results of a set in codes: none, lost or open, with more moves, with help, the star. The worst first. */
const SET_RESULTS = ["n", "o", "l", "d", "h", "s"];
/** A set for a class: its address, and of each problem its place (`puzzle position goal`) and the best result, as in codes
 * (`review/set_code.js`); `day`: when its page was last open; `row`: the pupil's number, 0 if not given. */
const isSet = has({
  address: matching(/^\/set\?/),
  problems: listOf(isText),
  results: listOf(matching(/^(n|[olhds]\d{1,3})$/)),
  day: matching(/^\d{4}-\d{2}-\d{2}$/),
  row: isCount,
});
const isImported = has({ cards: isCount, results: isCount, others: isCount, streak: isCount });
/** `url`: address of the game; `tab`: name of the tab that has played it; `line`: its line, with undone steps */
const UNFINISHED = { moves: isCount, url: isText };
/** @param {string} key id of a puzzle, or of a card such as `hoppers/17` or `daily/2026-01-31`
 * @returns {Form<Of<ReturnType<typeof has<typeof UNFINISHED, { tab: Form<string>, line: Form<unknown> }>>>>} */
const isGameOf = (key) => {
  const starts = key.includes("/") ? [`/decks/${key}?`, `/${key}?`] : [`/puzzles/${key}?`];
  const isOwn = (/** @type {unknown} */ url) => isText(url) && starts.some((start) => url.startsWith(start));
  return has({ ...UNFINISHED, url: form(isOwn) });
};

/** @typedef {{ [K in keyof typeof SETTINGS]: Of<(typeof SETTINGS)[K]["form"]> }} Settings */
/** @typedef {Of<typeof isHelp>} Help */
/** @typedef {Of<typeof isResult>} Result */
/** @typedef {Of<typeof isCardResult>} CardResult */
/** @typedef {Of<typeof isAttempts>} StoredAttempts */
/** @typedef {Of<typeof isStanding>} Standing */
/** @typedef {Of<typeof isDealt>} Dealt */
/** @typedef {Of<typeof isOutcome>} Outcome */
/** @typedef {Of<typeof isPublishedRun>} PublishedRun */
/** @typedef {Of<typeof isRecordedGame>} RecordedGame */
/** @typedef {RecordedGame["played"][number]} RecordedStep */
/** @typedef {Of<typeof isAgainEntry>} AgainEntry */
/** @typedef {Of<typeof isFoundKinds>} FoundKinds */
/** @typedef {Of<typeof isSet>} StoredSet */
/** @typedef {Of<typeof isImported>} Imported */
/** @typedef {{ url: string, moves: number, tab?: string, line?: unknown }} Unfinished */

/** @template [T=any] @typedef {(one: T, other: T) => T} Merge */

/** Return the greater of two numbers, texts or truths; a missing one is less than any. @type {Merge} */
const greater = (one, other) => (other === undefined || one > other ? one : other);
/** @type {Merge} */
const lesser = (one, other) => (other === undefined || one < other ? one : other);
/** Return a merge that takes the value that is greater by the first of some figures that differ, or else by its text.
 * @template T @param {...(value: T) => number} figures @returns {Merge<T>} */
const byMost =
  (...figures) =>
  (one, other) => {
    const figure = figures.find((each) => each(one) !== each(other)) ?? JSON.stringify;
    return figure(one) > figure(other) ? one : other;
  };
/** Return a merge of records by name. @param {Merge} merge @returns {Merge} */
const each = (merge) => (one, other) => {
  const both = Object.keys(one).filter((name) => Object.hasOwn(other, name));
  return {
    ...one,
    ...other,
    ...Object.fromEntries(both.map((name) => [name, merge(one[name], other[name])])),
  };
};

/** @param {Readonly<Help>} help */
const flags = ({ solution, verdict, told, reviewed }) => [solution, verdict, told, reviewed];

/** Return the amount of help; more than any if it is unknown. @param {Readonly<Help>} [help] */
const amountOf = (help) => (help ? help.hints + help.checks + flags(help).filter(Boolean).length : Infinity);

/** Return whether a result has fewer moves than another, or as many with less help.
 * @param {Result} result @param {Result | undefined} other */
export const isBetter = (result, other) =>
  !other ||
  result.moves < other.moves ||
  (result.moves === other.moves && amountOf(result.help) < amountOf(other.help));

/** @type {Merge<Result>} */
const betterResult = byMost(
  ({ moves }) => -moves,
  ({ help }) => -amountOf(help),
  ({ best }) => best ?? -1,
  ({ tries = Infinity }) => -tries,
);

/** @type {Merge<CardResult>} */
function betterCard({ date: one, ...mine }, { date: other, ...theirs }) {
  const better = /** @type {CardResult} */ (betterResult(mine, theirs));
  return { ...better, date: lesser(one, other) };
}

/** @type {Merge<StoredAttempts>} */
function allAttempts(one, other) {
  const ends = [one.ended, other.ended].filter((end) => end != null);
  const begun = lesser(one.begun, other.begun) ?? one.begun;
  return {
    help: each(greater)(one.help, other.help),
    tries: greater(one.tries, other.tries),
    ended: ends.length ? ends.reduce(byMost(({ tries }) => tries)) : null,
    day: greater(one.day, other.day),
    ...(begun && { begun }),
  };
}

/** @type {Merge<Omit<Standing, "best" | "bests">>} */
const longerStanding = byMost(
  ({ played }) => played,
  ({ rating }) => rating,
);

/** @type {Merge<Standing>} */
const bothStandings = ({ best: one, bests: ours, ...mine }, { best: other, bests: others, ...theirs }) => ({
  ...longerStanding(mine, theirs),
  best: greater(one, other),
  ...((ours || others) && { bests: each(greater)(ours ?? {}, others ?? {}) }),
});

/** @param {AgainEntry} entry */
const itemOf = ({ card, puzzle, position, goal }) => card || [puzzle, position, goal].join(" ");

/** @type {Merge<AgainEntry[]>} */
function allAgain(one, other) {
  const byItem = (/** @type {AgainEntry[]} */ entries) =>
    Object.fromEntries(entries.map((entry) => [itemOf(entry), entry]));
  const earlier = byMost(
    ({ due }) => -Date.parse(due),
    ({ passed }) => -passed,
  );
  const all = each(earlier)(byItem(one), byItem(other));
  const order = (/** @type {AgainEntry} */ entry) => `${entry.due} ${itemOf(entry)}`;
  return Object.values(all).sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** @type {Merge<FoundKinds>} */
function allKinds(one, other) {
  if (one.of !== other.of) return one.of > other.of ? one : other; // numbered by different versions
  return { of: one.of, kinds: [...new Set([...one.kinds, ...other.kinds])].sort((a, b) => a - b) };
}

/** Return the better of two results of a problem: of two that are lost the one lost later. @type {Merge<string>} */
export const betterOfSet = byMost(
  (result) => SET_RESULTS.indexOf(result[0]),
  (result) => Number(result.slice(1)) * (result[0] === "d" ? -1 : 1),
);

/** @type {Merge<StoredSet>} */
const bothSets = (one, other) => ({
  ...(one.address < other.address ? one : other),
  day: greater(one.day, other.day),
  row: greater(one.row, other.row),
  results: one.results.map((result, index) => betterOfSet(result, other.results[index] ?? "n")),
});

/** What belongs to a device stays as it is there. @type {Merge} */
const own = (one) => one;

/** @param {Form} inner @returns {Kind["parts"]} */
const whole = (inner) => (value) => (inner(value) ? value : null);
/** @param {(value: unknown, name: string) => boolean} inner @returns {Kind["parts"]} */
const entries = (inner) => (value) =>
  isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, part]) => inner(part, name)))
    : null;

/** @param {string} name @returns {name is keyof Settings} */
const isSetting = (name) => Object.hasOwn(SETTINGS, name);

/** Return the settings of a player who has changed none. @returns {Settings} */
export const initialSettings = () =>
  /** @type {any} */ (
    Object.fromEntries(Object.entries(SETTINGS).map(([name, { initial }]) => [name, initial]))
  );

/**
 * @typedef {object} Kind
 * @property {(value: unknown, rest: string) => any} parts what is right of a value; `rest`: the key after the kind
 * @property {Merge} merge
 */

/** Kinds by the first part of the key. @type {Record<string, Kind>} */
const KINDS = {
  settings: {
    parts: entries((value, name) => !isSetting(name) || SETTINGS[name].form(value)), // of a later version, perhaps
    merge: each(own),
  },
  results: { parts: entries(isResult), merge: each(betterResult) },
  cards: { parts: entries(isCardResult), merge: each(betterCard) },
  attempts: { parts: entries(isAttempts), merge: each(allAttempts) },
  tally: { parts: entries(isCount), merge: each(greater) },
  stream: { parts: whole(isStanding), merge: bothStandings },
  dealt: { parts: whole(isDealt), merge: own }, // by puzzle
  classics: { parts: entries(isPublishedRun), merge: each(byMost(({ when }) => when)) },
  record: { parts: whole(isRecordedGame), merge: byMost(({ played }) => played.length) },
  again: { parts: (value) => (Array.isArray(value) ? value.filter(isAgainEntry) : null), merge: allAgain },
  kinds: { parts: entries(isFoundKinds), merge: each(allKinds) },
  lessons: {
    parts: entries(isLesson),
    merge: each(
      byMost(
        ({ right }) => right,
        ({ guesses }) => -guesses,
      ),
    ),
  },
  sets: { parts: entries(isSet), merge: each(bothSets) },
  game: { parts: (value, puzzle) => whole(isGameOf(puzzle))(value, ""), merge: byMost(({ moves }) => moves) },
  visited: { parts: whole(isBoolean), merge: greater },
  learnt: { parts: whole(isBoolean), merge: greater },
  asked: { parts: whole(isBoolean), merge: own }, // whether the browser was asked to keep the data
  backup: { parts: whole(isCount), merge: greater }, // days of the streak at which a backup was last offered
  friends: { parts: entries(isFriend), merge: each(greater) },
  drawings: { parts: entries((value, id) => isTime(value) && isDrawing(id)), merge: each(greater) }, // when each was kept
  method: { parts: whole(isText), merge: own },
  large: { parts: whole(isBoolean), merge: own },
  known: { parts: entries(isBound), merge: own }, // this and the rest are of a tab
  here: { parts: whole(isText), merge: own },
  making: { parts: whole(isText), merge: own }, // the query of the set that is made in this tab
  tab: { parts: whole(isText), merge: own },
  told: { parts: whole(isBoolean), merge: own },
  imported: { parts: whole(isImported), merge: own },
};

export const KIND_NAMES = Object.keys(KINDS);

/** Kinds whose values are of a device or a tab: of two values the one that is here stays. */
export const OWN_KINDS = KIND_NAMES.filter((kind) => [own, KINDS.settings.merge].includes(KINDS[kind].merge));

/** Return the kind of a key without `PREFIX`, and the rest of the key. @param {string} key @returns {[kind: Kind | null, rest: string]} */
function kindOf(key) {
  const [name] = key.split("/", 1);
  return [Object.hasOwn(KINDS, name) ? KINDS[name] : null, key.slice(name.length + 1)];
}

/** Return the parts of a stored value that have the right form; null if there are none. @param {string} key without `PREFIX`
 * @param {unknown} value @returns {any} */
export function rightParts(key, value) {
  const [kind, rest] = kindOf(key);
  return kind?.parts(value, rest) ?? null;
}

/** Return whether the whole value has the right form. @param {string} key without `PREFIX` @param {unknown} value */
export const isWellFormed = (key, value) =>
  value === null || JSON.stringify(rightParts(key, value)) === JSON.stringify(value);

/** Return one value for two of the same key; null: there is none. @param {string} key without `PREFIX` @param {any} mine
 * @param {any} other @returns {any} */
export function merged(key, mine, other) {
  const [one, two] = [rightParts(key, mine), rightParts(key, other)];
  if (one === null || two === null) return one ?? two;
  return kindOf(key)[0]?.merge(one, two);
}
