/** The trace page: the events of a search on the board, one by one, with node counts and the tree around the current
 * node. */
import "../ui/settings.js";
import { countHelpOfPage } from "../game/help_of_page.js";
import { linkBackToGame } from "../ui/position_links.js";
import { faultOf, fetchJson } from "../game/api.js";
import { goal, puzzle } from "../game/position.js";
import { create, element, enableButtons, find, pageData, write } from "../ui/dom.js";
import { Trace } from "../search/trace_pages.js";
import { ShownBoard } from "../keys/shown_board.js";
import { drawTree } from "../search/trace_tree.js";
import { listCode } from "../search/code_listing.js";
import { memoryText } from "../search/rows.js";
import { sentenceOf, worded } from "../search/trace_sentence.js";
import * as texts from "../ui/i18n.js";

linkBackToGame();
countHelpOfPage(puzzle.id, element("main").dataset.position ?? "", goal);

/** @typedef {import("../search/trace_pages.js").Visit} Visit */

/** Milliseconds between two events at speed 1. */
const STEP_TIME = 1000;
/** Milliseconds between two requests for the first page of the trace, while the server cannot answer yet. */
const RETRY_TIME = 2000;
/** Codes of errors after which the first page is requested again. */
const TEMPORARY = ["warming_up", "busy", "too_many_requests", "unreachable", "offline"];

const { position, method, language, code, has_levels: hasLevels } = pageData();
const figure = new ShownBoard();
const markLine = listCode(code);
/** Return a text about limits, or about levels in a breadth-first search.
 * @param {string} key @param {import("../ui/i18n.js").Values} values */
const limitText = (key, values) => texts.get(hasLevels ? `${key}.level` : key, values);
const slider = find("#trace-place", HTMLInputElement);
const speed = find("#trace-speed", HTMLSelectElement);
const playButton = find('[data-trace="play"]', HTMLButtonElement);
const ledger = find(".ledger", HTMLTableElement);
const path = `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(position)}/trace`;
const trace = new Trace((query) =>
  fetchJson(`${path}?${new URLSearchParams({ goal, method, lang: language, ...query })}`),
);

let timer = 0;
let pendingStep = Promise.resolve();

/** Run a step after all earlier steps, because each may load a page of the trace. @param {() => Promise<void>} step */
function go(step) {
  pendingStep = pendingStep.then(step).then(show, (error) => {
    play(false);
    write(element(".verdict-line"), texts.forCode("fault", faultOf(error)));
  });
  return pendingStep;
}

/** @param {boolean} playing */
function play(playing) {
  clearTimeout(timer);
  timer = playing && !trace.isLast ? window.setTimeout(playNext, STEP_TIME / Number(speed.value)) : 0;
  playButton.setAttribute("aria-label", texts.get(timer ? "trace.pause" : "trace.play"));
  find("use", SVGUseElement, playButton).setAttribute("href", timer ? "#i-pause" : "#i-play");
}

/** Show the next event, and go on while the trace plays. */
async function playNext() {
  await go(() => trace.forward());
  if (timer) play(true);
}

const acts = {
  first: () => trace.open(trace.limits[0].limit),
  back: () => trace.back(),
  forward: () => trace.forward(),
  limit: () => trace.toEnd(),
};
for (const control of document.querySelectorAll("[data-trace]")) {
  control.addEventListener("click", () => {
    const name = control.getAttribute("data-trace") ?? "";
    if (name === "play") return play(timer === 0);
    play(false);
    go(acts[/** @type {keyof typeof acts} */ (name)]);
  });
}
slider.addEventListener("input", () => {
  const wanted = slider.value;
  play(false);
  go(async () => {
    if (slider.value === wanted) await trace.toNode(Number(wanted));
  });
});
ledger.addEventListener("click", ({ target }) => {
  const limitButton = target instanceof Element ? target.closest("[data-to]") : null;
  if (!limitButton) return;
  play(false);
  go(() => trace.open(Number(limitButton.getAttribute("data-to"))));
});

