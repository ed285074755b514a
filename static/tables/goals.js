/** Goals, as texts. */

/** The goal that any other goal reaches, such as the last peg in any hole. */
export const ANY_GOAL = "any";

/** Return the image of a goal under a symmetry; a goal other than a hole is its own image.
 * @param {string} goal @param {readonly number[]} image */
export const goalImage = (goal, image) => String(image[Number(goal)] ?? goal);
