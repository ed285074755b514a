/** The page to draw a board: a drawing, and beside it what is proved about it. Each change begins the proofs again. */
import "../ui/settings.js";
import { Canvas } from "../draw/canvas.js";
import { MAX_HOLES, MAX_RED_HOLES, Proof, solvableStarts } from "../draw/proof.js";
import { knownByServer } from "../draw/server_search.js";
import * as sketches from "../draw/sketch.js";
import { Starts } from "../draw/starts.js";
import { commonId, drawingOf, idOf } from "../tables/drawing.js";
import { ANY_GOAL } from "../tables/goals.js";
import { copyText, shareOrCopy, showOutcome } from "../ui/clipboard.js";
import { button, create, element, find, pageData, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";

/**
 * @typedef {import("../draw/sketch.js").Sketch} Sketch
 * @typedef {import("../tables/drawing.js").Drawing} Drawing
 * @typedef {{ board: string, position: string, goal: string, known: Record<string, { title: string, address: string }>,
 *   most: number, degrees: string[], degreeBits: number[] }} PageData
 */
/** @type {PageData} */
const page = pageData();
/** Drawings that are kept at most. */
const MAX_KEPT = 60;

const first = /** @type {Drawing} */ (drawingOf(page.board));
const history = new sketches.History(sketches.sketchOf(first, page.position, page.goal || ANY_GOAL));
const canvas = new Canvas(find("#sketch", SVGSVGElement), press, look);
const starts = new Starts(find("#starts", SVGSVGElement), choose);
const whatIf = button("what-if");

/** Proofs about the drawing on the page. @type {Proof | null} */
let proof = null;
/** Ends the work on an old drawing or position. */
let work = new AbortController();
/** Empty hole of the start whose finishes are shown. @type {number | null} */
let chosen = null;
/** Whether the position shown is proved to have no solution. */
let isDead = false;
/** What a stroke makes of places. */
let stroke = { isHole: true, cell: /** @type {"o" | "." | "r"} */ ("o") };

/** @param {string} name */
const brushIs = (name) => find('input[name="brush"]:checked', HTMLInputElement).value === name;

/** Change a place by the brush. @param {string} place @param {boolean} isFirst whether a stroke begins here */
function press(place, isFirst) {
  const { now } = history;
  const isHole = now.holes.has(place);
  if (isFirst) stroke = { isHole: !isHole, cell: sketches.cellAt(now, place) === "." ? "o" : "." };
  if (brushIs("hole")) {
    if (isHole !== stroke.isHole && (isHole || now.holes.size < page.most))
      change(sketches.withHole(now, place, stroke.isHole), isFirst);
  } else if (isHole && brushIs("goal")) {
    if (isFirst) change(sketches.withGoal(now, now.goal === place ? null : place));
  } else if (isHole) {
    const sign = brushIs("red") ? (now.red === place ? "o" : "r") : stroke.cell;
    if (sign !== sketches.cellAt(now, place)) change(sketches.withCell(now, place, sign), isFirst);
  }
}

/** @param {Sketch} sketch @param {boolean} [isNew] whether undo leads to the sketch before */
function change(sketch, isNew = true) {
  if (isNew) history.add(sketch);
  else history.replace(sketch);
  show();
}

/** Show the sketch, and begin the proofs. */
function show() {
  const { now } = history;
  const drawing = sketches.drawingIn(now);
  const isSame = drawing !== null && proof !== null && proof.key === keyOf(drawing, now);
  canvas.show(now);
  find(`input[name="lattice"][value="${now.lattice}"]`, HTMLInputElement).checked = true;
  button("undo").disabled = !history.canUndo;
  button("redo").disabled = !history.canRedo;
  work.abort();
  work = new AbortController();
  isDead = false;
  if (!isSame) {
    chosen = null;
    proof =
      drawing && provable(drawing, now) ? new Proof(drawing, now.red !== null, keyOf(drawing, now)) : null;
    if (drawing) starts.draw(middlesOf(drawing));
  }
  find("#starts", SVGSVGElement).toggleAttribute("hidden", !proof || now.red !== null);
  showLinks(now, drawing);
  write(element("#aim"), texts.get(now.goal === null ? "draw.anyHole" : "draw.goalHole"));
  if (chosen === null)
    write(element("#finishes"), proof && now.red === null ? texts.get("draw.tapStart") : "");
  prove(work.signal).catch((error) => {
    if (!work.signal.aborted && error !== work.signal.reason) throw error;
  });
}

/** @param {Drawing} drawing @param {Sketch} sketch */
const keyOf = (drawing, sketch) => `${idOf(drawing)} ${sketch.red !== null}`;

/** @param {Drawing} drawing @param {Sketch} sketch */
const provable = ({ points }, { red }) => points.length <= (red === null ? MAX_HOLES : MAX_RED_HOLES);

/** Return the middles of the holes as the board is drawn. @param {Drawing} drawing */
const middlesOf = ({ lattice, points }) =>
  points.map(
    ([x, y]) =>
      /** @type {[number, number]} */ (lattice === "t" ? [100 * x - 50 * y, 86.6 * y] : [100 * x, 100 * y]),
  );

/** Prove what the page shows, the first answer first. @param {AbortSignal} signal */
async function prove(signal) {
  const { now } = history;
  canvas.showChanges(new Map());
  element("#mend").hidden = true;
  if (!proof) {
    sayWhyNot(now);
    return now.holes.size > MAX_HOLES && now.red === null ? askServer(signal) : undefined;
  }
  if (now.red === null) {
    write(element("#summary"), texts.get("draw.working"));
    const moves = await proof.fromStarts(ANY_GOAL, signal);
    signal.throwIfAborted();
    if (chosen === null) moves.forEach((each, hole) => starts.show(hole, each, "start"));
    showSolvable(moves);
    const able = moves.filter((each) => each !== null).length;
    const summary = able === moves.length ? "draw.all" : able ? "draw.able" : "draw.unable";
    write(element("#summary"), texts.get(summary, { n: able, of: moves.length }));
    element("#mend").hidden = able > 0;
  } else write(element("#summary"), texts.get("draw.redBoard"));
  await aboutPosition(signal);
  if (whatIf.ariaPressed === "true") await changes(signal);
  if (chosen !== null) await finishes(chosen, signal);
}

/** @param {Sketch} sketch */
function sayWhyNot({ holes, red }) {
  const most = red === null ? MAX_HOLES : MAX_RED_HOLES;
  const key = holes.size ? (red === null ? "draw.large" : "draw.largeRed") : "draw.blank";
  write(element("#summary"), texts.get(key, { n: holes.size, most }));
  write(element("#about"), "");
}

/** Show what the server proves of a position of a board that is too large for the page. @param {AbortSignal} signal */
async function askServer(signal) {
  showSolvable(Array(history.now.holes.size).fill(null));
  const { now } = history;
  const { board } = element("main").dataset;
  const place = `/api/puzzles/${board}/positions/${sketches.positionIn(now)}`;
  const query = new URLSearchParams({ goal: sketches.goalIn(now), lang: document.documentElement.lang });
  write(element("#about"), texts.get("draw.working"));
  for await (const known of knownByServer(place, query, signal)) {
    signal.throwIfAborted();
    isDead = known.verdict === "dead";
    write(element("#about"), sentenceOfServer(known));
  }
}

/** @param {import("../draw/server_search.js").Known} known */
function sentenceOfServer({ verdict, moves, least, most, isOver, sentence }) {
  const isOpen = moves === null && verdict !== "dead" && verdict !== "solved";
  const bounds = most !== null ? "draw.bounds" : least > 1 ? "draw.least" : "";
  const key = isOpen ? bounds : moves === null || verdict === "solved" ? `draw.${verdict}` : "draw.live";
  const end = isOpen ? texts.get(isOver ? "draw.ended" : "draw.searching") : "";
  const found = key && texts.get(key, { n: moves ?? 0, least, most: most ?? 0 });
  return [found, sentence || end].filter(Boolean).join(" ");
}

/** @param {AbortSignal} signal */
async function aboutPosition(signal) {
  const { now } = history;
  const found = await proof?.about(sketches.positionIn(now), sketches.goalIn(now), signal);
  signal.throwIfAborted();
  isDead = found?.moves === null;
  write(element("#about"), found ? sentenceOf(found) : texts.get("draw.noPosition"));
}

/** @param {NonNullable<Awaited<ReturnType<Proof["about"]>>>} found */
function sentenceOf({ moves, count, unique, bits }) {
  if (moves === null) return texts.get("draw.dead");
  if (moves === 0) return texts.get("draw.solved");
  const parts = [texts.get("draw.live", { n: moves })];
  if (count === null) parts.push(texts.get("draw.many"));
  else
    parts.push(
      texts.get(unique === count ? "draw.count" : "draw.countUnique", { n: count, unique: unique ?? 0 }),
    );
  if (bits !== null) parts.push(texts.get("draw.degree", { degree: degreeOf(bits) }));
  return parts.join(texts.get("draw.join"));
}

/** @param {number} bits */
const degreeOf = (bits) => page.degrees[page.degreeBits.filter((least) => bits >= least).length];

/** Show for each place how many starts would be solvable if it were changed. @param {AbortSignal} signal */
async function changes(signal) {
  const { now } = history;
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const place of placesAround(now)) {
    const sketch = sketches.withHole(now, place, !now.holes.has(place));
    if (sketches.drawingIn(sketch)) found.set(place, String(await startsOf(sketch, signal)));
    canvas.showChanges(found);
  }
}

