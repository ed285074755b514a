/**
 * A dragged peg that rests over a landing hole, or passes it slowly, takes the jump. This module does not use the page.
 */

/** Milliseconds over a landing hole after which the jump is taken. */
export const REST = 250;

/** Return a function to call repeatedly with the landing hole under a dragged peg; it returns the hole whose jump is to be
 * taken now, or null. */
export function newDwell() {
  /** @type {number | null} */
  let over = null;
  let since = 0;
  return (/** @type {number | null} */ hole, /** @type {number} */ now) => {
    if (hole !== over) [over, since] = [hole, now];
    if (over === null || now - since < REST) return null;
    const taken = over;
    over = null;
    return taken;
  };
}
