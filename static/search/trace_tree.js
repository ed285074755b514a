/**
 * The tree around the current node of a trace. Dots are expanded; crosses are pruned by the bound, rings by the limit;
 * squares were searched before, dashes are fatal, stars solved. Of a breadth-first search it has the level, the positions
 * being expanded and what they lead to; a star has been found from both ends, too. Only the last `MAX_NODES` nodes and their ancestors are drawn.
 *
 * @typedef {import("./trace_pages.js").Visit} Visit
 * @typedef {import("./trace_pages.js").Page} Page
 * @typedef {{ visit: Visit, index: number, x: number, parent: Branch | null, children: Branch[] }} Branch
 */
import { svg } from "../ui/dom.js";

/** Most nodes drawn. */
const MAX_NODES = 120;
/** Least and greatest distance of two leaves, in pixels. A tree is as wide as its frame if the distance allows it. */
const GAP = { least: 9, most: 48 };
const ROWS = { high: 30, low: 14, all: 330 };
const HIDDEN_KINDS = ["leave", "end", "back", "complete", "path"];

/** Return the nodes of the line at the start of the page, and all nodes up to the event `at`.
 * @param {Page} page @param {number} at @returns {Branch[]} */
function branches({ line, visits }, at) {
  /** @type {Branch[]} */
  const all = [];
  /** @type {Branch[]} */
  const path = [];
  [...line, ...visits.slice(0, at + 1)].forEach((visit, place) => {
    if (HIDDEN_KINDS.includes(visit.kind)) return;
    const parent = path[visit.depth - 1] ?? null;
    const branch = { visit, index: place - line.length, x: 0, parent, children: [] };
    path[visit.depth] = branch;
    all.push(branch);
  });
  return all;
}

/** Return the last `MAX_NODES` nodes with all their ancestors, linked to their children. @param {Branch[]} all */
function lastBranches(all) {
  const shown = new Set(all.slice(-MAX_NODES));
  for (const branch of shown) for (let up = branch.parent; up; up = up.parent) shown.add(up);
  const branchesShown = all.filter((branch) => shown.has(branch));
  for (const branch of branchesShown) branch.parent?.children.push(branch);
  return branchesShown;
}

/** Lay out leaves next to each other and every other node above the middle of its children.
 * @param {Branch} branch @param {{ next: number, gap: number }} place */
function layOut(branch, place) {
  for (const child of branch.children) layOut(child, place);
  const [first, last] = [branch.children[0], branch.children.at(-1)];
  branch.x = first && last ? (first.x + last.x) / 2 : (place.next += place.gap);
}

/** Draw the tree and return the number of nodes in the drawing.
 * @param {SVGElement} root @param {Page} page @param {number} at */
export function drawTree(root, page, at) {
  const shown = lastBranches(branches(page, at));
  const frame = root.parentElement;
  const room = (frame?.clientWidth ?? 0) / (shown.filter(({ children }) => !children.length).length + 1);
  const place = { next: 0, gap: Math.min(GAP.most, Math.max(GAP.least, room)) };
  if (shown[0]) layOut(shown[0], place);
  const depth = Math.max(1, ...shown.map(({ visit }) => visit.depth));
  const row = Math.max(ROWS.low, Math.min(ROWS.high, ROWS.all / depth));
  const [width, height] = [Math.max(place.next + place.gap, 120), depth * row + 24];
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
    root.setAttribute(name, String(value));
  root.replaceChildren(...shown.flatMap((branch) => drawn(branch, row, branch.index === at)));
  if (frame) frame.scrollLeft = (shown.at(-1)?.x ?? 0) - frame.clientWidth / 2;
  return shown.filter(({ visit }) => visit.isNode || visit.kind === "line").length;
}

/** @param {Branch} branch @param {number} row height of a row @param {boolean} current */
function drawn({ visit, x, parent }, row, current) {
  const y = visit.depth * row + 12;
  const twig = parent ? [svg("path", { class: "twig", d: `M${parent.x} ${y - row}L${x} ${y}` })] : [];
  const ring = current ? [svg("circle", { class: "current", cx: x, cy: y, r: 7.5 })] : [];
  return [...twig, mark(visit, x, y), ...ring];
}

/** @param {Visit} visit @param {number} x @param {number} y */
function mark({ kind }, x, y) {
  if (kind === "bound") return svg("path", { class: "bound", d: `M${x - 3} ${y - 3}l6 6m0-6l-6 6` });
  if (kind === "limit") return svg("circle", { class: "limit", cx: x, cy: y, r: 3 });
  if (kind === "fatal") return svg("path", { class: "bound", d: `M${x - 3} ${y}h6` });
  if (kind === "seen" || kind === "lost" || kind === "known")
    return svg("rect", { class: kind === "lost" ? "lost" : "seen", x: x - 3, y: y - 3, width: 6, height: 6 });
  if (kind === "solved" || kind === "met")
    return svg("path", { class: "solved", d: `M${x} ${y - 7}l2 5 5 2-5 2-2 5-2-5-5-2 5-2z` });
  return svg("circle", { class: "node", cx: x, cy: y, r: 3.5 });
}
