/** The page of all days: adds the player's results and figures. */
import "../ui/settings.js";
import { markOf } from "../today/day_results.js";
import { statisticsOf } from "../today/statistics.js";
import { streakOf } from "../days/streak.js";
import { localDay } from "../days/dates.js";
import { makeOneStop } from "../keys/one_stop.js";
import { create, element, find, setMark, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { begunCards, cardResults, onReturn } from "../ui/storage.js";

const today = document.documentElement.dataset.today ?? localDay();
const date = new Intl.DateTimeFormat(document.documentElement.lang, { dateStyle: "full", timeZone: "UTC" });

/** Show the mark of every day. @param {ReturnType<typeof cardResults>} results */
function showMarks(results) {
  for (const link of document.querySelectorAll("a[data-day]")) {
    const day = link.getAttribute("data-day") ?? "";
    if (day.slice(0, 10) > today) {
      withdraw(link, day); // begun elsewhere, but not here
      continue;
    }
    if (day === today) link.setAttribute("aria-current", "date");
    const mark = markOf(results, `daily/${day}`);
    setMark(link, mark);
    const mini = day.endsWith("/mini") ? [link.textContent?.trim().split(", ").pop()] : [];
    link.setAttribute(
      "aria-label",
      [date.format(new Date(day.slice(0, 10))), ...mini, texts.get(`medal.${mark}`)].join(texts.get("comma")),
    );
  }
}

/** Leave only the number of a day, as of every day that cannot be opened yet. @param {Element} link
 * @param {string} day that of a card or of a mini card */
function withdraw(link, day) {
  const number = texts.number.format(Number(day.slice(8, 10)));
  if (day.endsWith("/mini")) link.remove();
  else link.replaceWith(create("span", { className: "quiet" }, number));
}

/** Show the figures of all days. @param {ReturnType<typeof cardResults>} results */
function showFigures(results) {
  const { over, ...figures } = statisticsOf(results, begunCards());
  const { days: streak, longest } = streakOf(results, today);
  for (const [name, value] of Object.entries({ ...figures, streak, longest }))
    write(element(`[data-figure="${name}"]`), String(value));
  over.forEach((count, index) => {
    const cell = element(`[data-over="${index}"]`);
    write(cell, String(count));
    find("meter", HTMLMeterElement, cell.parentElement ?? document).value =
      count / Math.max(1, figures.solved);
  });
}

/** Show what the player has reached. */
function show() {
  const results = cardResults();
  showMarks(results);
  showFigures(results);
}

show();
makeOneStop(find(".month table", HTMLElement));
onReturn("cards", show);
