/**
 * Bars of numbers with the guesses of the reader.
 *
 * @typedef {{ label: string, value: number | null, guess?: number | null, before?: number | null, note?: string }} Bar
 *   `value`: null if not known yet; `before`: the number to compare it with
 */
import { find, svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const HEIGHT = 96;
const WIDTH = 58;

/** Draw bars. @param {Bar[]} bars @param {{ linear?: boolean, label?: string }} [options] */
export function drawBars(bars, { linear = false, label = "" } = {}) {
  const chart = find(".lesson-bars", SVGElement);
  const numbers = bars.flatMap(({ value, guess, before }) => [value ?? 0, guess ?? 0, before ?? 0]);
  const scale = (/** @type {number} */ number) => (linear ? number : Math.log2(1 + number));
  const most = scale(Math.max(1, ...numbers));
  const height = (/** @type {number} */ number) => (scale(number) / most) * HEIGHT;
  const width = Math.max(bars.length * WIDTH, 4 * WIDTH);
  chart.setAttribute("viewBox", `0 -16 ${width} ${HEIGHT + 36}`);
  chart.setAttribute("aria-label", [label, ...bars.map(spoken)].filter(Boolean).join(texts.get("comma")));
  chart.replaceChildren(...bars.flatMap((bar, index) => drawn(bar, index * WIDTH, height)));
}

/** @param {Bar} bar */
const spoken = ({ label, value }) =>
  `${label}: ${value === null ? texts.get("lesson.unknown") : texts.number.format(value)}`;

/** @param {Bar} bar @param {number} x @param {(number: number) => number} height */
function drawn({ label, value, guess, before, note }, x, height) {
  const box = (/** @type {string} */ name, /** @type {number} */ number, /** @type {number} */ inset) =>
    svg("rect", {
      class: name,
      x: x + inset,
      y: HEIGHT - height(number),
      width: WIDTH - 2 * inset,
      height: Math.max(1, height(number)),
    });
  const shown = value ?? guess ?? 0;
  const top = HEIGHT - height(Math.max(shown, before ?? 0)) - 5;
  return [
    ...(before ? [box("bar-before", before, 5)] : []),
    ...(value === null ? [] : [box("bar", value, 11)]),
    ...(guess ? [box("bar-guess", guess, 8)] : []),
    caption(x, top, value === null ? (note ?? "?") : (note ?? texts.number.format(value))),
    caption(x, HEIGHT + 16, label),
  ];
}

/** @param {number} x @param {number} y @param {string} text */
function caption(x, y, text) {
  const drawn = svg("text", { x: x + WIDTH / 2, y });
  drawn.textContent = text;
  return drawn;
}
