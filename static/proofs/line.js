/** Proofs by a line: a solution that is replayed. */
import { require } from "./problem.js";

/** Replay a line, such as "2-0-6.9-3", of at most the claimed number of moves. Return the number of jumps.
 * @param {import("./problem.js").Problem} problem @param {any} proof @param {{ most: number }} claim */
export function checkLine(problem, proof, claim) {
  require(typeof proof.line === "string", "A line is a text.");
  require(/^\d+(-\d+)*(\.\d+(-\d+)*)*$/.test(proof.line), `The line ${proof.line} is none.`);
  /** @type {number[][]} */
  const moves = proof.line.split(".").map((/** @type {string} */ move) => move.split("-").map(Number));
  let { red, start: board } = problem;
  let jumps = 0;
  for (const holes of moves)
    for (const [index, from] of holes.slice(0, -1).entries()) {
      const jump = problem.jumps.find(([origin, , to]) => origin === from && to === holes[index + 1]);
      const isLegal = jump && jump.map((hole) => board[hole]).join("") === "oo." && jump[1] !== red;
      require(jump && isLegal, `The jump ${from} to ${holes[index + 1]} is not possible.`);
      board = [...board]
        .map((mark, hole) => (jump.includes(hole) ? (hole === jump[2] ? "o" : ".") : mark))
        .join("");
      red = red === from ? jump[2] : red;
      jumps += 1;
    }
  const isSolved = board.replaceAll(".", "").length === 1 && problem.ends.includes(board.indexOf("o"));
  require(isSolved, "The line does not end at the goal.");
  const made = moves.length - Number(moves[0][0] === problem.active);
  require(made <= claim.most, `The line has ${made} moves, more than are claimed.`);
  return jumps;
}
