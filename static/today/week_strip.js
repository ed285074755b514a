/** The days of this week with the player's results, the streak, and the marks of today's two cards. */
import { element, setMark, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { cardId } from "../days/day_card.js";
import { streakOf } from "../days/streak.js";
import { weekOf } from "./week.js";

/** Show the results. @param {import("./day_results.js").CardResults} results @param {string} today @param {string} language */
export function showDays(results, today, language) {
  const streak = streakOf(results, today);
  const format = new Intl.DateTimeFormat(language, { dateStyle: "full", timeZone: "UTC" });
  const links = [...document.querySelectorAll(".week a")];
  weekOf(results, today, streak.bridged).forEach((day, index) => showDay(links[index], day, format));
  showStreak(streak);
}

/** @param {Element} link @param {import("./week.js").WeekDay} day @param {Intl.DateTimeFormat} format */
function showDay(link, { date, when, mark, mini, isLate, isBridged }, format) {
  const shown = mark === "new" ? mini : mark;
  const words = [format.format(new Date(date)), texts.get(`medal.${shown}`)];
  if (mark === "new" && mini !== "new") words.push(texts.get("today.mini"));
  if (isLate) words.push(texts.get("today.late"));
  if (isBridged) words.push(texts.get("today.bridged"));
  link.setAttribute("aria-label", words.join(texts.get("comma")));
  link.setAttribute("data-when", when);
  link.toggleAttribute("data-bridged", isBridged);
  link.toggleAttribute("data-late", isLate);
  if (when === "today") link.setAttribute("aria-current", "date");
  else link.removeAttribute("aria-current");
  link.setAttribute("aria-disabled", String(when === "future")); // a link without an address
  if (when === "future") link.removeAttribute("href");
  else link.setAttribute("href", `/${cardId(date)}`);
  setMark(link, shown);
}

/** @param {import("../days/streak.js").Streak} streak */
function showStreak({ days, bridged, hasToday }) {
  element(".streak").hidden = days < 2; // one day is no row
  element(".streak").id = days < 2 ? "" : "streak"; // describes the result
  write(element("[data-streak]"), String(days));
  write(element("[data-streak-unit]"), texts.get("today.streak", { n: days }));
  const note = days && bridged.length ? "today.forgiven" : days && !hasToday ? "today.keep" : "";
  write(element("[data-streak-note]"), note ? texts.get(note, { n: bridged.length }) : "");
}
