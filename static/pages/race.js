/** The race page: contestants, their table and plot, the buttons, and the summary. */
import "../ui/settings.js";
import { countHelpOfPage } from "../game/help_of_page.js";
import { linkBackToGame } from "../ui/position_links.js";
import { connected, showBanner } from "../search/connection.js";
import { RaceTable } from "../race/table.js";
import { asCsv, asJson, runFragment, runsFromFragment } from "../race/export.js";
import { soleWinner, summary } from "../race/summary.js";
import { Contestant } from "../race/contestant.js";
import { copyText, showOutcome } from "../ui/clipboard.js";
import { button, element, enableButtons, find, oncePerFrame, pageData, saveFile, write } from "../ui/dom.js";
import { drawPlot } from "../race/plot.js";
import { SILENCE } from "../search/search.js";
import { boardSentence } from "../speech/sentences.js";
import * as texts from "../ui/i18n.js";

linkBackToGame();

/** Timer that reports a race without any event, and whether it has fired. */
let [silence, isLate] = [0, false];

/** @typedef {import("../race/contestant.js").About} About */
const { puzzle, glyphs, position, goal, find: wanted, lanes: abouts } = pageData();
countHelpOfPage(puzzle, position, goal);
const board = find(".race-head .thumb", SVGElement);
board.removeAttribute("aria-hidden");
board.setAttribute("role", "img");
board.setAttribute("aria-label", boardSentence({ glyphs }, texts, position));
const contestants = /** @type {About[]} */ (abouts).map((about) => new Contestant(about, () => refresh()));
const table = find(".race-rows", HTMLTableElement);
const raceTable = new RaceTable(table, contestants);
const plot = find(".plot", SVGElement);
const lead = element(".lead");
const measure = find("#measure", HTMLSelectElement);
/** The ticks of the contestants; a lesson has none. @type {HTMLFormElement | null} */
const choice = document.querySelector(".choose form");

/** Return the address of the race that is ticked, or null if it is the race of this page. */
function otherRace() {
  if (!choice) return null;
  const form = new FormData(choice);
  const [methods, find] = [form.getAll("methods").map(String), String(form.get("find"))];
  const here = contestants.map(({ about }) => about.method);
  if (methods.toSorted().join() === here.toSorted().join() && find === wanted) return null;
  return `?${new URLSearchParams({ position, goal, methods: methods.join(","), find })}#start`;
}

/** Start all contestants from the first limit, with a new race id; if others are ticked, start the race of those. */
function start() {
  const other = otherRace();
  if (other) return location.assign(other);
  for (const contestant of contestants) contestant.detach();
  element(".race-shared").hidden = true;
  clearTimeout(silence);
  isLate = false;
  silence = setTimeout(() => ((isLate = true), refresh()), SILENCE);
  const race = `race-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  for (const contestant of contestants) {
    const request = { puzzle, position, goal, method: contestant.about.method, find: wanted, race };
    contestant.run(connected(), request);
  }
}

/** @param {Contestant} contestant */
const isSilent = (contestant) => !contestant.hasAnswered && !contestant.isPaused && !contestant.isOver;

/** Redraw the page in the next animation frame. */
const refresh = oncePerFrame(show);

function show() {
  raceTable.show(soleWinner(contestants));
  drawPlot(plot, contestants);
  updateButtons();
  if (contestants.some((contestant) => contestant.state !== "idle"))
    write(lead, isLate && contestants.every(isSilent) ? texts.get("search.late") : summary(contestants));
  showBanner(
    "race.lost",
    contestants.some((contestant) => contestant.state === "lost"),
  );
}

function updateButtons() {
  const unfinished = contestants.filter((contestant) => !contestant.isOver && contestant.state !== "idle");
  const running = unfinished.some((contestant) => contestant.state === "running");
  const going = unfinished.some((contestant) => !contestant.isPaused);
  button("stop-all").disabled = button("pause-all").disabled = unfinished.length === 0;
  write(button("pause-all"), texts.get(unfinished.length && !going ? "race.resumeAll" : "race.pauseAll"));
  button("start").disabled = unfinished.length > 0;
  element("main").setAttribute("aria-busy", String(running));
  const rows = contestants.some((contestant) => contestant.rows.all.length > 0);
  button("save-json").disabled = button("save-csv").disabled = !rows;
}

function pauseAll() {
  const unfinished = contestants.filter((contestant) => !contestant.isOver);
  const going = unfinished.filter((contestant) => !contestant.isPaused);
  for (const contestant of going.length ? going : unfinished) contestant.togglePause();
}

button("start").addEventListener("click", start);
button("pause-all").addEventListener("click", pauseAll);
button("stop-all").addEventListener("click", () =>
  contestants.forEach((contestant) => contestant.isOver || contestant.stop()),
);
table.tHead?.addEventListener("click", ({ target }) => {
  const control = target instanceof Element ? target.closest("[data-act]") : null;
  const name = control?.closest("[data-lane]")?.getAttribute("data-lane");
  const contestant = contestants.find((contestant) => contestant.about.method === name);
  if (control?.getAttribute("data-act") === "pause") contestant?.togglePause();
  else if (control) contestant?.stop();
});
measure.addEventListener("change", () => {
  table.dataset.measure = measure.value;
  write(element(".about-measure"), texts.get(`race.measure.${measure.value}`));
  show();
});
write(element(".about-measure"), texts.get(`race.measure.${measure.value}`));

const problem = { puzzle, position, goal, find: wanted };
const fileName = `${puzzle}-race`;
button("save-json").addEventListener("click", () =>
  saveFile(`${fileName}.json`, "application/json", asJson(problem, contestants, address())),
);
button("save-csv").addEventListener("click", () =>
  saveFile(`${fileName}.csv`, "text/csv", asCsv(contestants)),
);

/** Return a link to this race that contains the results of this run. */
function address() {
  const query = new URLSearchParams({
    position,
    goal,
    methods: contestants.map((contestant) => contestant.about.method).join(","),
    find: wanted,
  });
  return `${location.origin}/puzzles/${encodeURIComponent(puzzle)}/race?${query}${runFragment(contestants)}`;
}

button("copy").addEventListener("click", () => showOutcome(button("copy"), copyText("race", address())));
drawPlot(plot, contestants);
for (const { method, rows, ending } of runsFromFragment(location.hash)) {
  contestants.find((contestant) => contestant.about.method === method)?.restore(rows, ending);
  element(".race-shared").hidden = false;
}
enableButtons();
if (location.hash === "#start") {
  history.replaceState(null, "", location.pathname + location.search);
  start();
}
