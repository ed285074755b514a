/** A row that grows below others is kept in sight, until a reader's hand brings something else there. */

/** Milliseconds for which a sheet glides on, after a hand or after it was last seen to glide. */
const SCROLL_TIME = 500;
const SCROLL_KEYS = /^(Page|Arrow)(Up|Down)$|^Home$|^End$|^ $/;

export class AutoScroll {
  #isFollowing = true;
  #lastScroll = -Infinity;

  /** @param {Element} frame what scrolls @param {() => Element | null} last the row to be followed */
  constructor(frame, last) {
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      addEventListener(kind, (event) => {
        if (isScrollInput(event, frame)) this.#lastScroll = event.timeStamp;
      }, { passive: true, capture: true });
    }
    addEventListener("scroll", ({ timeStamp }) => {
      if (timeStamp - this.#lastScroll > SCROLL_TIME) return;
      this.#lastScroll = timeStamp;
      this.#isFollowing = isVisible(frame, last());
    }, { passive: true, capture: true });
  }

  reset() {
    this.#isFollowing = true;
  }

  /** Nothing is moved under a hand. @param {Element} row */
  follow(row) {
    if (this.#isFollowing && performance.now() - this.#lastScroll > SCROLL_TIME) row.scrollIntoView({ block: "nearest" });
  }
}

/** Whether a hand may move what is read: a scroll bar, a wheel, a finger, or a key, which need not be pressed in the frame.
 * @param {Event} event @param {Element} frame */
function isScrollInput(event, frame) {
  if (event instanceof KeyboardEvent) return SCROLL_KEYS.test(event.key);
  if (event.type === "pointerdown") return event.target === frame;
  return event.target instanceof Node && frame.contains(event.target);
}

/** @param {Element} frame @param {Element | null} row */
function isVisible(frame, row) {
  const [{ top, bottom }, place] = [frame.getBoundingClientRect(), row?.getBoundingClientRect()];
  return !place || (place.top < Math.min(bottom, innerHeight) && place.bottom > Math.max(top, 0));
}

/** Pixels below which a sheet is low. */
const LOW_SHEET = 400;

/** Where there is little room the keys of a sheet go to its upper edge at once: no row that comes moves them under a finger.
 * @param {HTMLElement} keys @param {HTMLElement} sheet */
export function scrollToButtons(keys, sheet) {
  if (sheet.clientHeight < LOW_SHEET) sheet.scrollTop = keys.offsetTop - parseFloat(getComputedStyle(keys).top);
}
