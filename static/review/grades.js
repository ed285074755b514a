/**
 * What each step of a game cost, from the exact analyses of its positions, and how much of it random play would have
 * found. The definitions are in docs/review.md. This module needs neither the rules of the puzzle nor the page.
 *
 * @typedef {import("../game/line.js").Line} Line
 * @typedef {import("../game/line.js").Step} Step
 * @typedef {import("../game/line.js").PositionVerdict} PositionVerdict
 * @typedef {import("./record.js").GameRecord} GameRecord
 * @typedef {import("./record.js").Played} Played
 * @typedef {PositionVerdict & { steps: readonly Step[] }} Analysis a position and its legal steps
 * @typedef {ReadonlyMap<string, Analysis>} Analyses by position
 *
 * @typedef {"best" | "costs" | "lost" | "late" | "open"} Kind "late": the position before was lost already; "open": not proved
 *
 * @typedef {object} Grade
 * @property {Kind} kind
 * @property {number | null} cost moves more than with a best step; null unless `kind` is "best" or "costs"
 *
 * @typedef {object} GradedStep
 * @property {string} position before the step
 * @property {Step} step
 * @property {Grade} grade
 * @property {boolean} helped whether a hint was shown there
 * @property {Played[]} missed other steps tried there that cost moves or lost
 *
 * @typedef {object} GradedMove
 * @property {number[]} holes holes that the piece visits
 * @property {number} first index of its first step
 * @property {number} end index after its last step
 * @property {GradedStep[]} steps
 * @property {Grade} grade the worst of its steps; costs add up
 * @property {Sign} sign
 *
 * @typedef {"best" | "costs" | "lost" | "late" | "open" | "help"} Sign what happened at a move, steps taken back included
 *
 * @typedef {object} Bits parts of the difficulty of a line against random play, in bits
 * @property {number} skill
 * @property {number} luck
 * @property {number} help
 *
 * @typedef {object} Place a position at which a step cost moves or lost
 * @property {string} position
 * @property {Kind} kind of the worst step tried there
 * @property {number | null} move number of the move of the line, from 1; null if the line does not pass it
 * @property {number | null} at number of steps of the line before it; null if the line does not pass it
 * @property {{ from: number, to: number } | null} step the worst step tried there; null if it is not known
 */
import { movedTo, moves, positionAt } from "../game/line.js";
import { keyOf } from "./record.js";

/** @type {Grade} */
const OPEN = { kind: "open", cost: null };

/** Return what a step from an analysed position costs. @param {PositionVerdict} before
 * @param {Pick<Step, "cost" | "verdict" | "moves_left">} step @returns {Grade} */
export function gradeOf(before, step) {
  if (before.verdict === "dead") return { kind: "late", cost: null };
  if (step.verdict === "dead") return isSolvable(before) ? { kind: "lost", cost: null } : OPEN;
  if (before.moves_left === null || step.moves_left === null) return OPEN;
  const cost = step.cost + step.moves_left - before.moves_left;
  return { kind: cost > 0 ? "costs" : "best", cost };
}

/** @param {PositionVerdict} known */
const isSolvable = ({ verdict }) => verdict === "live" || verdict === "solved";

const ORDER = /** @type {const} */ (["best", "open", "late", "costs", "lost"]);

/** Return the grades of the moves on the board. @param {Line} line @param {GameRecord} record @param {Analyses} analyses
 * @returns {GradedMove[]} */
export function gradedMoves(line, record, analyses) {
  const steps = gradedSteps(line, record, analyses);
  return moves({ ...line, steps: line.steps.slice(0, line.at) }).map(({ holes, first, end }) => {
    const own = steps.slice(first, end);
    return {
      holes,
      first,
      end,
      steps: own,
      grade: joined(own.map(({ grade }) => grade)),
      sign: signOf(own, record, analyses),
    };
  });
}

/** Return the grades of the steps on the board. @param {Line} line @param {GameRecord} record @param {Analyses} analyses
 * @returns {GradedStep[]} */
export function gradedSteps(line, record, analyses) {
  return line.steps.slice(0, line.at).map((step, index) => {
    const { position } = positionAt(line, index);
    const own = { position, from: step.from, to: step.to };
    const others = record.played.filter(
      (other) => other.position === position && keyOf(other) !== keyOf(own),
    );
    return {
      position,
      step,
      grade: gradeOfPlayed(own, analyses),
      helped: record.hinted.includes(position),
      missed: others.filter((other) => isMistake(gradeOfPlayed(other, analyses))),
    };
  });
}

/** Return the grade of a recorded step. @param {Played} played @param {Analyses} analyses */
export function gradeOfPlayed({ position, from, to }, analyses) {
  const before = analyses.get(position);
  const step = before?.steps.find((other) => other.from === from && other.to === to);
  return before && step ? gradeOf(before, step) : OPEN;
}