/** Add or remove the first hole that makes the board solvable. @param {AbortSignal} signal */
async function mend(signal) {
  const { now } = history;
  write(element("#summary"), texts.get("draw.working"));
  for (const place of placesAround(now)) {
    const sketch = sketches.withHole(now, place, !now.holes.has(place));
    if ((await startsOf(sketch, signal)) > 0) return change(sketch);
  }
  write(element("#summary"), texts.get("draw.noMend"));
}

/** Return the number of starts of a sketch that can be solved; 0 if it has too many holes or none. @param {Sketch} sketch
 * @param {AbortSignal} signal */
async function startsOf(sketch, signal) {
  const drawing = sketches.drawingIn(sketch);
  return drawing && drawing.points.length <= MAX_HOLES ? solvableStarts(drawing, signal) : 0;
}

/** Return the holes and the places beside one: the nearest to the middle first that are free, the holes from the outside in.
 * @param {Sketch} sketch */
function placesAround({ holes }) {
  const near = [...holes].flatMap((place) => {
    const [column, row] = sketches.partsOf(place);
    const steps = [-1, 0, 1];
    return steps.flatMap((dx) => steps.map((dy) => sketches.placeAt(column + dx, row + dy)));
  });
  const onGrid = [...new Set(near)].filter((place) => document.querySelector(`[data-place="${place}"]`));
  const points = [...holes].map(sketches.partsOf);
  const [x, y] = [0, 1].map((axis) => points.reduce((sum, point) => sum + point[axis], 0) / points.length);
  const rank = (/** @type {string} */ place) => {
    const [column, row] = sketches.partsOf(place);
    const distance = Math.hypot(column - x, row - y);
    return holes.has(place) ? 1000 - distance : distance;
  };
  return onGrid.sort((one, other) => rank(one) - rank(other));
}

