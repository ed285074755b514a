/** A result of a lesson in words. */
import * as texts from "../ui/i18n.js";

/** Return how many guesses were right, or that the lesson is done if it asks for none.
 * @param {{ guesses: number, right: number }} result */
export const wordsOf = ({ guesses, right }) =>
  guesses ? texts.get("lesson.result", { n: guesses, right }) : texts.get("lesson.result.done");
