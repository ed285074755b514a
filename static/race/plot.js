/**
 * Plot of nodes by limit on a log scale, one curve per contestant. Every curve has its own marker and dashes, so that
 * it can be read without colour. The legend is above it, in templates/parts/race_table.html.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../search/rows.js").Row} Row
 * @typedef {ReturnType<typeof scaleOf>} Scale
 */
import { powerOfTen, ratioText } from "../search/rows.js";
import { svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const BOX = { left: 44, top: 14, right: 524, bottom: 362 };
const MIN_DECADES = 4;
const MIN_LIMITS = 7;
const SIGNS = ["circle", "square", "triangle", "diamond"];

/** Draw the plot of a race. @param {SVGElement} root @param {Contestant[]} contestants */
export function drawPlot(root, contestants) {
  const scale = scaleOf(contestants.flatMap((contestant) => contestant.rows.all));
  const curves = contestants.map((contestant, index) => curve(contestant, index, scale));
  root.replaceChildren(...axes(scale), ...curves, ...bracket(contestants, scale));
}

/** Return the scales that show all rows: decades, last limit, and the places of limits and nodes. @param {Row[]} rows */
function scaleOf(rows) {
  const hasZero = rows.some((row) => row.nodes < 1);
  const decades = Math.max(MIN_DECADES, Math.ceil(Math.log10(Math.max(1, ...rows.map((row) => row.nodes)))));
  const last = Math.max(MIN_LIMITS, ...rows.map((row) => row.limit));
  const floor = hasZero ? -0.5 : 0;
  const x = (/** @type {number} */ limit) => BOX.left + ((BOX.right - BOX.left) * limit) / last;
  const y = (/** @type {number} */ nodes) => {
    const level = nodes < 1 ? floor : Math.log10(nodes);
    return BOX.bottom - ((level - floor) * (BOX.bottom - BOX.top)) / (decades - floor);
  };
  return { hasZero, decades, last, x, y };
}

/** Return grid, ticks and labels. @param {Scale} scale */
function axes({ hasZero, decades, last, x, y }) {
  const powers = Array.from({ length: decades + 1 }, (_, power) => power);
  const limits = Array.from({ length: last }, (_, index) => index + 1);
  const every = last > 12 ? 5 : 1;
  const minor = powers
    .slice(0, -1)
    .flatMap((power) => [2, 3, 4, 5, 6, 7, 8, 9].map((digit) => y(digit * 10 ** power)));
  return [
    svg("path", {
      class: "grid",
      d: powers.map((power) => `M${BOX.left} ${y(10 ** power)}H${BOX.right}`).join(""),
    }),
    svg("path", { class: "axis", d: `M${BOX.left} ${BOX.top}V${BOX.bottom}H${BOX.right}` }),
    svg("path", { class: "axis", d: minor.map((height) => `M${BOX.left - 5} ${height}h5`).join("") }),
    svg("path", { class: "axis", d: limits.map((limit) => `M${x(limit)} ${BOX.bottom}v5`).join("") }),
    ...powers.map((power) => label(powerOfTen(power), BOX.left - 10, y(10 ** power) + 4, "end")),
    ...(hasZero ? [label("0", BOX.left - 10, BOX.bottom + 4, "end")] : []),
    ...limits
      .filter((limit) => limit === 1 || limit % every === 0)
      .map((limit) => label(String(limit), x(limit), BOX.bottom + 20)),
    label(texts.get("plot.limit"), (BOX.left + BOX.right) / 2, BOX.bottom + 42),
  ];
}

/** @param {Contestant} contestant @param {number} index @param {Scale} scale */
function curve(contestant, index, { last, x, y }) {
  const group = svg("g", { class: `lane-${"abcd"[index]}`, "data-plot": contestant.about.method });
  const path = (/** @type {Row[]} */ rows) =>
    rows.map((row, at) => `${at ? "L" : "M"}${x(row.limit).toFixed(1)} ${y(row.nodes).toFixed(1)}`).join("");
  const done = contestant.rows.finished;
  const running = contestant.rows.all.find((row) => row.state === "searching");
  if (running && done.length)
    group.append(svg("path", { class: "line running", d: path([done[done.length - 1], running]) }));
  if (done.length > 1) group.append(svg("path", { class: "line", d: path(done) }));
  const size = Math.max(8, Math.min(14, 400 / last));
  for (const row of done) {
    const place = { x: x(row.limit) - size / 2, y: y(row.nodes) - size / 2 };
    group.append(svg("use", { href: `#lane-${SIGNS[index]}`, ...place, width: size, height: size }));
  }
  return group;
}

/** Return a bracket with the ratio of most to fewest nodes at the last limit; [] without two proofs at it.
 * @param {Contestant[]} contestants @param {Scale} scale */
function bracket(contestants, { last, y }) {
  const ends = contestants.flatMap(({ hasProof, rows }) => (hasProof ? rows.all.slice(-1) : []));
  const counts = ends.filter(({ nodes, limit }) => nodes && limit === last).map(({ nodes }) => nodes);
  if (counts.length < 2) return [];
  const ratio = Math.max(...counts) / Math.min(...counts);
  const [top, bottom] = [y(Math.max(...counts)), y(Math.min(...counts))];
  if (bottom - top < 24) return [];
  const text = label(ratioText(ratio), BOX.right + 20, (top + bottom) / 2 + 5, "start");
  text.setAttribute("class", "big");
  return [
    svg("path", { class: "bracket", d: `M${BOX.right + 12} ${top}V${bottom}` }),
    svg("path", { class: "axis", d: `M${BOX.right + 7} ${top}h10M${BOX.right + 7} ${bottom}h10` }),
    text,
  ];
}

/** @param {string} text @param {number} x @param {number} y @param {string} [anchor] */
function label(text, x, y, anchor = "middle") {
  const element = svg("text", { x, y, "text-anchor": anchor });
  element.textContent = text;
  return element;
}
