/** The keys that ask about a board, on every page that has one. The answers are sentences. */
import { nextMovable } from "../game/board_view.js";
import { inNotation, puzzle } from "../game/position.js";
import { boardSentence, targetsText } from "../speech/sentences.js";
import * as texts from "../ui/i18n.js";

/**
 * @typedef {object} Asked what answers the questions
 * @property {() => string} position position on the board
 * @property {() => Promise<readonly { from: number, to: number }[] | undefined>} steps its legal steps; undefined if they are not known
 * @property {(text: string) => void} answer says an answer
 * @property {(key: string, values: import("../ui/i18n.js").Values) => void} note says a text, and may show it
 */

/** Return the actions of the keys, by name. @param {import("../board/board.js").Board} board @param {Asked} asked */
export function questionsAbout({ spots }, { position, steps, answer, note }) {
  const inFocus = () => spots.find((spot) => spot === document.activeElement);
  return {
    board: () => answer(boardSentence(puzzle, texts, position())),

    /** Say what is in the focused hole, and where its piece can go. */
    hole: async () => {
      const spot = inFocus() ?? spots.find(({ tabIndex }) => tabIndex === 0);
      const targets = (await steps())?.filter(({ from }) => from === Number(spot?.dataset.hole)) ?? [];
      const label = spot?.getAttribute("aria-label") ?? "";
      note("note.read", { text: [label, targetsText(texts, targets)].filter(Boolean).join(": ") });
    },

    moves: async () => {
      const list = (await steps())?.flatMap(({ from, to }) => inNotation(position(), [[from, to]]));
      if (!list) return;
      const joined = list.join(texts.get("comma")).replaceAll("–", "–\u2060");
      note("note.steps", { n: list.length, list: joined });
    },

    /** Move the focus to the next hole whose piece can move; from the last one to the first. */
    "next-peg": async () => {
      const found = await steps();
      const next = nextMovable(
        found?.map(({ from }) => from),
        spots.findIndex((spot) => spot === inFocus()),
      );
      if (next !== undefined) spots[next].focus({ preventScroll: true });
      else if (found) answer(texts.get("say.noneMovable"));
    },
  };
}
