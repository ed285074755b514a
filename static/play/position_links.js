/** Links that lead to pages about the position on the board follow it. */
import { element } from "../ui/dom.js";
import { leaveGame } from "../ui/storage.js";

const main = element("main");

function follow() {
  leaveGame(location.pathname + location.search);
  for (const link of document.querySelectorAll("a[data-here]")) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    const here = { position: main.dataset.position ?? "", goal: main.dataset.goal ?? "" };
    link.search = `?${new URLSearchParams({ ...here, ...(link.dataset.here === "print" && cameBy(here.position)) })}`;
  }
}

/** How the position came, so that the way back leads to the game. @param {string} position */
function cameBy(position) {
  const asked = Object.fromEntries(new URLSearchParams(location.search));
  return asked.position === position ? asked : {};
}

new MutationObserver(follow).observe(main, { attributeFilter: ["data-position"] });
