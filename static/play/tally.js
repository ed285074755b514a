/** The number of games from own and random positions that were solved; no list has them. */
import { puzzle } from "../game/position.js";
import { find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import * as store from "../ui/storage.js";

/** Show it in the dialog of new games. */
export function showTally() {
  const { solved = 0, assisted = 0, optimal = 0 } = store.tally(puzzle.id);
  const note = find("[data-tally]", HTMLElement);
  note.hidden = !(solved + assisted + optimal);
  const values = { solved: solved + assisted + optimal, best: assisted + optimal, optimal };
  write(note, texts.get("tally.solved", values));
}
