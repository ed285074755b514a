/** A set for a class: the pupil's results with their code, the codes of a class in a table, and the links of the set. */
import "../ui/settings.js";
import { localDay } from "../days/dates.js";
import { fetchJson } from "../game/api.js";
import { codeOf, MOST, readCodes, resultOf } from "../review/set_code.js";
import { copyText } from "../ui/clipboard.js";
import { button, create, element, find, icon, pageData, setMark, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { betterOfSet } from "../ui/stored_kinds.js";
import { attempts, onReturn, saveSet, saveSetInMaking, sets } from "../ui/storage.js";

/**
 * @typedef {import("../review/set_code.js").Result} Result
 * @typedef {import("../review/set_code.js").ClassResult} ClassResult
 * @typedef {{ puzzle: string, position: string, goal: string }} Problem
 */

/** @type {{ id: string, address: string, problems: Problem[] }} */
const { id, address, problems } = pageData().set;

/** The mark of each letter of a result. @type {Record<string, string>} */
const MARKS = { s: "optimal", h: "assisted", d: "solved", l: "dead", o: "dead", n: "new" };

/** Return the result of the last game of a problem on this device; "n" if none has ended. @param {Problem} problem
 * @returns {Promise<Result>} */
async function resultHere({ puzzle, position, goal }) {
  const ended = attempts(puzzle, position, goal)?.ended;
  if (!ended) return "n";
  const query = new URLSearchParams({ start: position, line: ended.line, goal });
  const { start, steps } = await fetchJson(`/api/puzzles/${puzzle}/line?${query}`);
  return resultOf({ start, steps, at: steps.length }, ended.help);
}

/** Return the set as it is stored, or as it begins. */
const stored = () =>
  sets()[id] ?? {
    address,
    problems: problems.map(({ puzzle, position, goal }) => [puzzle, position, goal].join(" ")),
    results: problems.map(() => "n"),
    day: localDay(),
    row: 0,
  };

/** Add the games that have ended meanwhile to the stored results, and show them. */
async function collect() {
  const found = await Promise.allSettled(problems.map(resultHere));
  const here = found.map((each) => (each.status === "fulfilled" ? each.value : "n"));
  const before = stored();
  const results = before.results.map((result, index) => betterOfSet(result, here[index]));
  saveSet(id, { ...before, results, day: localDay() });
  const isMissing = found.some(({ status }) => status === "rejected");
  element("#uncounted").hidden = !isMissing;
  write(element("#uncounted"), isMissing ? texts.get("set.uncounted") : "");
  show();
}

/** Return a result in words. @param {string} result */
function wordsOf(result) {
  const n = Number(result.slice(1));
  return texts.get(
    `set.result.${result[0] === "n" ? "none" : n || result[0] !== "l" ? result[0] : "never"}`,
    { n },
  );
}

/** Show the stored results, and the code if the pupil has given a number. */
function show() {
  const { results, row } = stored();
  results.forEach((result, index) => {
    const item = element(`li[data-number="${index + 1}"]`);
    setMark(item, MARKS[result[0]]);
    write(find(".outcome", HTMLElement, item), wordsOf(result));
  });
  const code = row ? codeOf(id, { row, results: /** @type {Result[]} */ (results) }) : "";
  write(find(".result-code", HTMLOutputElement), code);
  button("copy-code").hidden = !code;
  const field = find("#row", HTMLInputElement);
  if (row && !field.value) field.value = String(row);
}

/** Read the codes of a class, and show them by row. @param {string} text */
function showClass(text) {
  const { rows, faults } = readCodes(text, id, problems.length);
  const count = rows.length || faults.length ? texts.get("set.read", { n: rows.length }) : "";
  write(element("#read-count"), count);
  const sentences = faults.map(({ line, fault }) =>
    texts.get(`set.fault.${fault}`, { text: line.slice(0, 80) }),
  );
  element(".faults").replaceChildren(...sentences.map((sentence) => create("li", {}, sentence)));
  element(".scrolled").hidden = !rows.length;
  find(".class-table tbody", HTMLTableSectionElement).replaceChildren(...rows.map(rowOf));
}

/** Return a pupil's row of the table. @param {ClassResult} result */
function rowOf({ row, results }) {
  const solved = results.filter((result) => "shd".includes(result[0])).length;
  return create(
    "tr",
    {},
    create("th", { scope: "row" }, String(row)),
    ...results.map(cellOf),
    create("td", {}, texts.number.format(solved)),
  );
}

/** Return a result as a mark and a number, with its meaning. @param {Result} result */
function cellOf(result) {
  const sign = icon(MARKS[result[0]]);
  sign.classList.add("mark");
  const words = wordsOf(result);
  return create(
    "td",
    { title: words },
    sign,
    create("span", { ariaHidden: "true" }, result.slice(1)),
    create("span", { className: "hush" }, words),
  );
}

/** Offer a text to be copied, and say how it went beside the key. @param {string} name of the key @param {() => string} text */
function offerCopy(name, text) {
  const key = button(name);
  const place = key.closest("form") ?? document;
  key.addEventListener("click", async () => {
    const outcome = await copyText(name === "copy-code" ? "result" : "set", text());
    const note = find(".copy-note", HTMLElement, place);
    write(note, texts.get(outcome === "refused.text" ? "set.refused" : outcome, { text: text() }));
  });
}

/** Remember the set as the one that Share adds to, in this tab, once the teacher's part is open. */
function followMaking() {
  const make = find("#make", HTMLDetailsElement);
  if (location.hash === "#make") make.open = true;
  const remember = () => make.open && saveSetInMaking(address.split("?")[1] ?? "");
  make.addEventListener("toggle", remember);
  remember();
}

followMaking();
if (problems.length) {
  find("#row", HTMLInputElement).addEventListener("input", ({ target }) => {
    const number = Number(/** @type {HTMLInputElement} */ (target).value);
    saveSet(id, { ...stored(), row: Number.isInteger(number) && number > 0 && number <= MOST ? number : 0 });
    show();
  });
  find("#codes", HTMLTextAreaElement).addEventListener("input", ({ target }) =>
    showClass(/** @type {HTMLTextAreaElement} */ (target).value),
  );
  offerCopy("copy-code", () => find(".result-code", HTMLOutputElement).value);
  offerCopy("copy-link", () => location.origin + address);
  show();
  void collect();
  onReturn("sets", show);
  addEventListener("pageshow", ({ persisted }) => persisted && void collect());
}