/** @param {Grade} grade */
export const isMistake = ({ kind }) => kind === "costs" || kind === "lost";

/** Return the worst of some grades; costs add up. @param {Grade[]} grades @returns {Grade} */
function joined(grades) {
  const kind = ORDER[Math.max(...grades.map((grade) => ORDER.indexOf(grade.kind)))];
  const costs = grades.map(({ cost }) => cost ?? 0).reduce((sum, cost) => sum + cost, 0);
  return { kind, cost: kind === "best" || kind === "costs" ? costs : null };
}

/** @param {GradedStep[]} steps @param {GameRecord} record @param {Analyses} analyses @returns {Sign} */
function signOf(steps, record, analyses) {
  if (steps.some(({ helped }) => helped)) return "help";
  const missed = steps.flatMap((step) => step.missed.map((other) => gradeOfPlayed(other, analyses)));
  return joined([...steps.map(({ grade }) => grade), ...missed]).kind;
}

/** Return whether the costs of all steps are proved. @param {readonly GradedMove[]} graded */
export const isExact = (graded) => graded.every(({ grade }) => grade.kind !== "open");

/** Return the parts of a line in bits; null if a step is not proved. @param {readonly GradedMove[]} graded
 * @param {GameRecord} record @param {Analyses} analyses @returns {Bits | null} */
export function bitsOf(graded, record, analyses) {
  /** @type {Bits} */
  const bits = { skill: 0, luck: 0, help: 0 };
  for (const { position, step, helped, grade } of graded.flatMap(({ steps }) => steps)) {
    const legal = analyses.get(position);
    if (grade.kind === "open" || !legal || legal.steps.some((other) => gradeOf(legal, other).kind === "open"))
      return null;
    if (grade.kind === "late") continue;
    const asGood = legal.steps.filter((other) => isAsGood(gradeOf(legal, other), grade)).length;
    const tried = triedAt(position, record, keyOf({ position, from: step.from, to: step.to }));
    const all = -Math.log2(chanceOf(legal.steps.length, asGood, 1));
    const skill = -Math.log2(chanceOf(legal.steps.length, asGood, tried));
    if (helped) bits.help += all;
    else ((bits.skill += skill), (bits.luck += all - skill));
  }
  return bits;
}

/** Return the number of different steps tried at a position, among them the one with the key `own`.
 * @param {string} position @param {GameRecord} record @param {string} own */
const triedAt = (position, record, own) =>
  new Set([own, ...record.played.filter((other) => other.position === position).map(keyOf)]).size;

/** Return whether a step is at least as good as one with another grade. @param {Grade} grade @param {Grade} other */
const isAsGood = (grade, other) =>
  other.kind === "lost" || (grade.cost ?? Infinity) <= (other.cost ?? Infinity);

/** Return the chance that `tries` different legal steps, drawn at random, have a good one among them.
 * @param {number} legal number of legal steps @param {number} good number of good ones @param {number} tries */
export function chanceOf(legal, good, tries) {
  let none = 1;
  for (let drawn = 0; drawn < Math.min(tries, legal); drawn += 1)
    none *= Math.max(0, legal - good - drawn) / (legal - drawn);
  return 1 - none;
}

/** Return every position at which a step of the game cost moves or lost: first those on the line, in its order.
 * @param {Line} line @param {GameRecord} record @param {Analyses} analyses @returns {Place[]} */
export function placesOf(line, record, analyses) {
  const shown = movedTo(line, line.at);
  const graded = gradedMoves(shown, record, analyses);
  /** @type {Map<string, Place>} */
  const places = new Map();
  const add = (/** @type {Place} */ place) => {
    const known = places.get(place.position);
    if (!known || (known.kind !== "lost" && place.kind === "lost"))
      places.set(place.position, { ...place, ...(known && { move: known.move, at: known.at }) });
  };
  graded.forEach(({ first, steps }, index) =>
    steps.forEach(({ position, step, grade, missed }, offset) => {
      for (const own of [step, ...missed]) {
        const { kind, cost } = own === step ? grade : gradeOfPlayed({ ...own, position }, analyses);
        if (isMistake({ kind, cost }))
          add({ position, kind, move: index + 1, at: first + offset, step: own });
      }
    }),
  );
  for (const played of record.played) {
    const grade = gradeOfPlayed(played, analyses);
    if (isMistake(grade))
      add({ position: played.position, kind: grade.kind, move: null, at: null, step: played });
  }
  return [...places.values()];
}

/** Return every position whose analysis a review needs, each once. @param {Line} line @param {GameRecord} record */
export const positionsOf = (line, record) => [
  ...new Set([
    ...Array.from({ length: line.at }, (_, at) => positionAt(line, at).position),
    ...record.played.map(({ position }) => position),
  ]),
];
