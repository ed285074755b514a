/**
 * The record of a game: every step played in it, those taken back included, and where help was used. Records are
 * immutable. This module needs neither the rules of the puzzle nor the page.
 *
 * @typedef {import("../game/line.js").Line} Line
 *
 * @typedef {import("../ui/stored_kinds.js").RecordedStep} Played
 * @typedef {Readonly<import("../ui/stored_kinds.js").RecordedGame>} GameRecord
 */
import { positionAt } from "../game/line.js";

/** Largest number of different steps that a record holds. Later ones are not recorded. */
const MAX_PLAYED = 1000;

/** Return the record of a game without steps. @param {string} start @param {string} goal @returns {GameRecord} */
export const newRecord = (start, goal) => ({
  start,
  goal,
  played: [],
  hinted: [],
  tried: [],
});

/** Return the record when a new try begins. @param {GameRecord} record @returns {GameRecord} */
export const withNewTry = (record) => ({ ...record, tried: [] });

/** Return the record with the steps of the last try alone; with all if it is of an earlier version.
 * @param {GameRecord} record @returns {GameRecord} */
export const ofLastTry = (record) => ({ ...record, played: record.tried ?? record.played });

/** Return the record after the line has changed. A line from another start begins a new record.
 * @param {GameRecord} record @param {Line} before @param {Line} line @returns {GameRecord} */
export function withLine(record, before, line) {
  if (line.start.position !== record.start)
    return withSteps(newRecord(line.start.position, record.goal), line, 0);
  return withSteps(record, line, isContinued(before, line) ? before.at : 0);
}

/** Return the record with the position of a hint; the try in which it was shown is behind the position.
 * @param {GameRecord} record @param {string} position @param {number} tryNumber from 1 @returns {GameRecord} */
export function withHint(record, position, tryNumber) {
  const hint = `${position} ${tryNumber}`;
  return record.hinted.includes(hint) ? record : { ...record, hinted: [...record.hinted, hint] };
}

/** Return the record with the positions whose hint was shown in a try. Earlier versions stored no try: theirs count for all.
 * @param {GameRecord} record @param {number} tryNumber @returns {GameRecord} */
export function withHintsOf(record, tryNumber) {
  const hints = record.hinted.map((hint) => hint.split(" "));
  const own = hints.filter(([, number]) => number === undefined || Number(number) === tryNumber);
  return { ...record, hinted: own.map(([position]) => position) };
}

/** Return whether the board of `line` follows from that of `before` by more steps. @param {Line} before @param {Line} line */
const isContinued = (before, line) =>
  before.at <= line.at && positionAt(before).position === positionAt(line, before.at).position;

/** Return the record with the steps on the board from index `first` on. @param {GameRecord} record @param {Line} line
 * @param {number} first @returns {GameRecord} */
function withSteps(record, line, first) {
  const steps = line.steps.slice(first, line.at).map(({ from, to }, index) => {
    return { position: positionAt(line, first + index).position, from, to };
  });
  const played = joined(record.played, steps);
  const tried = record.tried && joined(record.tried, steps);
  return played === record.played && tried === record.tried ? record : { ...record, played, tried };
}

/** Return the steps with those that are not among them yet. @param {Played[]} known @param {Played[]} steps */
function joined(known, steps) {
  const keys = new Set(known.map(keyOf));
  const added = steps.filter((step) => !keys.has(keyOf(step)) && keys.add(keyOf(step)));
  return added.length ? [...known, ...added].slice(0, MAX_PLAYED) : known;
}

/** Return a text that equal steps share. @param {Played} step */
export const keyOf = ({ position, from, to }) => `${position} ${from}-${to}`;

/** Return the stored record if it is of the same problem, else a new one. @param {GameRecord | null} stored
 * @param {string} start @param {string} goal @returns {GameRecord} */
export const recordOf = (stored, start, goal) =>
  stored?.start === start && stored.goal === goal ? stored : newRecord(start, goal);
