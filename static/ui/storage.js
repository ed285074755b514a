/**
 * Data in the browser: the unfinished game and the best results of each puzzle, and the settings. What the browser refuses
 * to keep lasts as long as the page. Open pages follow each other's settings. Stored results only improve.
 */

import { initialSettings, isBetter, merged, rightParts } from "./stored_kinds.js";

/**
 * @import { AgainEntry, CardResult, Dealt, FoundKinds, Imported, PublishedRun, RecordedGame, Result, Settings, Standing, StoredAttempts, StoredSet, Unfinished }
 *   from "./stored_kinds.js"
 */

/** Prefix of all keys in the storage of the browser. */
export const PREFIX = "puzzles/";

/** @typedef {"localStorage" | "sessionStorage"} Place the storage of the browser, or of the tab */

/** Values that the browser has not kept, as JSON by key: they last as long as the page. */
const unkept = {
  localStorage: /** @type {Map<string, string>} */ (new Map()),
  sessionStorage: /** @type {Map<string, string>} */ (new Map()),
};

/** @param {string} key @param {Place} [storage] @returns {any} null if nothing readable is stored; without the parts of a wrong form */
function read(key, storage = "localStorage") {
  try {
    return rightParts(
      key,
      JSON.parse(unkept[storage].get(key) ?? window[storage].getItem(PREFIX + key) ?? "null"),
    );
  } catch {
    return null;
  }
}

/** Write a value, or remove it by null. Return whether the browser keeps it; if not, it lasts as long as the page.
 * @param {string} key @param {unknown} value @param {Place} [storage] */
function write(key, value, storage = "localStorage") {
  const text = JSON.stringify(value);
  try {
    if (value === null) window[storage].removeItem(PREFIX + key);
    else window[storage].setItem(PREFIX + key, text);
    unkept[storage].delete(key);
    return true;
  } catch {
    unkept[storage].set(key, text);
    return false;
  }
}

/** Characters that a storage must have room for, about those of the settings and one result. */
const ROOM = 600;

/** Return why the browser does not keep what is written, or null if it keeps it. @returns {"refused" | "full" | null} */
export function storageFault() {
  try {
    localStorage.setItem(`${PREFIX}room`, " ".repeat(ROOM));
    localStorage.removeItem(`${PREFIX}room`);
    return null;
  } catch {
    return isReadable() ? "full" : "refused";
  }
}

/** Return whether the storage can be read and holds something; browsers that keep nothing may show an empty storage without room. */
function isReadable() {
  try {
    return localStorage.length > 0;
  } catch {
    return false;
  }
}

