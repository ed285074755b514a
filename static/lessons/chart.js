/**
 * Bars of numbers with the guesses of the reader.
 *
 * @typedef {{ label: string, value: number | null, guess?: number | null, before?: number | null, note?: string }} Bar
 *   `value`: null if not known yet; `before`: the number to compare it with
 */
import { find, svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const HEIGHT = 96;
const BAR = 36;
const LETTER = 9;
/** Width of a bar with the space around it, if its number needs no more. */
const WIDTH = 58;

/** Draw bars. @param {Bar[]} bars @param {{ linear?: boolean, label?: string }} [options] */
export function drawBars(bars, { linear = false, label = "" } = {}) {
  const chart = find(".lesson-bars", SVGElement);
  const numbers = bars.flatMap(({ value, guess, before }) => [value ?? 0, guess ?? 0, before ?? 0]);
  const scale = (/** @type {number} */ number) => (linear ? number : Math.log2(1 + number));
  const most = scale(Math.max(1, ...numbers));
  const height = (/** @type {number} */ number) => (scale(number) / most) * HEIGHT;
  const step = Math.max(WIDTH, ...bars.map((bar) => LETTER * (captionOf(bar).length + 1)));
  chart.setAttribute("viewBox", `0 -16 ${step * Math.max(bars.length, 4)} ${HEIGHT + 36}`);
  chart.setAttribute("aria-label", [label, ...bars.map(spoken)].filter(Boolean).join(texts.get("comma")));
  chart.replaceChildren(...bars.flatMap((bar, index) => drawn(bar, (index + 0.5) * step, height)));
}

/** @param {Bar} bar */
const captionOf = ({ value, note }) => note ?? (value === null ? "?" : texts.number.format(value));

/** @param {Bar} bar */
const spoken = ({ label, value }) =>
  `${label}: ${value === null ? texts.get("lesson.unknown") : texts.number.format(value)}`;

/** Draw a bar, and above all that is drawn of it its number. `x`: the middle.
 * @param {Bar} bar @param {number} x @param {(number: number) => number} height */
function drawn(bar, x, height) {
  const { label, value, guess, before } = bar;
  const box = (/** @type {string} */ name, /** @type {number} */ number, /** @type {number} */ width) =>
    svg("rect", {
      class: name,
      x: x - width / 2,
      y: HEIGHT - height(number),
      width,
      height: Math.max(1, height(number)),
    });
  const top = HEIGHT - height(Math.max(value ?? 0, guess ?? 0, before ?? 0)) - 5;
  return [
    ...(before ? [box("bar-before", before, BAR + 12)] : []),
    ...(value === null ? [] : [box("bar", value, BAR)]),
    ...(guess ? [box("bar-guess", guess, BAR + 6)] : []),
    caption(x, top, captionOf(bar)),
    caption(x, HEIGHT + 16, label),
  ];
}

/** @param {number} x @param {number} y @param {string} text */
function caption(x, y, text) {
  const drawn = svg("text", { x, y });
  drawn.textContent = text;
  return drawn;
}
