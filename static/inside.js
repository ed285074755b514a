/** Inside a search: its events on the board, forward and back, with the counts and the tree so far. */
import "./settings.js";
import { fetched } from "./api.js";
import { element, enableKeys, find, pageData, write } from "./page.js";
import { Recording } from "./recording.js";
import { Stage } from "./stage.js";
import { drawTree } from "./tree.js";
import { Words } from "./words.js";

const BEAT = 1000;

const { puzzle, goal, position, method, language, words: entries } = pageData();
const words = new Words(language, entries);
const stage = new Stage(element(".stage"), puzzle);
const slider = find("#inside-place", HTMLInputElement);
const speed = find("#inside-speed", HTMLSelectElement);
const playKey = find('[data-inside="play"]', HTMLButtonElement);

let recording = new Recording([], true);
let at = 0;
let timer = 0;

/** @param {number} place */
function go(place) {
  at = Math.max(0, Math.min(place, recording.length - 1));
  show();
}

/** @param {boolean} playing */
function play(playing) {
  clearTimeout(timer);
  timer = playing && at < recording.length - 1 ? window.setTimeout(beat, BEAT / Number(speed.value)) : 0;
  playKey.setAttribute("aria-label", words.say(timer ? "inside.pause" : "inside.play"));
  find("use", SVGUseElement, playKey).setAttribute("href", timer ? "#i-pause" : "#i-play");
}

function beat() {
  go(at + 1);
  play(true);
}

const acts = {
  first: () => go(0),
  back: () => go(at - 1),
  forward: () => go(at + 1),
  limit: () => go(recording.nextEnd(at)),
};
for (const key of document.querySelectorAll("[data-inside]")) {
  key.addEventListener("click", () => {
    const name = key.getAttribute("data-inside") ?? "";
    if (name === "play") return play(timer === 0);
    play(false);
    acts[/** @type {keyof typeof acts} */ (name)]();
  });
}
slider.addEventListener("input", () => (play(false), go(Number(slider.value))));

function show() {
  const visit = recording.visits[at];
  if (!visit) return write(element(".verdict-line"), words.say("inside.nothing"));
  const line = recording.line(at);
  const legs = line.map(({ from, to }) => [from, to]);
  stage.show(visit.position);
  stage.point(legs);
  tell(visit);
  slider.value = String(at);
  element("main").dataset.event = String(at);
  const more = recording.whole ? "inside.place" : "inside.placeOfMore";
  write(element(".inside-count"), words.say(more, { at: at + 1, all: recording.length }));
  showLedger();
  const left = drawTree(find(".tree", SVGElement), recording.ofLimit(at), at);
  write(element(".tree-note"), words.say(left ? "inside.more" : "inside.legend", { n: left }));
}

/** Why it goes on, or not, in a sentence. @param {import("./recording.js").Visit} visit */
function tell(visit) {
  const said = element(".verdict-line");
  said.dataset.kind = visit.kind;
  const { from, to, spent, bound, limit, kind } = visit;
  const root = visit.depth === 0 && kind !== "end" && kind !== "leave" ? ".root" : "";
  write(said, words.say(`inside.${kind}${root}`, { from, to, spent, bound, limit, least: spent + bound }));
}

function showLedger() {
  const { format } = words.number;
  const counts = recording.counts(at);
  const rows = counts.map(({ limit, nodes, cut }) => {
    const row = document.createElement("tr");
    row.dataset.limit = String(limit);
    row.dataset.nodes = String(nodes);
    if (limit === recording.visits[at].limit) row.setAttribute("aria-current", "step");
    row.append(...[limit, nodes, cut].map((number) => Object.assign(document.createElement("td"), { textContent: format(number) })));
    return row;
  });
  /** @type {HTMLTableElement} */ (element(".ledger")).tBodies[0].replaceChildren(...rows);
}

const path = `/api/puzzles/${encodeURIComponent(puzzle.id)}/positions/${encodeURIComponent(position)}/trace`;
const { events, whole } = await fetched(`${path}?${new URLSearchParams({ goal, method })}`);
recording = new Recording(events, whole);
slider.max = String(Math.max(0, recording.length - 1));
element("main").dataset.events = String(recording.length);
go(0);
enableKeys();
