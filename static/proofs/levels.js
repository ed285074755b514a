/**
 * Proofs by levels: no jump joins the boards that may follow the start to those that may come before the goal.
 *
 * With pegs and holes exchanged, a jump taken back is a jump. So if a symmetry exchanges start and goal, too, the image of a
 * solution is a solution, and its boards some jumps before the end are images of boards as many jumps after the start. After
 * the first `ahead` levels, the images of the last one are the ends.
 *
 * @typedef {import("./problem.js").Problem} Problem
 * @typedef {import("./boards.js").Board} Board
 */
import { bitsOf, BoardSet, boardOf, MAX_HOLES, mover, numberOf } from "./boards.js";
import { readFunction } from "./functions.js";
import { OpenBoards } from "./open_boards.js";
import { require, whole } from "./problem.js";

/** Places of a level between two reports. */
const PART = 1 << 18;
/** Boards that are looked up at once. */
const BATCH = 1024;

/** Check the levels and their last jump. Return the number of boards of all levels.
 * @param {Problem} problem @param {any} proof @param {unknown} claim @param {import("./check.js").OnProgress} onProgress */
export function checkLevels(problem, proof, claim, onProgress) {
  const { holes, ends } = problem;
  require(holes <= MAX_HOLES && ends.length === 1, `Levels are for one goal and ${MAX_HOLES} holes.`);
  const start = [...Array(holes).keys()].filter((hole) => problem.start[hole] === "o");
  const symmetry = readSymmetry(problem, proof.symmetry);
  const image = complement(symmetry);
  const isExchanged = image(boardOf(start)).join() === boardOf(ends).join();
  require(isExchanged, "The symmetry does not exchange start and goal.");
  require(Array.isArray(proof.functions) && proof.functions.length, "Levels need a function.");
  const functions = proof.functions.map((/** @type {any} */ one) => readFunction(one, problem).weights);
  const [ahead, ...sizes] = whole([proof.ahead, ...whole(proof.sizes)]);
  require(ahead > 0 &&
    ahead <= sizes.length &&
    2 * sizes.length + 2 === start.length, "The levels do not meet.");
  let [level, open] = [new BoardSet(), new OpenBoards(functions, [boardOf(ends)])];
  level.add(Float64Array.of(numberOf(...boardOf(start))), 1);
  for (const [index, size] of sizes.entries()) {
    const report = (/** @type {number} */ boards) =>
      onProgress({ level: index + 1, levels: sizes.length + 1, boards });
    level = nextLevel(level, problem, open, report);
    report(level.size);
    require(level.size === size, `A level has ${level.size} boards, not ${size}.`);
    if (index + 1 === ahead && ahead < sizes.length)
      open = new OpenBoards(functions, level.boards().map(image));
  }
  const report = () => onProgress({ level: sizes.length + 1, levels: sizes.length + 1, boards: level.size });
  require(!meets(level, problem, symmetry, open, report), "The levels meet.");
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Return a symmetry of the board that undoes itself. @param {Problem} problem @param {unknown} given */
function readSymmetry({ holes, jumps }, given) {
  const symmetry = whole(given);
  const isInvolution = symmetry.length === holes && symmetry.every((hole, n) => symmetry[hole] === n);
  const known = new Set(jumps.map(String));
  const keepsJumps = jumps.every((jump) => known.has(String(jump.map((hole) => symmetry[hole]))));
  require(isInvolution && keepsJumps, "This is no symmetry of the board that undoes itself.");
  return symmetry;
}

/** Return the map of a board to the image of its complement. @param {readonly number[]} symmetry
 * @returns {(board: Board) => Board} */
function complement(symmetry) {
  const [moveLow, moveHigh] = mover(symmetry);
  const [everyLow, everyHigh] = boardOf(symmetry);
  return ([low, high]) => [(moveLow(low, high) ^ everyLow) >>> 0, moveHigh(low, high) ^ everyHigh];
}

/** The bits of jumps: all three holes, and those with pegs before the jump. @param {readonly (readonly number[])[]} jumps */
function linesOf(jumps) {
  const [lines, pegs] = [jumps.map(boardOf), jumps.map(([from, over]) => boardOf([from, over]))];
  return {
    lineLow: Int32Array.from(lines, ([low]) => low),
    lineHigh: Int32Array.from(lines, ([, high]) => high),
    pegsLow: Int32Array.from(pegs, ([low]) => low),
    pegsHigh: Int32Array.from(pegs, ([, high]) => high),
  };
}

/** Return the open boards that one jump leads to. @param {BoardSet} level @param {Problem} problem @param {OpenBoards} open
 * @param {(boards: number) => void} report */
function nextLevel(level, { jumps }, open, report) {
  const [next, batch] = [new BoardSet(), new Float64Array(BATCH + jumps.length)];
  const { lineLow, lineHigh, pegsLow, pegsHigh } = linesOf(jumps);
  const [changes, width] = [open.changes(jumps), open.numbers.length];
  let count = 0;
  for (const [low, high] of boardsOf(level, () => report(next.size))) {
    open.weigh(low, high);
    for (let jump = 0; jump < lineLow.length; jump += 1)
      if (
        (low & lineLow[jump]) === pegsLow[jump] &&
        (high & lineHigh[jump]) === pegsHigh[jump] &&
        open.isOpen(changes, jump * width)
      )
        batch[count++] = numberOf((low ^ lineLow[jump]) >>> 0, high ^ lineHigh[jump]);
    if (count < BATCH) continue;
    next.add(batch, count);
    count = 0;
  }
  next.add(batch, count);
  return next;
}

/** Return whether a jump leads from a board of a level to the complement's image of another. Only if the image of what a
 * jump leads to is open, it can be in the level.
 * @param {BoardSet} level @param {Problem} problem @param {readonly number[]} symmetry @param {OpenBoards} open
 * @param {() => void} report */
function meets(level, { jumps }, symmetry, open, report) {
  const [image, batch] = [complement(symmetry), new Float64Array(BATCH + jumps.length)];
  /** @type {import("./problem.js").Jump[]} */
  const movedJumps = jumps.map(([from, over, to]) => [symmetry[from], symmetry[over], symmetry[to]]);
  const { lineLow, lineHigh, pegsLow, pegsHigh } = linesOf(jumps);
  const moved = linesOf(movedJumps);
  const [changes, width] = [open.changes(movedJumps).map((change) => -change), open.numbers.length];
  let count = 0;
  for (const [low, high] of boardsOf(level, report)) {
    const [imageLow, imageHigh] = image([low, high]);
    open.weigh(imageLow, imageHigh);
    for (let jump = 0; jump < lineLow.length; jump += 1)
      if (
        (low & lineLow[jump]) === pegsLow[jump] &&
        (high & lineHigh[jump]) === pegsHigh[jump] &&
        open.isOpen(changes, jump * width)
      )
        batch[count++] = numberOf((imageLow ^ moved.lineLow[jump]) >>> 0, imageHigh ^ moved.lineHigh[jump]);
    if (count < BATCH) continue;
    if (level.hasOneOf(batch, count)) return true;
    count = 0;
  }
  return level.hasOneOf(batch, count);
}

/** Yield the boards of a level, and report now and then. @param {BoardSet} level @param {() => void} report */
function* boardsOf({ places }, report) {
  for (let place = 0; place < places.length; place += 1) {
    if (place % PART === PART - 1) report();
    if (places[place] !== 0) yield bitsOf(places[place]);
  }
}
