/** Breadth-first search level by level: its line of code, and a bar for the positions that it keeps after each level. */
import { listCode } from "../search/code_listing.js";
import { pageData } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { drawBars } from "./chart.js";
import { say, sayFault } from "./frame.js";
import { Runner } from "./runner.js";

const STEP_TIME = 600;
/** Number of the last run; an earlier one ends when another begins. */
let latest = 0;

const { methods } = pageData();

const pause = () => new Promise((resolve) => setTimeout(resolve, STEP_TIME));

/** End the run, if there is one, because the reader looks at something else. */
export const endBreadth = () => void latest++;

/** Run a breadth-first search and show what it keeps, until the reader looks at something else. @param {string} method */
export async function showBreadth(method) {
  const run = ++latest;
  const runner = new Runner(method);
  // the code is listed anew, because a lesson that is still beginning may list another one
  const markLine = (/** @type {string} */ kind) => listCode(methods[method].code)({ kind, depth: 1 });
  /** @type {import("./chart.js").Bar[]} */
  const bars = [];
  try {
    for (;;) {
      markLine("level");
      const row = await runner.next();
      await pause();
      if (!row || run !== latest) return runner.search.stop();
      bars.push({ label: String(row.limit), value: runner.nodes });
      drawBars(bars, { linear: true, label: texts.get("lesson.barsKept") });
      const megabytes = ((row.memory ?? 0) / 1e6).toFixed(2);
      say("lesson.kept", { limit: row.limit, n: row.nodes, all: runner.nodes, megabytes });
      markLine(runner.isSolved ? "path" : "complete");
      if (runner.isSolved) return;
      await pause();
    }
  } catch (error) {
    sayFault(/** @type {{ code: string }} */ (error));
  }
}
