/**
 * The attempt to find a good step at a position where one was missed. Attempts are immutable. This module is pure.
 *
 * @typedef {import("./grades.js").Analysis} Analysis
 * @typedef {import("./grades.js").Grade} Grade
 * @typedef {Readonly<AttemptProperties>} Attempt
 * @typedef {object} AttemptProperties
 * @property {string} position
 * @property {number} wrong number of wrong answers
 * @property {boolean} shown whether a good step was shown
 * @property {boolean} found whether a good step was found, or shown and then played
 * @property {Grade | null} last grade of the last answer
 */
import { gradeOf } from "./grades.js";

/** @param {string} position @returns {Attempt} */
export const newAttempt = (position) => ({ position, wrong: 0, shown: false, found: false, last: null });

/** Return the attempt after an answer. Any step without cost is right. @param {Attempt} attempt @param {Analysis} analysis
 * @param {{ from: number, to: number }} answer @returns {Attempt} */
export function answered(attempt, analysis, answer) {
  const step = analysis.steps.find(({ from, to }) => from === answer.from && to === answer.to);
  if (!step || attempt.found) return attempt;
  const last = gradeOf(analysis, step);
  const found = last.kind === "best";
  return { ...attempt, last, found, wrong: attempt.wrong + Number(!found) };
}

/** Return the attempt after a good step was shown. @param {Attempt} attempt @returns {Attempt} */
export const withAnswerShown = (attempt) => ({ ...attempt, shown: true });

/** Return whether an answer was given or asked for. @param {Attempt} [attempt] */
export const isAnswered = (attempt) => Boolean(attempt?.last || attempt?.shown);

/** Return whether an attempt counts as right: found at the first answer, without help. @param {Attempt} attempt */
export const isRight = ({ found, wrong, shown }) => found && wrong === 0 && !shown;

/** Return the number of good steps at a position. @param {Analysis} analysis */
export const goodSteps = (analysis) =>
  analysis.steps.filter((step) => gradeOf(analysis, step).kind === "best");
