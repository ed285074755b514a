/** A row that grows below others is kept in sight, until a reader's hand brings something else there. */

/** Milliseconds for which a sheet glides on, after a hand or after it was last seen to glide. */
const GLIDE = 500;
const READING = /^(Page|Arrow)(Up|Down)$|^Home$|^End$|^ $/;

export class AutoScroll {
  #follows = true;
  #moved = -Infinity;

  /** @param {Element} frame what scrolls @param {() => Element | null} last the row to be followed */
  constructor(frame, last) {
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      addEventListener(kind, (event) => {
        if (isReading(event, frame)) this.#moved = event.timeStamp;
      }, { passive: true, capture: true });
    }
    addEventListener("scroll", ({ timeStamp }) => {
      if (timeStamp - this.#moved > GLIDE) return;
      this.#moved = timeStamp;
      this.#follows = isSeen(frame, last());
    }, { passive: true, capture: true });
  }

  anew() {
    this.#follows = true;
  }

  /** Nothing is moved under a hand. @param {Element} row */
  keep(row) {
    if (this.#follows && performance.now() - this.#moved > GLIDE) row.scrollIntoView({ block: "nearest" });
  }
}

/** Whether a hand may move what is read: a scroll bar, a wheel, a finger, or a key, which need not be pressed in the frame.
 * @param {Event} event @param {Element} frame */
function isReading(event, frame) {
  if (event instanceof KeyboardEvent) return READING.test(event.key);
  if (event.type === "pointerdown") return event.target === frame;
  return event.target instanceof Node && frame.contains(event.target);
}

/** @param {Element} frame @param {Element | null} row */
function isSeen(frame, row) {
  const [{ top, bottom }, place] = [frame.getBoundingClientRect(), row?.getBoundingClientRect()];
  return !place || (place.top < Math.min(bottom, innerHeight) && place.bottom > Math.max(top, 0));
}

/** Pixels below which a sheet is low. */
const LOW = 400;

/** Where there is little room the keys of a sheet go to its upper edge at once: no row that comes moves them under a finger.
 * @param {HTMLElement} keys @param {HTMLElement} sheet */
export function raise(keys, sheet) {
  if (sheet.clientHeight < LOW) sheet.scrollTop = keys.offsetTop - parseFloat(getComputedStyle(keys).top);
}
