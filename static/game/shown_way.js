/** Pages beside the game that show a way from a position to the goal: a game from that position is then no longer without
 * help. */
import { localDay } from "../days/dates.js";
import { attempts, saveAttempts } from "../ui/storage.js";
import { NOT_TRIED } from "./help.js";

/** Count that this page shows a way from a position of a puzzle. @param {string} puzzle @param {string} position
 * @param {string} goal */
export function countShownWay(puzzle, position, goal) {
  const made = attempts(puzzle, position, goal) ?? NOT_TRIED;
  saveAttempts(puzzle, position, goal, {
    ...made,
    help: { ...made.help, solution: true },
    day: localDay(),
  });
}
