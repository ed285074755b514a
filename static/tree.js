/**
 * The tree of one limit as a drawing, grown up to an event: dots were entered, crosses cut by the bound, rings by
 * the limit. Beyond a size that stays readable the rest is only counted.
 *
 * @typedef {import("./recording.js").Visit} Visit
 * @typedef {{ visit: Visit, index: number, x: number, parent: Branch | null, children: Branch[] }} Branch
 */
import { svg } from "./marks.js";

export const MOST_SHOWN = 240;
const ROW = 30;
const GAP = 11;

/** @param {{ visit: Visit, index: number }[]} events @returns {Branch[]} */
function branches(events) {
  /** @type {Branch[]} */
  const all = [];
  /** @type {Branch[]} */
  const line = [];
  for (const { visit, index } of events) {
    if (visit.kind === "leave" || visit.kind === "end" || visit.kind === "back") continue;
    const parent = line[visit.depth - 1] ?? null;
    const branch = { visit, index, x: 0, parent, children: [] };
    parent?.children.push(branch);
    line[visit.depth] = branch;
    all.push(branch);
  }
  return all;
}

/** Leaves side by side, every other in the middle of its own. @param {Branch} branch @param {{ next: number }} place */
function lay(branch, place) {
  for (const child of branch.children) lay(child, place);
  const [first, last] = [branch.children[0], branch.children.at(-1)];
  branch.x = first && last ? (first.x + last.x) / 2 : (place.next += GAP);
}

/** Draw it; returns how many branches are left out. @param {SVGElement} root @param {{ visit: Visit, index: number }[]} events @param {number} at */
export function drawTree(root, events, at) {
  const all = branches(events);
  const shown = all.slice(0, MOST_SHOWN);
  for (const branch of shown) branch.children = branch.children.filter((child) => shown.includes(child));
  const place = { next: 0 };
  if (shown[0]) lay(shown[0], place);
  const depth = Math.max(1, ...shown.map(({ visit }) => visit.depth));
  const width = Math.max(place.next + GAP, 240);
  root.setAttribute("viewBox", `0 0 ${width} ${depth * ROW + 24}`);
  root.setAttribute("height", String(depth * ROW + 24));
  root.replaceChildren(...shown.flatMap((branch) => drawn(branch, branch.index === at)));
  return all.length - shown.length;
}

/** @param {Branch} branch @param {boolean} current */
function drawn({ visit, x, parent }, current) {
  const y = visit.depth * ROW + 12;
  const twig = parent ? [svg("path", { class: "twig", d: `M${parent.x} ${(visit.depth - 1) * ROW + 12}L${x} ${y}` })] : [];
  const ring = current ? [svg("circle", { class: "current", cx: x, cy: y, r: 7.5 })] : [];
  return [...twig, mark(visit, x, y), ...ring];
}

/** @param {Visit} visit @param {number} x @param {number} y */
function mark({ kind }, x, y) {
  if (kind === "bound") return svg("path", { class: "bound", d: `M${x - 3} ${y - 3}l6 6m0-6l-6 6` });
  if (kind === "limit") return svg("circle", { class: "limit", cx: x, cy: y, r: 3 });
  if (kind === "solved") return svg("path", { class: "solved", d: `M${x} ${y - 7}l2 5 5 2-5 2-2 5-2-5-5-2 5-2z` });
  return svg("circle", { class: "node", cx: x, cy: y, r: 3.5 });
}
