/** Help that pages beside the game give: a solution or a search from a position, or what the moves of a game were worth. */
import { localDay } from "../days/dates.js";
import { attempts, saveAttempts } from "../ui/storage.js";
import { NOT_TRIED } from "./help.js";

/** Count what this page shows of a position as help of its games. @param {string} puzzle @param {string} position
 * @param {string} goal @param {"solution" | "reviewed"} [what] kind of help: a solution or search, or the review of a game */
export function countHelpOfPage(puzzle, position, goal, what = "solution") {
  const made = attempts(puzzle, position, goal) ?? NOT_TRIED;
  saveAttempts(puzzle, position, goal, {
    ...made,
    help: { ...made.help, [what]: true },
    day: localDay(),
  });
}
