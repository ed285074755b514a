/** The race: contestants, their table and plot, the keys, and the sentence it ends with. */
import "../ui/settings.js";
import { linkBackToGame } from "../ui/position_links.js";
import { Banner, connected } from "../search/connection.js";
import { RaceTable } from "../race/table.js";
import { asCsv, asJson, fragment, runsIn, save } from "../race/export.js";
import { aheadOf, sentence } from "../race/summary.js";
import { FrameTimes } from "../race/frame_times.js";
import { Contestant } from "../race/contestant.js";
import { isCalm } from "../board/animation.js";
import { button, element, enableKeys, find, onceAFrame, pageData, write } from "../ui/dom.js";
import { Plot } from "../race/plot.js";
import { paced } from "../search/search.js";
import { Words } from "../ui/i18n.js";

linkBackToGame();

/** Milliseconds between rows, and of silence after which something is said. */
const [GAP, LATE] = [70, 5000];
let [silence, isLate] = [0, false];

/** @typedef {import("../race/contestant.js").About} About */
const { puzzle, position, goal, find: wanted, lanes: abouts, language, words: entries } = pageData();
const words = new Words(language, entries);
const lanes = /** @type {About[]} */ (abouts).map((about) => new Contestant(about, () => refresh()));
const table = find(".duel", HTMLTableElement);
const duel = new RaceTable(table, lanes, words);
const plot = new Plot(find(".plot", SVGElement), lanes, words);
const lead = element(".lead");
const banner = new Banner(words, "race.lost");
const measure = find("#measure", HTMLSelectElement);
const frames = new FrameTimes();

/** All contestants begin anew, under a race of their own. */
function start() {
  for (const lane of lanes) lane.abandon();
  frames.clear();
  element(".race-shared").hidden = true;
  clearTimeout(silence);
  isLate = false;
  silence = setTimeout(() => ((isLate = true), refresh()), LATE);
  const race = `race-${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
  for (const lane of lanes) {
    const request = { puzzle, position, goal, method: lane.about.method, find: wanted, race };
    lane.run(connected(), request, (search) => paced(search, isCalm() ? 0 : GAP));
  }
}

/** @param {Contestant} lane */
const isSilent = (lane) => !lane.isHeard && !lane.isPaused && !lane.isOver;

/** Draw what is new. */
const refresh = onceAFrame(show);

function show() {
  duel.show(aheadOf(lanes));
  plot.show();
  showKeys();
  if (lanes.some((lane) => lane.state !== "idle")) write(lead, isLate && lanes.every(isSilent) ? words.say("search.late") : sentence(lanes, words));
  banner.show(lanes.some((lane) => lane.state === "lost"));
}

function showKeys() {
  const under = lanes.filter((lane) => !lane.isOver && lane.state !== "idle");
  const running = under.some((lane) => lane.state === "running");
  const going = under.some((lane) => !lane.isPaused);
  button("stop-all").disabled = button("pause-all").disabled = under.length === 0;
  write(button("pause-all"), words.say(under.length && !going ? "race.resumeAll" : "race.pauseAll"));
  button("start").disabled = under.length > 0;
  element("main").setAttribute("aria-busy", String(running));
  frames.run(running);
  showFrames();
  const rows = lanes.some((lane) => lane.list.length > 0);
  button("save-json").disabled = button("save-csv").disabled = !rows;
}

/** How smooth it was, when all have ended. */
function showFrames() {
  const note = element(".race-frames");
  const { report } = frames;
  note.hidden = !report || !lanes.every((lane) => lane.isOver);
  if (!report || note.hidden) return;
  Object.assign(note.dataset, report);
  write(note, words.say("race.frames", { n: lanes.length, ...report }));
}

function pauseAll() {
  const under = lanes.filter((lane) => !lane.isOver);
  const going = under.filter((lane) => !lane.isPaused);
  for (const lane of going.length ? going : under) lane.togglePause();
}

button("start").addEventListener("click", start);
button("pause-all").addEventListener("click", pauseAll);
button("stop-all").addEventListener("click", () => lanes.forEach((lane) => lane.isOver || lane.stop()));
table.tHead?.addEventListener("click", ({ target }) => {
  const key = target instanceof Element ? target.closest("[data-act]") : null;
  const name = key?.closest("[data-lane]")?.getAttribute("data-lane");
  const lane = lanes.find((lane) => lane.about.method === name);
  if (key?.getAttribute("data-act") === "pause") lane?.togglePause();
  else if (key) lane?.stop();
});
measure.addEventListener("change", () => {
  table.dataset.measure = measure.value;
  write(element(".about-measure"), words.say(`race.measure.${measure.value}`));
  show();
});
write(element(".about-measure"), words.say(`race.measure.${measure.value}`));

const problem = { puzzle, position, goal, find: wanted };
const fileName = `${puzzle}-race`;
button("save-json").addEventListener("click", () => save(`${fileName}.json`, "application/json", asJson(problem, lanes, words.say("export.counted"), address())));
button("save-csv").addEventListener("click", () => save(`${fileName}.csv`, "text/csv", asCsv(lanes)));

/** The link that sets up this race again, with the figures of this run; counts do not depend on who runs it. */
function address() {
  const query = new URLSearchParams({ position, goal, methods: lanes.map((lane) => lane.about.method).join(","), find: wanted });
  return `${location.origin}/puzzles/${encodeURIComponent(puzzle)}/race?${query}${fragment(lanes)}`;
}

button("copy").addEventListener("click", async () => {
  const said = button("copy").textContent ?? "";
  await navigator.clipboard.writeText(address());
  write(button("copy"), words.say("copied"));
  setTimeout(() => write(button("copy"), said), 2000);
});
for (const { method, rows, ending } of runsIn(location.hash)) {
  lanes.find((lane) => lane.about.method === method)?.show(rows, ending);
  element(".race-shared").hidden = false;
}
enableKeys();
