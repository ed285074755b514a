/** Smoothness of the page during a race: the time from one animation frame to the next. */

/** @typedef {{ frames: number, median: number, high: number, worst: number }} Smoothness times in milliseconds; `high`: 95th percentile */

/** A recorder of frame times. */
export class FrameTimes {
  /** @type {number[]} */
  #gaps = [];
  #running = false;

  /** @param {boolean} running */
  run(running) {
    if (running === this.#running) return;
    this.#running = running;
    let last = 0;
    const note = (/** @type {number} */ now) => {
      if (!this.#running) return;
      if (last && !document.hidden) this.#gaps.push(now - last);
      last = document.hidden ? 0 : now;
      requestAnimationFrame(note);
    };
    if (running) requestAnimationFrame(note);
  }

  clear() {
    this.#gaps = [];
  }

  /** @returns {Smoothness | null} */
  get report() {
    const sorted = [...this.#gaps].sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]);
    return sorted.length ? { frames: sorted.length, median: at(0.5), high: at(0.95), worst: at(1) } : null;
  }
}
