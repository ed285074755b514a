/** The gallery page: adds the player's results and unfinished games to the list of puzzles. */
import "../ui/settings.js";
import { showMedals } from "../play/progress.js";
import { find } from "../ui/dom.js";
import { unfinished } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

showMedals();
find("#not-kept", HTMLElement).hidden = location.pathname === "/"; // otherwise shown by the service worker in place of another page
for (const item of document.querySelectorAll("li[data-puzzle]")) {
  const game = unfinished(item.getAttribute("data-puzzle") ?? "");
  if (!game) continue;
  const link = find(".go a", HTMLAnchorElement, item);
  link.href = game.url;
  link.textContent = texts.get("continue", { n: game.moves });
  find(".go", HTMLElement, item).hidden = false;
}