/** @param {Place} storage @returns {string[]} keys of this site, with `PREFIX`; [] if the storage cannot be read */
function ownKeys(storage) {
  try {
    return Object.keys(window[storage]).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

/** Return what the browser and this page hold, as JSON by key, without the parts of a wrong form. @returns {Record<string, string>} */
export function allData() {
  const keys = new Set([
    ...ownKeys("localStorage").map((key) => key.slice(PREFIX.length)),
    ...unkept.localStorage.keys(),
  ]);
  const found = [...keys].map((key) => /** @type {const} */ ([key, read(key)]));
  return Object.fromEntries(
    found.filter(([, value]) => value !== null).map(([key, value]) => [PREFIX + key, JSON.stringify(value)]),
  );
}

/** Merge the data of a file with what is here, all of them or none; return whether they are stored.
 * @param {readonly [key: string, text: string][]} entries keys with `PREFIX` */
export const mergeData = (entries) =>
  storeAll(
    entries.map(([key, text]) => {
      const name = key.slice(PREFIX.length);
      return [key, merged(name, read(name), JSON.parse(text))];
    }),
  );

/** Put the data of a file in the place of all that is here, or change nothing; return whether they are stored.
 * @param {readonly [key: string, text: string][]} entries keys with `PREFIX` */
export const replaceData = (entries) =>
  storeAll([
    ...ownKeys("localStorage").map((key) => /** @type {[string, null]} */ ([key, null])),
    ...entries.map(([key, text]) => /** @type {[string, unknown]} */ ([key, JSON.parse(text)])),
  ]);

/** Store all values, or none of them; return whether they are stored. @param {readonly [key: string, value: unknown][]} entries
 *   null: to be removed */
function storeAll(entries) {
  /** What the entries stored so far have replaced, the last one first. @type {[key: string, text: string | null][]} */
  const replaced = [];
  try {
    for (const [key, value] of entries) {
      const before = localStorage.getItem(key);
      put(key, value === null ? null : JSON.stringify(value));
      replaced.unshift([key, before]);
    }
    return true;
  } catch {
    for (const [key] of replaced) localStorage.removeItem(key); // makes room for what was there
    for (const [key, text] of replaced) put(key, text);
    return false;
  }
}

/** @param {string} key @param {string | null} text null: to be removed */
const put = (key, text) => (text === null ? localStorage.removeItem(key) : localStorage.setItem(key, text));

/** Delete all data of this site, including the data of the tab. */
export function clearData() {
  for (const storage of /** @type {Place[]} */ (["localStorage", "sessionStorage"])) {
    for (const key of ownKeys(storage)) window[storage].removeItem(key);
    unkept[storage].clear();
  }
}

/** Call `act` when the browser shows the page again as it was left, and when another page has changed or cleared a value.
 * @param {string} key @param {() => void} act */
export function onReturn(key, act) {
  addEventListener("pageshow", ({ persisted }) => persisted && act());
  onForeignChange(key, act);
}

/** Call `act` when another page has changed or cleared a value. @param {string} key @param {() => void} act */
export function onForeignChange(key, act) {
  addEventListener("storage", (event) => (event.key === PREFIX + key || event.key === null) && act());
}

/** Return all settings, with defaults. @returns {Settings} */
export const settings = () => ({ ...initialSettings(), ...read("settings") });

/** Store the changed settings. Settings that were never changed are not stored: their default may depend on the screen.
 * @param {Partial<Settings>} changed */
export const saveSettings = (changed) => write("settings", { ...read("settings"), ...changed });

/** Return whether the page is dark. */
export function isDark() {
  const { theme } = settings();
  return theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
}

/** Return whether nothing is stored, so that this is the first visit; false if the storage cannot be read. */
export function isFirstVisit() {
  try {
    return !Object.keys(localStorage).some((key) => key.startsWith(PREFIX));
  } catch {
    return false;
  }
}

/** Store that the site has been visited. */
export const saveVisit = () => isFirstVisit() && write("visited", true);

/** Store that the player has learnt to play, or needs no lessons. */
export const saveLearnt = () => write("learnt", true);

/** Return the unfinished game of a puzzle. @param {string} puzzle @returns {Unfinished | null} */
export const unfinished = (puzzle) => read(`game/${puzzle}`);

/** Store or remove the unfinished game of a puzzle. @param {string} puzzle @param {Unfinished | null} game */
export const saveUnfinished = (puzzle, game) => write(`game/${puzzle}`, game);

/** Return the address of the game last shown in this tab, for pages about its position; "" if there is none.
 * @returns {string} */
export const savedGameAddress = () => read("here", "sessionStorage") ?? "";

/** Store the address of the game in this tab. @param {string} address */
export const saveGameAddress = (address) => write("here", address, "sessionStorage");

/** Return the stored bounds of positions, or an empty record. @param {string} about puzzle and goal @returns {any} */
export const storedBounds = (about) => read(`known/${about}`, "sessionStorage") ?? {};

/** Store bounds of positions for as long as the tab is open. @param {string} about puzzle and goal @param {unknown} bounds */
export const saveBounds = (about, bounds) => write(`known/${about}`, bounds, "sessionStorage");

/** Return the player's best results of a puzzle by `start|goal`. @param {string} puzzle @returns {Record<string, Result>} */
export const results = (puzzle) => read(`results/${puzzle}`) ?? {};

/** Store a result if it is better than the stored one. Return whether the browser keeps it.
 * @param {string} puzzle @param {string} start @param {string} goal @param {Result} result */
export function saveResult(puzzle, start, goal, result) {
  const stored = results(puzzle);
  const key = `${start}|${goal}`;
  return !isBetter(result, stored[key]) || write(`results/${puzzle}`, { ...stored, [key]: result });
}

/** Return the player's best results of cards, by card id. @returns {Record<string, CardResult>} */
export const cardResults = () => read("cards") ?? {};

/** Store the result of a card if it is better than the stored one; the earlier date stays. Return whether
 * the browser keeps it. @param {string} card id, such as `hoppers/17` or `daily/2026-01-31/mini` @param {CardResult} result */
export function saveCard(card, result) {
  const stored = cardResults();
  const before = stored[card] ?? result;
  const date = before.date < result.date ? before.date : result.date;
  const best = isBetter(result, stored[card]) ? result : before;
  return write("cards", { ...stored, [card]: { ...best, date } });
}

/** Return whether the browser was never asked to keep the data, and store that it has been. */
export const isFirstAsking = () => read("asked") === null && write("asked", true);

/** Return whether no backup was offered yet at a streak, and store that it has been. @param {number} days */
export const isFirstOffer = (days) => (read("backup") ?? 0) < days && write("backup", days);

/** Return the ids of all cards that were begun, by the help that was stored for them. @returns {string[]} */
export const begunCards = () =>
  ownKeys("localStorage")
    .map((key) => key.slice(`${PREFIX}attempts/`.length))
    .filter((card) => card.includes("/") && read(`attempts/${card}`));

/** Return how many games from positions that no list has the player has solved, by medal. @param {string} puzzle
 * @returns {Record<string, number>} */
export const tally = (puzzle) => read(`tally/${puzzle}`) ?? {};

/** Count one more such game. Return whether the browser keeps it. @param {string} puzzle @param {string} medal */
export const addToTally = (puzzle, medal) =>
  write(`tally/${puzzle}`, { ...tally(puzzle), [medal]: (tally(puzzle)[medal] ?? 0) + 1 });

/** Return the player's standing in the stream of a puzzle, or null. @param {string} puzzle @returns {Standing | null} */
export const standing = (puzzle) => read(`stream/${puzzle}`);

/** @param {string} puzzle @param {Standing} value */
export const saveStanding = (puzzle, value) => write(`stream/${puzzle}`, value);

/** Return the game of the stream of a puzzle that is not yet rated, or null. @param {string} puzzle @returns {Dealt | null} */
export const dealtGame = (puzzle) => read(`dealt/${puzzle}`);

/** Store or remove the game of the stream that is not yet rated. @param {string} puzzle @param {Dealt | null} game */
export const saveDealtGame = (puzzle, game) => write(`dealt/${puzzle}`, game);

/** Return help and tries so far of a game, or null. @param {string} game id of its puzzle or card @param {string} start
 * @param {string} goal @returns {StoredAttempts | null} */
export const attempts = (game, start, goal) => read(`attempts/${game}`)?.[`${start}|${goal}`] ?? null;

/** Most games of other days that are kept because a solution or their review was shown. */
const MAX_SHOWN = 200;

/** Store help and tries of a game. Those of other games are kept for the day, and longer if a solution or the review was shown,
 * because a card may begin with the same position. @param {string} game @param {string} start @param {string} goal
 * @param {StoredAttempts} made */
export function saveAttempts(game, start, goal, made) {
  const key = `${start}|${goal}`;
  const all = read(`attempts/${game}`) ?? {};
  const others = Object.entries(all).filter(([other]) => other !== key);
  const begun = begunOf(all[key]) ?? begunOf(made);
  const ofToday = others.filter(([, { day }]) => day === made.day);
  const shown = others
    .filter(([, { day, help }]) => day !== made.day && (help.solution || help.reviewed))
    .slice(-MAX_SHOWN);
  write(`attempts/${game}`, Object.fromEntries([...shown, ...ofToday, [key, { ...made, begun }]]));
}

/** Return the day of the first move; that of the last attempt, if an earlier version stored it. @param {StoredAttempts} [made] */
const begunOf = (made) => made && (made.begun ?? (made.tries ? made.day : undefined));

/** Return whether this tab has not yet shown a message, and store that it has. @param {string} what */
export function isNews(what) {
  const isNew = read(`told/${what}`, "sessionStorage") === null;
  if (isNew) write(`told/${what}`, true, "sessionStorage");
  return isNew;
}

/** Return the name of this tab. A copy of a tab has the same name. @returns {string} */
export function tabName() {
  const known = read("tab", "sessionStorage");
  const name = known ?? Math.random().toString(36).slice(2);
  if (!known) write("tab", name, "sessionStorage");
  return name;
}

/** Store what an import has brought, for the page after it. Return whether the browser keeps it. @param {Imported} came */
export const saveImported = (came) => write("imported", came, "sessionStorage");

/** Return what was imported just before this page was opened, or null. @returns {Imported | null} */
export function takeImported() {
  const came = read("imported", "sessionStorage");
  if (came !== null) write("imported", null, "sessionStorage");
  return came;
}

/** Return the search method chosen last for a puzzle, or null. @param {string} puzzle @returns {string | null} */
export const chosenMethod = (puzzle) => read(`method/${puzzle}`);

/** Return whether the board of a puzzle is drawn large. @param {string} puzzle @returns {boolean} */
export const isDrawnLarge = (puzzle) => read(`large/${puzzle}`);

/** Store whether the board of a puzzle is drawn large. @param {string} puzzle @param {boolean} isLarge */
export const saveDrawnLarge = (puzzle, isLarge) => write(`large/${puzzle}`, isLarge);

/** Store the chosen search method. @param {string} puzzle @param {string} name */
export const saveMethod = (puzzle, name) => write(`method/${puzzle}`, name);

/** Return the record of the last game of a puzzle, with the steps that were taken back; or null.
 * @param {string} puzzle @returns {RecordedGame | null} */
export const gameRecord = (puzzle) => read(`record/${puzzle}`);

/** Store the record of the game of a puzzle. @param {string} puzzle @param {RecordedGame} record */
export const saveGameRecord = (puzzle, record) => write(`record/${puzzle}`, record);

/** Return the deck of what comes again. @returns {AgainEntry[]} */
export const againDeck = () => read("again") ?? [];

/** Store the deck of what comes again. @param {readonly AgainEntry[]} deck */
export const saveAgainDeck = (deck) => write("again", deck);

/** Return the kinds of shortest solutions that were found, by `start|goal`. @param {string} puzzle
 * @returns {Record<string, FoundKinds>} */
export const foundKinds = (puzzle) => read(`kinds/${puzzle}`) ?? {};

/** Store the kinds found of a problem. @param {string} puzzle @param {string} problem its `start|goal`
 * @param {FoundKinds} found */
export const saveFoundKinds = (puzzle, problem, found) =>
  write(`kinds/${puzzle}`, { ...foundKinds(puzzle), [problem]: found });

/** Return the published results that were run again. @returns {Record<string, PublishedRun>} */
export const publishedRuns = () => read("classics") ?? {};

/** Store a published result that was run again. @param {string} name @param {PublishedRun} run */
export const savePublishedRun = (name, run) => write("classics", { ...publishedRuns(), [name]: run });

/** Return the lessons that are done, by number, with the guesses of the last time.
 * @returns {Record<string, { guesses: number, right: number }>} */
export const lessonsDone = () => read("lessons") ?? {};

/** Store that a lesson is done. @param {number} number @param {{ guesses: number, right: number }} result */
export const saveLesson = (number, result) => write("lessons", { ...lessonsDone(), [number]: result });

/** Return the ids of the drawn boards that are kept, the newest first, with the time. @returns {Record<string, number>} */
export const keptDrawings = () =>
  Object.fromEntries(Object.entries(read("drawings") ?? {}).sort(([, one], [, other]) => other - one));

/** Most cards of which a friend's result is kept. */
const MAX_FRIENDS = 50;

/** Return a friend's result of a card, as in the link that brought it; "" if there is none. @param {string} card @returns {string} */
export const friendOf = (card) => read("friends")?.[card] ?? "";

/** Keep a friend's result of a card, and drop the oldest. @param {string} card @param {string} text as in a link */
export function saveFriend(card, text) {
  const others = Object.entries(read("friends") ?? {}).filter(([other]) => other !== card);
  write("friends", Object.fromEntries([...others.slice(1 - MAX_FRIENDS), [card, text]]));
}

/** Keep a drawn board, and drop the oldest beyond `most`. @param {string} id @param {number} most */
export function keepDrawing(id, most) {
  const others = Object.entries(keptDrawings()).filter(([other]) => other !== id);
  write("drawings", Object.fromEntries([[id, Date.now()], ...others.slice(0, most - 1)]));
}

/** Return the sets that were open here, by id. @returns {Record<string, StoredSet>} */
export const sets = () => read("sets") ?? {};

/** Store a set with its results. @param {string} id @param {StoredSet} set */
export const saveSet = (id, set) => write("sets", { ...sets(), [id]: set });

/** Return the query of the set that is made in this tab; "" if there is none. @returns {string} */
export const setInMaking = () => read("making", "sessionStorage") ?? "";

/** Store the query of the set that is made in this tab. @param {string} query */
export const saveSetInMaking = (query) => write("making", query, "sessionStorage");
