/** Rows of signs of moves on a page. @typedef {import("./grades.js").Sign} Sign */
import { svg } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { occurring } from "./share_text.js";

/** Show a sign for each move, with their counts as the name of the row. @param {Element} row @param {readonly Sign[]} signs */
export function showSigns(row, signs) {
  row.replaceChildren(...signs.map(pip));
  const counted = occurring(signs).map((sign) =>
    texts.get("ended.sign", {
      n: signs.filter((other) => other === sign).length,
      sign: texts.get(`sign.${sign}`),
    }),
  );
  row.setAttribute("aria-label", texts.get("ended.signs", { list: counted.join(texts.get("comma")) }));
}

/** Return the picture of a sign. @param {Sign} sign */
export function pip(sign) {
  const picture = svg("svg", { "aria-hidden": "true" });
  picture.append(svg("use", { href: `#p-${sign}` }));
  return picture;
}
