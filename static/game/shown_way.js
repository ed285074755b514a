/** Pages beside the game that show a way from a position to the goal: a game from that position is then no longer without
 * help. */
import { localDay } from "../ui/days.js";
import { element } from "../ui/dom.js";
import { attempts, saveAttempts } from "../ui/storage.js";
import { NOT_TRIED } from "./help.js";
import { puzzle } from "./position.js";

/** Count that this page shows a way from its position. */
export function countShownWay() {
  const { position = "", goal = "" } = element("main").dataset;
  const { help, tries } = attempts(puzzle.id, position, goal) ?? NOT_TRIED;
  saveAttempts(puzzle.id, position, goal, { help: { ...help, solution: true }, tries, day: localDay() });
}
