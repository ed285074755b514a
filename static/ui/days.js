/** The player's own days, which begin and end by the clock of the device. */

/** Return the date of the device as 2026-01-31. @param {Date} [now] */
export const localDay = (now = new Date()) =>
  [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
