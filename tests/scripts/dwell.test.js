/** A dragged peg takes a jump when it rests over its end, or passes it slowly. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { newDwell, REST } from "../../static/board/dwell.js";

/** Return the jumps taken on a drag that looks every 40 milliseconds. @param {(number | null)[]} holes under the peg */
function drag(holes) {
  const dwell = newDwell();
  return holes.map((hole, look) => dwell(hole, look * 40)).filter((hole) => hole !== null);
}
const rest = (/** @type {number} */ hole) => Array(Math.ceil(REST / 40) + 2).fill(hole);

test("a rest over a landing hole takes one jump, however long it is", () => {
  assert.deepEqual(drag([null, ...rest(6)]), [6]);
  assert.deepEqual(drag([null, ...rest(6), null, ...rest(10)]), [6, 10]);
});

test("a quick pass takes none, and only the hole under the peg counts", () => {
  assert.deepEqual(drag([null, 6, 6, null, 6, 6, 10, 6, null]), []);
});
