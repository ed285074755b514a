/** A row that grows below others is kept in sight, until a reader's hand brings something else there. */

/** Milliseconds for which a sheet glides on, after a hand or after it was last seen to glide. */
const GLIDE = 500;

export class Follower {
  #follows = true;
  #moved = -Infinity;

  /** @param {Element} frame what scrolls @param {() => Element | null} last the row to be followed */
  constructor(frame, last) {
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      frame.addEventListener(kind, ({ target, timeStamp }) => {
        if (target === frame || kind === "wheel" || kind === "touchmove") this.#moved = timeStamp; // a key of a sheet moves none
      }, { passive: true });
    }
    frame.addEventListener("scroll", ({ timeStamp }) => {
      if (timeStamp - this.#moved > GLIDE) return;
      this.#moved = timeStamp;
      this.#follows = isSeen(frame, last());
    }, { passive: true });
  }

  anew() {
    this.#follows = true;
  }

  /** @param {Element} row */
  keep(row) {
    if (this.#follows) row.scrollIntoView({ block: "nearest" });
  }
}

/** @param {Element} frame @param {Element | null} row */
function isSeen(frame, row) {
  const [{ top, bottom }, place] = [frame.getBoundingClientRect(), row?.getBoundingClientRect()];
  return !place || (place.top < bottom && place.bottom > top);
}
