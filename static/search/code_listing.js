/** The pseudo-code of a search, with a mark on the line in which the search is. */
import { create, element } from "../ui/dom.js";
import { lineOf } from "./pseudo_code.js";

/** @typedef {import("./pseudo_code.js").CodeLine} CodeLine */

/** Write pseudo-code into the page; return a function that marks the line of an event.
 * @param {CodeLine[]} code @returns {(event: { kind: string, depth: number }) => void} */
export function listCode(code) {
  const rows = code.map(([text]) => create("li", {}, create("code", {}, text || " ")));
  element(".code").replaceChildren(...rows);
  return (event) => {
    const line = lineOf(code, event);
    rows.forEach((row, index) => {
      if (index === line) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    });
  };
}
