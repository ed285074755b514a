/** Pages beside the game that show a way from a position to the goal, or what the moves of a game were worth: a game from that
 * position is then no longer without help. */
import { localDay } from "../days/dates.js";
import { attempts, saveAttempts } from "../ui/storage.js";
import { NOT_TRIED } from "./help.js";

/** Count that this page shows a way from a position of a puzzle. @param {string} puzzle @param {string} position
 * @param {string} goal @param {"solution" | "reviewed"} [what] the way, or the review of a game */
export function countShownWay(puzzle, position, goal, what = "solution") {
  const made = attempts(puzzle, position, goal) ?? NOT_TRIED;
  saveAttempts(puzzle, position, goal, {
    ...made,
    help: { ...made.help, [what]: true },
    day: localDay(),
  });
}
