/** The way back from a page about a position leads to the game it was reached from, with all its moves. */
import { leftGame } from "./storage.js";

const game = URL.canParse(leftGame(), location.href) ? new URL(leftGame(), location.href) : new URL(location.href);

for (const link of document.querySelectorAll('.top a[href*="position="]')) {
  if (!(link instanceof HTMLAnchorElement) || link.pathname !== game.pathname || link.origin !== game.origin) continue;
  const asked = new URLSearchParams(link.search);
  if (["position", "goal"].every((part) => asked.get(part) === game.searchParams.get(part))) link.href = game.href;
}
