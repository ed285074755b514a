/** Scrolling of the search panel: follows the last row until the reader scrolls away, and keeps the buttons in reach. */

/** Milliseconds after an input or a scroll of the reader in which a scroll event counts as the reader's. */
const SCROLL_TIME = 500;
const SCROLL_KEYS = /^(Page|Arrow)(Up|Down)$|^Home$|^End$|^ $/;

/** Automatic scrolling to the last row of a growing list. */
export class AutoScroll {
  #isFollowing = true;
  #lastScroll = -Infinity;
  /** @type {Element | null} row to scroll to in the next frame */
  #nextRow = null;

  /** @param {Element} frame element that scrolls @param {() => Element | null} last returns the last row */
  constructor(frame, last) {
    for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      addEventListener(
        kind,
        (event) => {
          if (isScrollInput(event, frame)) this.#lastScroll = event.timeStamp;
        },
        { passive: true, capture: true },
      );
    }
    addEventListener(
      "scroll",
      ({ timeStamp }) => {
        if (timeStamp - this.#lastScroll > SCROLL_TIME) return;
        this.#lastScroll = timeStamp;
        this.#isFollowing = isVisible(frame, last());
      },
      { passive: true, capture: true },
    );
  }

  reset() {
    this.#isFollowing = true;
  }

  /** Scroll to a row in the next frame, unless the reader is scrolling or has scrolled away. Of several rows in one
   * frame only the last row is scrolled to, because each scroll lays out the page. @param {Element} row */
  follow(row) {
    if (!this.#nextRow) requestAnimationFrame(() => this.#scroll());
    this.#nextRow = row;
  }

  #scroll() {
    if (this.#isFollowing && performance.now() - this.#lastScroll > SCROLL_TIME)
      this.#nextRow?.scrollIntoView({ block: "nearest" });
    this.#nextRow = null;
  }
}

/** Return whether an input may scroll the frame: scroll bar, wheel, finger or key. A key counts anywhere
 * on the page.
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

/** Height in pixels below which a sheet counts as low. */
const LOW_SHEET = 400;

/** In a low sheet, scroll the buttons to the upper edge at once, so that new rows do not move them under a finger.
 * @param {HTMLElement} keys @param {HTMLElement} sheet */
export function scrollToButtons(keys, sheet) {
  if (sheet.clientHeight < LOW_SHEET)
    sheet.scrollTop = keys.offsetTop - parseFloat(getComputedStyle(keys).top);
}