/** Load the page of the chosen method without a new history entry, or restart the trace if the method is the current one. */
document.querySelector("form.tool-bar")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const chosen = find("[name=method]", HTMLSelectElement).value;
  if (chosen === method && trace.visit) go(acts.first).then(() => play(true));
  else location.replace(`?${new URLSearchParams({ position, goal, method: chosen })}#play`);
});

function show() {
  const { visit } = trace;
  if (!visit) return write(element(".verdict-line"), texts.get("trace.nothing"));
  figure.show(visit.position, trace.marks());
  explain(visit);
  showPlace(visit);
  const drawn = drawTree(find(".tree", SVGElement), trace.page, trace.at);
  const undrawn = trace.count.nodes - drawn;
  const all = trace.count.nodes;
  write(
    element(".tree-note"),
    all ? limitText(undrawn > 0 ? "trace.more" : "trace.legend", { n: undrawn, all }) : "",
  );
}

/** Explain the current event in one sentence, and mark its line of code. @param {Visit} visit */
function explain(visit) {
  const message = element(".verdict-line");
  message.dataset.kind = visit.kind;
  write(message, sentenceOf(visit, trace.isProved));
  markLine(visit);
}

/** @param {Visit} visit */
function showPlace({ limit, kind }) {
  const { node, count, page, at } = trace;
  Object.assign(element("main").dataset, { limit, node, kind, event: at, page: page.number });
  slider.max = String(Math.max(1, count.nodes));
  slider.value = String(node);
  write(element(".trace-count"), limitText("trace.place", { limit, at: node, all: count.nodes }));
  for (const control of document.querySelectorAll('[data-trace="first"], [data-trace="back"]'))
    control.toggleAttribute("disabled", trace.isFirst);
  for (const control of document.querySelectorAll(
    '[data-trace="forward"], [data-trace="limit"], [data-trace="play"]',
  ))
    control.toggleAttribute("disabled", trace.isLast);
  for (const row of ledger.tBodies[0].rows) {
    if (Number(row.dataset.limit) !== limit) row.removeAttribute("aria-current");
    else if (!row.hasAttribute("aria-current")) {
      row.setAttribute("aria-current", "step");
      element(".ledger-frame").scrollTop = row.offsetTop - 80;
    }
  }
}

/** Fill the table of limits. The number of each limit is a button that opens the first event of the limit. */
function showLedger() {
  const rows = trace.limits.map(({ limit, nodes, cut, result, memory }) => {
    const ariaLabel = limitText("trace.toLimit", { limit });
    const limitButton = create(
      "button",
      { type: "button", className: "back", ariaLabel },
      texts.number.format(limit),
    );
    limitButton.dataset.to = String(limit);
    const cells = [
      texts.number.format(nodes),
      hasLevels ? memoryText({ memory }) : result === "solved" ? "–" : texts.number.format(cut),
      texts.get(worded(`trace.result.${result}`, trace.isProved)),
    ];
    const row = create(
      "tr",
      {},
      create("th", { scope: "row" }, limitButton),
      ...cells.map((cell) => create("td", {}, cell)),
    );
    Object.assign(row.dataset, { limit, nodes, state: result });
    return row;
  });
  ledger.tBodies[0].replaceChildren(...rows);
  write(
    element(".ledger-note"),
    trace.whole ? "" : limitText("trace.beyond", { limit: trace.limits.at(-1)?.limit ?? 0 }),
  );
}

/** Load the first page of the trace and show its first event. Repeat the request while the server starts up or is busy. */
async function begin() {
  for (;;) {
    const fault = await trace.begin().then(() => null, faultOf);
    if (!fault) return show();
    const isTemporary = TEMPORARY.includes(fault.code);
    const kind = isTemporary && fault.code !== "offline" ? "machine" : "fault";
    write(element(".verdict-line"), texts.forCode(kind, fault));
    if (!isTemporary) return;
    await new Promise((resolve) => setTimeout(resolve, RETRY_TIME));
  }
}

await begin();
if (trace.visit) {
  showLedger();
  enableButtons();
  showPlace(trace.visit);
  if (location.hash === "#play") play(true);
}
