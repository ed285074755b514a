/** The chains of a peg, compared with a naive enumeration of all chains of jumps on small boards. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { choices, chainsOf } from "../../static/game/chains.js";

/** Return all jumps, in both directions, between holes of a square grid whose middle hole exists. @param {number} size */
function gridJumps(size) {
  const at = (/** @type {number} */ x, /** @type {number} */ y) => y * size + x;
  const inside = (/** @type {number} */ x, /** @type {number} */ y) =>
    x >= 0 && y >= 0 && x < size && y < size;
  const jumps = [];
  for (let x = 0; x < size; x++)
    for (let y = 0; y < size; y++)
      for (const [dx, dy] of [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
        [1, 1],
        [-1, -1],
      ])
        if (inside(x + 2 * dx, y + 2 * dy))
          jumps.push([at(x, y), at(x + dx, y + dy), at(x + 2 * dx, y + 2 * dy)]);
  return jumps;
}
const rules = { jumps: gridJumps(4), glyphs: { o: "peg", r: "peg-red" }, unique: "r" };

/** Yield every chain of jumps by playing each on a list of cells. @param {string[]} cells @param {number[]} holes
 * @param {number[]} captured @returns {Generator<{ holes: number[], captured: number[] }>} */
function* chains(cells, holes, captured) {
  const here = holes[holes.length - 1];
  for (const [from, over, to] of rules.jumps) {
    if (from !== here || cells[over] !== "o" || cells[to] !== ".") continue;
    const after = [...cells];
    [after[from], after[over], after[to]] = [".", ".", cells[from]];
    const chain = { holes: [...holes, to], captured: [...captured, over] };
    yield chain;
    yield* chains(after, chain.holes, chain.captured);
  }
}

/** Return the shortest chains to each hole as texts: its hole, its length, and the sets of captured pegs.
 * @param {string} cells @param {number} from */
function naive(cells, from) {
  const all = [...chains([...cells], [from], [])];
  return cells.split("").flatMap((_, hole) => {
    const own = all.filter(({ holes }) => holes.at(-1) === hole);
    const least = Math.min(...own.map(({ captured }) => captured.length));
    if (hole === from || !own.length || least < 2) return [];
    const sets = own.filter(({ captured }) => captured.length === least).map(({ captured }) => set(captured));
    return [`${hole} ${least} ${[...new Set(sets)].sort()}`];
  });
}
const set = (/** @type {number[]} */ holes) => [...holes].sort((a, b) => a - b).join("-");

test("ends and chains are those of a plain enumeration", () => {
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  let [ends, several] = [0, 0];
  for (let round = 0; round < 400; round++) {
    const cells = Array.from({ length: 16 }, () => (random() < 0.5 ? "o" : ".")).join("");
    const red = random() < 0.3 ? cells.indexOf("o") : -1;
    const board = red < 0 ? cells : `${cells.slice(0, red)}r${cells.slice(red + 1)}`;
    for (let from = 0; from < 16; from++) {
      if (board[from] === ".") continue;
      const found = chainsOf(rules, board, from);
      const texts = [...found.keys()]
        .sort((a, b) => a - b)
        .map((hole) => {
          const chains = found.get(hole) ?? [];
          several += Number(chains.length > 1);
          return `${hole} ${chains[0].captured.length} ${chains.map(({ captured }) => set(captured)).sort()}`;
        });
      ends += texts.length;
      assert.deepEqual(texts, naive(board, from), `${board} from ${from}`);
    }
  }
  assert.ok(ends > 100 && several > 10, `${ends} ends, ${several} with several chains`);
});

test("chains are told apart by the first hole in which they differ", () => {
  const chains = [
    [0, 2, 10, 8],
    [0, 8, 10, 2],
    [0, 2, 10, 4],
  ].map((holes) => ({ holes, captured: [] }));
  assert.deepEqual(
    [...choices(chains)],
    [
      [2, [chains[0], chains[2]]],
      [8, [chains[1]]],
    ],
  );
  assert.deepEqual([...choices([chains[0], chains[2]]).keys()], [8, 4]);
});

test("a peg may come back over its own hole, but a chain does not end there", () => {
  const found = chainsOf(rules, "oo..oo..........", 0);
  assert.equal(found.get(0), undefined);
});
