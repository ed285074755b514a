/** How many games from own and random positions were solved; no list has them. */
import { find, write } from "../ui/dom.js";
import { puzzle } from "../game/position.js";
import { tally } from "../ui/storage.js";
import * as texts from "../ui/i18n.js";

/** Show the tally in the dialog of new games. */
export function showTally() {
  const { solved = 0, assisted = 0, optimal = 0 } = tally(puzzle.id);
  const note = find("[data-tally]", HTMLElement);
  note.hidden = !(solved + assisted + optimal);
  const values = { solved: solved + assisted + optimal, best: assisted + optimal, optimal };
  write(note, texts.get("tally.solved", values));
}