/** Show where the last peg can end from a start. @param {number} start @param {AbortSignal} signal */
async function finishes(start, signal) {
  if (!proof) return;
  starts.choose(start);
  write(element("#finishes"), texts.get("draw.from"));
  let able = 0;
  for (let hole = 0; hole < proof.holes; hole += 1) starts.show(hole, undefined, "finish");
  for await (const [hole, moves] of proof.finishes(start, signal)) {
    signal.throwIfAborted();
    starts.show(hole, moves, "finish");
    able += Number(moves !== null);
  }
  write(element("#finishes"), texts.get("draw.ends", { n: able }));
}

/** Show the finishes of a start, and put it on the board; the same again shows the starts. @param {number} hole */
function choose(hole) {
  chosen = chosen === hole ? null : hole;
  if (chosen === null) {
    starts.choose(null);
    show();
  } else
    setCells([...sketches.positionIn(history.now)].map((_, other) => (other === hole ? "." : "o")).join(""));
}

/** Put a position on the board. @param {string} position */
const setCells = (position) => change(sketches.withPosition(history.now, position));

/** Put a start on the board that can be solved, until the visitor chooses a position.
 * @param {readonly (number | null)[]} moves from each start, by its empty hole */
function showSolvable(moves) {
  const { now } = history;
  const able = moves.findIndex((each) => each !== null);
  if (now.isChosen || moves.length < 2) return;
  const empty = able < 0 ? moves.length >> 1 : able;
  history.replace(
    sketches.withPosition(now, moves.map((_, hole) => (hole === empty ? "." : "o")).join(""), false),
  );
  canvas.show(history.now);
  showLinks(history.now, sketches.drawingIn(history.now));
}

/** Name the place that is looked at. @param {string | null} place */
function look(place) {
  find("#sketch", SVGSVGElement).dataset.look = place ?? "";
}

/** @param {Sketch} sketch @param {Drawing | null} drawing */
function showLinks(sketch, drawing) {
  const id = drawing && idOf(drawing);
  element("main").dataset.board = id ?? "";
  const query = new URLSearchParams({ position: sketches.positionIn(sketch), goal: sketches.goalIn(sketch) });
  const puzzle = `${id}${sketch.red === null ? "" : "-red"}`;
  const links = {
    play: `/draw/${puzzle}/${[...query.values()].join("/")}`,
    print: `/puzzles/${puzzle}/print?${query}`,
  };
  const canPlay = drawing !== null && [...(query.get("position") ?? "")].some((cell) => cell !== ".");
  for (const [name, address] of Object.entries(links)) {
    const link = find(`#${name}`, HTMLAnchorElement);
    if (canPlay) link.href = address;
    else link.removeAttribute("href");
  }
  const known = drawing && page.known[commonId(drawing)];
  element("#known").hidden = !known;
  if (known) {
    const [before, after] = texts.get("draw.known", { title: "\0" }).split("\0");
    element("#known").replaceChildren(before, create("a", { href: known.address }, known.title), after ?? "");
  }
  if (id)
    window.history.replaceState(
      null,
      "",
      `?${new URLSearchParams({ board: id, ...Object.fromEntries(query) })}`,
    );
}

