/** The time until the next card of the day, and the offer of that card as soon as its day has begun. */
import { localDay, untilTomorrow } from "../days/dates.js";
import { element, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const MINUTE = 60_000; // milliseconds

/** Return hours and minutes, rounded up, so that none is left only when the time has come. @param {number} milliseconds */
export function hoursAndMinutes(milliseconds) {
  const minutes = Math.ceil(milliseconds / MINUTE);
  return { hours: Math.floor(minutes / 60), minutes: minutes % 60 };
}

/** Show the time that is left, minute by minute. Timers do not run while a device sleeps. @param {string} today */
export function startCountdown(today) {
  const show = () => {
    const hasEnded = localDay() !== today;
    const left = hoursAndMinutes(untilTomorrow(new Date()));
    element("#new-day").hidden = !hasEnded;
    write(element("#countdown"), hasEnded ? "" : texts.get("card.countdown", left));
    return hasEnded;
  };
  const watch = () => void (show() || setTimeout(watch, Math.min(MINUTE, untilTomorrow(new Date()) + 1000)));
  document.addEventListener("visibilitychange", show);
  watch();
}
