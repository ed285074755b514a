/** Links between the game page and the pages about the position on its board. */
import { element } from "./dom.js";
import { saveGameAddress, savedGameAddress } from "./storage.js";

/** On the game page, update the links to pages about the position on the board whenever it changes. */
export function linkToPosition() {
  const main = element("main");
  const update = () => {
    saveGameAddress(location.pathname + location.search);
    for (const link of document.querySelectorAll("a[data-here]")) {
      if (!(link instanceof HTMLAnchorElement)) continue;
      const position = main.dataset.position ?? "";
      const here = { position, goal: main.dataset.goal ?? "" };
      link.search = `?${new URLSearchParams({ ...here, ...(link.dataset.here === "print" && lineQuery(position)) })}`;
    }
  };
  new MutationObserver(update).observe(main, { attributeFilter: ["data-position"] });
}

/** Return the query of the address if it leads to `position`, otherwise {}. The print page links back to the game with it.
 * @param {string} position */
function lineQuery(position) {
  const query = Object.fromEntries(new URLSearchParams(location.search));
  return query.position === position ? query : {};
}

/** On a page about a position, let the link back lead to the game that opened the page, with all moves of that game. */
export function linkBackToGame() {
  const address = savedGameAddress();
  const game = URL.canParse(address, location.href)
    ? new URL(address, location.href)
    : new URL(location.href);
  for (const link of document.querySelectorAll('.top a[href*="position="]')) {
    if (
      !(link instanceof HTMLAnchorElement) ||
      link.pathname !== game.pathname ||
      link.origin !== game.origin
    )
      continue;
    const query = new URLSearchParams(link.search);
    if (["position", "goal"].every((name) => query.get(name) === game.searchParams.get(name)))
      link.href = game.href;
  }
}
