/** Guess the fewest moves of a position, then play a solution of so many. */
import { judge, readGuess } from "../bets.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault } from "../frame.js";
import { offerHoles } from "../holes.js";
import { analysis, faultOf } from "../../game/api.js";
import { glyph } from "../../board/overlays.js";
import { showArrows, showPosition } from "../../board/viewer.js";
import { pointOf } from "../../game/position.js";
import { element, find, pageData, write } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

/** @typedef {import("../../game/api.js").Analysis} Analysis */

const { position } = pageData();
/** Positions of the game: the moves and jumps made, and the engine's answer. @type {{ moves: number, jumps: number, here: Analysis, from: number, to: number }[]} */
let game = [];
let selected = -1;
let hasGuessed = false;
/** @type {(position: string, remark?: (hole: number) => string) => void} */
let describe = () => {};

export async function start() {
  describe = offerHoles((hole) => void press(hole));
  drive({ costs: tellCosts, replay: () => restart() });
  find("#lesson-undo", HTMLButtonElement).addEventListener("click", () => {
    if (game.length > 1) game.pop();
    show();
  });
  await restart();
  say("lesson.play.begin");
  askGuess(texts.get("lesson.ask.fewest"), place);
}

async function restart() {
  try {
    game = [{ moves: 0, jumps: 0, here: await analysis(position), from: -1, to: -1 }];
    show();
  } catch (error) {
    sayFault(faultOf(error));
  }
}

const now = () => game[game.length - 1];

/** @param {string} text */
function place(text) {
  const guess = readGuess(text);
  const fewest = game[0].here.moves_left;
  if (guess === null || fewest === null) return say("lesson.noNumber", { text: text.slice(0, 40) });
  hasGuessed = true;
  closeGuess();
  const verdict = judged(judge(guess, fewest, 1));
  write(
    element(".verdict-line"),
    verdict + texts.get("sentence.gap") + texts.get("lesson.fewest", { n: fewest }),
  );
}

/** @param {number} hole */
async function press(hole) {
  const { here, moves, jumps } = now();
  const step = here.steps.find(({ from, to }) => from === selected && to === hole);
  if (!step) {
    selected = here.steps.some(({ from }) => from === hole) ? hole : -1;
    return show(false);
  }
  selected = -1;
  try {
    const after = await analysis(step.position);
    game.push({ moves: moves + step.cost, jumps: jumps + 1, here: after, from: step.from, to: step.to });
    show();
  } catch (error) {
    sayFault(faultOf(error));
  }
}

/** @param {boolean} [speaks] */
function show(speaks = true) {
  const { here, moves, jumps } = now();
  showPosition(here.position);
  const last = game.length > 1 ? [[now().from, now().to]] : [];
  showArrows(selected < 0 ? last : []);
  const targets = here.steps.filter(({ from }) => from === selected).map(({ to }) => to);
  find(".stage .marks", SVGElement).append(...targets.map((hole) => glyph("m-target", pointOf(hole))));
  describe(here.position, (hole) =>
    hole === selected ? texts.get("cell.active") : targets.includes(hole) ? texts.get("cell.target") : "",
  );
  if (speaks && game.length > 1) tell(moves, jumps);
}

/** @param {number} moves @param {number} jumps */
function tell(moves, jumps) {
  const { here } = now();
  const before = game[game.length - 2].moves;
  const cost = texts.get(moves === before ? "lesson.play.free" : "lesson.play.counts", { n: moves, jumps });
  const fewest = game[0].here.moves_left ?? 0;
  const rest =
    here.verdict === "solved"
      ? texts.get(moves === fewest ? "lesson.play.shortest" : "lesson.play.solved", { n: moves, fewest })
      : here.verdict === "dead"
        ? texts.get("lesson.play.dead")
        : here.moves_left !== null && moves + here.moves_left > fewest
          ? texts.get("lesson.play.wasted", { n: moves + here.moves_left })
          : "";
  write(element(".verdict-line"), [cost, rest].filter(Boolean).join(texts.get("sentence.gap")));
  if (here.verdict === "solved" && moves === fewest && hasGuessed) finish();
}

/** Mark the jumps that continue the last move, and say how many there are. */
function tellCosts() {
  const { here } = now();
  const free = here.steps.filter(({ cost }) => cost === 0);
  find(".stage .marks", SVGElement).append(...free.map(({ to }) => glyph("m-target", pointOf(to))));
  say("lesson.costs", { n: here.steps.length - free.length, free: free.length });
}
