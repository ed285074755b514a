/** The share dialog: the position on the board as link, picture, text, data, and as a board for other pages. */
import { cellsOf, rowsOf } from "../game/cells.js";
import { goal, puzzle } from "../game/position.js";
import { positionAt } from "../game/line.js";
import { SHOWN } from "../game/session.js";
import { copyPicture, copyText, showOutcome } from "../ui/clipboard.js";
import { element, find } from "../ui/dom.js";
import { setInMaking } from "../ui/storage.js";

/** Connect the share dialog with a session. @param {import("../game/session.js").Session} session */
export function offerSharing(session) {
  const here = () => positionAt(session.shown).position;
  const place = `/puzzles/${puzzle.id}`;
  const query = () => new URLSearchParams({ position: here(), goal });
  /** @type {Record<string, () => string>} */
  const copies = {
    link: () => location.href,
    text: () => diagram(cellsOf(here())),
    embed: () =>
      `<script type="module" src="${location.origin}/embed/hoppers-board.js"></script>\n` +
      `<hoppers-board puzzle="${puzzle.id}" position="${here()}" goal="${goal}"></hoppers-board>`,
  };
  /** @type {Record<string, () => string>} */
  const addresses = {
    svg: () => `${place}/board.svg?${query()}`,
    png: () => `${place}/board.png?${query()}&size=800`,
    json: () =>
      `/api/puzzles/${puzzle.id}/positions/${encodeURIComponent(here())}?${new URLSearchParams({ goal })}`,
  };
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-copy]"))) {
    const kind = button.dataset.copy ?? "link";
    button.addEventListener("click", () =>
      showOutcome(button, kind in copies ? copyText(kind, copies[kind]()) : copyPicture(addresses.png())),
    );
  }
  offerSending(element("#send"));
  const toSet = find("#add-to-set", HTMLAnchorElement);
  toSet.addEventListener("click", () => {
    const added = new URLSearchParams({ puzzle: puzzle.id, position: here(), goal });
    toSet.href = `/set?${[setInMaking(), added].filter(String).join("&")}#make`;
  });
  session.follow(SHOWN, () => {
    for (const [kind, address] of Object.entries(addresses)) {
      document
        .querySelectorAll(`[data-share="${kind}"]`)
        .forEach((link) => link.setAttribute("href", address()));
    }
  });
  element("#share").addEventListener(
    "toggle",
    () => (find("#embed", HTMLTextAreaElement).value = copies.embed()),
  );
}

/** Offer the share function of the device, if it has one. @param {HTMLElement} button */
function offerSending(button) {
  button.hidden = !navigator.share;
  button.addEventListener("click", () =>
    navigator.share({ title: document.title, url: location.href }).catch(() => {}),
  );
}

/** Return the cells as lines of text, each cell at its place on the board. @param {string} cells */
function diagram(cells) {
  const { points } = puzzle;
  const unit = Math.min(
    ...points.flatMap(([x], a) =>
      points
        .slice(a + 1)
        .map((other) => Math.abs(x - other[0]))
        .filter((gap) => gap > 1),
    ),
  );
  const left = Math.min(...points.map(([x]) => x));
  const column = (/** @type {number} */ hole) =>
    Math.round((points[hole][0] - left) / unit) * (unit < 90 ? 1 : 2);
  return rowsOf(puzzle.points)
    .map((row) => row.reduce((text, hole) => text.padEnd(column(hole)) + cells[hole], ""))
    .join("\n");
}
