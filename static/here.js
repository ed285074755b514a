/** Links that lead to pages about the position on the board follow it. */
import { element } from "./page.js";

const main = element("main");

function follow() {
  for (const link of document.querySelectorAll("a[data-here]")) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    link.search = `?${new URLSearchParams({ position: main.dataset.position ?? "", goal: main.dataset.goal ?? "" })}`;
  }
}

new MutationObserver(follow).observe(main, { attributeFilter: ["data-position"] });
