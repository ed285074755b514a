/** Search by hand: guess the nodes of a limit, then try every step that it allows. */
import { judge, readGuess } from "../bets.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault } from "../frame.js";
import { offerHoles } from "../holes.js";
import { Playback } from "../playback.js";
import { Refutation } from "../refutation.js";
import { analysis, faultOf } from "../../game/api.js";
import { glyph } from "../../board/overlays.js";
import { showArrows, showPosition } from "../../board/viewer.js";
import { drawTree } from "../../search/trace_tree.js";
import { pointOf } from "../../game/position.js";
import { element, find, pageData, write } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { activity, position } = pageData();
const search = new Refutation(activity.limit);
let guess = 0;
let selected = -1;
let isOpen = false;
/** @type {(position: string, remark?: (hole: number) => string) => void} */
let describe = () => {};

export async function start() {
  describe = offerHoles((hole) => void press(hole));
  const playback = new Playback();
  drive({ watch: (value) => watch(playback, Number(value)) });
  try {
    search.enter(position, 0, (await analysis(position)).steps);
  } catch (error) {
    return sayFault(faultOf(error));
  }
  show();
  say("lesson.refute.begin", { limit: activity.limit });
  askGuess(texts.get("lesson.ask.refute", { limit: activity.limit }), place);
}

/** @param {string} text */
function place(text) {
  const number = readGuess(text);
  if (number === null) return say("lesson.noNumber", { text: text.slice(0, 40) });
  guess = number;
  isOpen = true;
  closeGuess();
  show();
  say("lesson.refute.try", { n: search.place?.left.length ?? 0, limit: activity.limit });
}

/** @param {number} hole */
async function press(hole) {
  if (!isOpen || !search.place) return;
  const { left, spent } = search.place;
  const isTarget = left.some(({ from, to }) => from === selected && to === hole);
  if (!isTarget) {
    selected = left.some(({ from }) => from === hole) ? hole : -1;
    return show();
  }
  const step = search.take(selected, hole);
  selected = -1;
  if (!step) return;
  isOpen = false;
  try {
    const { steps } = await analysis(step.position);
    const pruned = search.enter(step.position, spent + step.cost, steps);
    const back = search.retreat();
    isOpen = true;
    show();
    if (search.isOver) return conclude();
    say(back ? "lesson.refute.back" : "lesson.refute.deeper", {
      pruned,
      n: search.place?.left.length ?? 0,
      back,
    });
  } catch (error) {
    isOpen = true;
    sayFault(faultOf(error));
  }
}

function conclude() {
  isOpen = false;
  const verdict = judged(judge(guess, search.nodes));
  const result = texts.get("lesson.refute.done", { limit: activity.limit, n: search.nodes });
  write(element(".verdict-line"), verdict + texts.get("sentence.gap") + result);
  finish();
}

/** Let the engine search a limit, if the reader is done with it. @param {Playback} playback @param {number} limit */
function watch(playback, limit) {
  if (!search.isOver) return say("lesson.refute.first");
  return playback.open(activity.methods[0], limit);
}

function show() {
  const place = search.place;
  const shown = place?.position ?? position;
  showPosition(shown);
  showArrows([]);
  const left = place?.left ?? [];
  const targets = left.filter(({ from }) => from === selected).map(({ to }) => to);
  const origins = selected < 0 ? left.map(({ from }) => from) : [];
  const marks = find(".stage .marks", SVGElement);
  marks.append(...targets.map((hole) => glyph("m-target", pointOf(hole))));
  if (isOpen) marks.append(...[...new Set(origins)].map((hole) => glyph("m-can", pointOf(hole))));
  describe(shown, (hole) =>
    targets.includes(hole)
      ? texts.get("cell.target")
      : origins.includes(hole)
        ? texts.get("cell.movable")
        : "",
  );
  const visits = search.events.map((event) => ({
    ...event,
    limit: activity.limit,
    from: -1,
    to: -1,
    position: "",
    spent: 0,
    bound: 0,
    marks: [],
  }));
  drawTree(
    find(".tree", SVGElement),
    { limit: activity.limit, number: 0, line: [], visits },
    visits.length - 1,
  );
  write(element(".tree-note"), texts.get("lesson.refute.count", { n: search.nodes }));
}
