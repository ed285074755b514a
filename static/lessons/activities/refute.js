/** Search by hand: guess the nodes of a limit, then try every step that it allows. */
import { judge } from "../bets.js";
import { askGuess, closeGuess, drive, finish, judged, say, sayFault, tell, voice } from "../frame.js";
import { Playback } from "../playback.js";
import { Refutation } from "../refutation.js";
import { analysis, faultOf } from "../../game/api.js";
import { ShownBoard } from "../../keys/shown_board.js";
import { drawTree } from "../../search/trace_tree.js";
import { element, find, pageData, write } from "../../ui/dom.js";
import * as texts from "../../ui/i18n.js";

const { activity, position } = pageData();
const search = new Refutation(activity.limit);
let guess = 0;
/** @type {number | null} */
let selected = null;
let isOpen = false;
/** @type {ShownBoard} */
let figure;

/** Return the steps that are left to try at the current place. */
const left = () => search.place?.left ?? [];

/** Return the steps of a piece that are left to try. @param {number | null} hole */
const leftOf = (hole) => left().filter(({ from }) => from === hole);

export async function start() {
  figure = new ShownBoard({
    press: (hole) => void press(hole),
    lift: select,
    drop: (from, to) => void drop(from, to),
    steps: async () => left(),
    voice,
  });
  const playback = new Playback(figure);
  drive({ watch: (value) => watch(playback, Number(value)) });
  try {
    search.enter(position, 0, (await analysis(position)).steps);
  } catch (error) {
    return sayFault(faultOf(error));
  }
  show();
  say("lesson.refute.begin", { limit: activity.limit });
  askGuess(texts.get("lesson.ask.refute", { limit: activity.limit }), (number) => {
    guess = number;
    isOpen = true;
    closeGuess(() => figure.focus());
    show();
    say("lesson.refute.try", { n: left().length, limit: activity.limit });
  });
}

/** @param {number} hole */
function press(hole) {
  if (leftOf(selected).some(({ to }) => to === hole)) return take(selected ?? hole, hole);
  if (isOpen && !leftOf(hole).length && !search.isOver) {
    figure.board.refuse();
    say("lesson.refute.none", { hole });
  }
  select(hole);
}

/** @param {number} hole */
function select(hole) {
  if (!isOpen || !search.place) return;
  selected = leftOf(hole).length ? hole : null;
  show();
  if (selected !== null) figure.saySelected(hole, leftOf(hole));
}

/** @param {number} from @param {number | null} to */
function drop(from, to) {
  if (to !== null && to !== from && leftOf(from).some((step) => step.to === to)) return take(from, to);
}

/** Try a step. @param {number} from @param {number} to */
async function take(from, to) {
  if (!isOpen || !search.place) return;
  const { spent } = search.place;
  const step = search.take(from, to);
  selected = null;
  if (!step) return;
  isOpen = false;
  try {
    const { steps } = await analysis(step.position);
    const pruned = search.enter(step.position, spent + step.cost, steps);
    const back = search.retreat();
    isOpen = true;
    show(back ? [] : [step]);
    if (search.isOver) return conclude();
    say(back ? "lesson.refute.back" : "lesson.refute.deeper", { pruned, n: left().length, back });
  } catch (error) {
    search.putBack(step);
    isOpen = true;
    show();
    sayFault(faultOf(error));
  }
}

function conclude() {
  isOpen = false;
  const result = texts.get("lesson.refute.done", { limit: activity.limit, n: search.nodes });
  tell(judged(judge(guess, search.nodes)), result);
  finish();
}

/** Let the engine search a limit, if the reader is done with it. @param {Playback} playback @param {number} limit */
function watch(playback, limit) {
  if (!search.isOver) return say("lesson.refute.first");
  return playback.open(activity.methods[0], limit);
}

/** @param {import("../../game/cells.js").Travel[]} [travel] */
function show(travel = []) {
  figure.show(search.place?.position ?? position, {
    selected,
    targets: leftOf(selected).map(({ to, cost }) => ({ to, cost, jumps: 1 })),
    movable: isOpen ? left().map(({ from }) => from) : [],
    marksMovable: selected === null,
    travel,
  });
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