/** Look for a position on the board and show it, or say that there is none. @param {HTMLButtonElement} key
 * @param {(proof: Proof, signal: AbortSignal) => Promise<string | null>} seek @param {string} none */
function offer(key, seek, none) {
  key.addEventListener("click", async () => {
    if (!proof) return;
    work.abort();
    work = new AbortController();
    const { signal } = work;
    write(element("#about"), texts.get("draw.working"));
    const text = await seek(proof, signal).catch(() => "");
    if (signal.aborted || text === "") return;
    if (text) setCells(text);
    else write(element("#about"), texts.get(none));
  });
}

/** Return a start with the most ways, of those that can be solved. @param {Proof} proof @param {AbortSignal} signal */
async function workingStart(proof, signal) {
  const moves = await proof.fromStarts(sketches.goalIn(history.now), signal);
  const able = [...moves.keys()].filter((hole) => moves[hole] !== null);
  const next = able.find((hole) => hole > sketches.positionIn(history.now).indexOf(".")) ?? able[0];
  if (next === undefined) return null;
  return [...moves.keys()].map((hole) => (hole === next ? "." : "o")).join("");
}

/** Show the kept drawings. */
function showKept() {
  const kept = Object.keys(store.keptDrawings());
  find(".kept", HTMLElement).hidden = !kept.length;
  find(".kept ul", HTMLElement).replaceChildren(
    ...kept.map((id) => {
      const link = create("a", { href: `?board=${id}`, ariaLabel: id });
      link.dataset.drawing = id;
      link.append(
        create("img", { src: `/puzzles/${id}/board.svg?size=176`, alt: "", width: 88, height: 88 }),
      );
      return create("li", {}, link);
    }),
  );
}

/** Draw a board of a list without a new page. @param {Event} event */
function openSample(event) {
  const link = event.target instanceof Element ? event.target.closest("[data-drawing]") : null;
  const drawing = link instanceof HTMLElement && drawingOf(link.dataset.drawing ?? "");
  if (!drawing) return;
  event.preventDefault();
  change(sketches.sketchOf(drawing));
  element("h1").scrollIntoView({ block: "nearest" });
}

for (const name of /** @type {const} */ (["undo", "redo"]))
  button(name).addEventListener("click", () => {
    history[name]();
    show();
  });
button("clear").addEventListener("click", () => change({ ...sketches.BLANK, lattice: history.now.lattice }));
whatIf.addEventListener("click", () => {
  whatIf.ariaPressed = String(whatIf.ariaPressed !== "true");
  element("#numbers").hidden = whatIf.ariaPressed !== "true";
  show();
});
element("#lattice").addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement) change(sketches.withLattice(history.now, target.value));
});
element("#mend").addEventListener("click", () => void mend(work.signal).catch(() => {})); // the next tap ends it
offer(button("working"), workingStart, "draw.noStart");
offer(
  button("hardest"),
  async (each, signal) => (await each.hardest(sketches.goalIn(history.now), Math.random, signal)).text,
  "draw.noStart",
);
offer(
  button("single"),
  (each, signal) => {
    const moves = Number(find("#moves", HTMLSelectElement).value);
    return each.withOneSolution(sketches.goalIn(history.now), moves, Math.random, signal);
  },
  "draw.noSingle",
);
button("send").addEventListener("click", ({ currentTarget }) => {
  const link = find("#play", HTMLAnchorElement).href;
  const warns = isDead; // the sentence about the position may be out of sight
  const outcome = shareOrCopy({ url: link }, () => copyText("board", link)).then((result) =>
    warns && result.startsWith("copied.") ? "copied.dead" : result,
  );
  showOutcome(/** @type {HTMLElement} */ (currentTarget), outcome, warns);
});
button("keep").addEventListener("click", ({ currentTarget }) => {
  const { board } = element("main").dataset;
  if (!board) return;
  store.keepDrawing(board, MAX_KEPT);
  showKept();
  showOutcome(/** @type {HTMLElement} */ (currentTarget), Promise.resolve("copied.kept"), true); // the list is far below
});
for (const list of document.querySelectorAll(".samples, .kept")) list.addEventListener("click", openSample);
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  event.preventDefault();
  history[event.shiftKey ? "redo" : "undo"]();
  show();
});
showKept();
show();
