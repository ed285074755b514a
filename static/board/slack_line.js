/** The slack of a peg board in Study: numbers in the holes, what each jump uses up, and what is left, in a line under the board. */
import * as api from "../game/api.js";
import { puzzle } from "../game/position.js";
import { SHOWN } from "../game/session.js";
import { accountOf } from "../game/slack.js";
import { positionAt } from "../game/line.js";
import { create, element } from "../ui/dom.js";
import { change } from "../ui/settings.js";
import * as texts from "../ui/i18n.js";
import { settings } from "../ui/storage.js";

/** Show the slack of the line on the board while the setting is on. @param {import("../game/session.js").Session} session
 * @returns {() => void} what switches it on and off */
export function offerSlack(session) {
  if (!puzzle.multiStepMoves) return () => {};
  let start = "";
  const ask = async () => {
    const isOn =
      document.documentElement.dataset.depth === "study" && settings().slack && !session.state.edit;
    const asked = isOn ? session.shown.start.position : "";
    if (asked === start) return;
    start = asked;
    session.update({ slack: null });
    const slack = asked ? await session.tryRequest(api.slack(asked)) : null;
    if (slack && asked === start) session.update({ slack });
  };
  document.addEventListener("settings", ask);
  session.follow(SHOWN, ask);
  session.follow(["slack", "note", ...SHOWN], ({ slack, note }) =>
    showAccount(note?.groups ? null : slack, positionAt(session.shown).position),
  ); // a note with numbers of its own replaces it
  return () => change({ slack: !settings().slack });
}

/** Write what is left: a filled dot for each 1 of the slack, an empty one where it is used up.
 * @param {import("../game/slack.js").Slack | null} slack @param {string} position */
function showAccount(slack, position) {
  const line = element("#slack");
  if (!slack) return line.replaceChildren();
  const account = accountOf(slack, position, puzzle.alphabet[0]);
  const [all, left] = [slack.sum - slack.goal_sum, Math.max(0, account.n)];
  const dots = "●".repeat(left) + "○".repeat(Math.max(0, all - left));
  line.replaceChildren(
    create("span", { className: "purse", ariaHidden: "true" }, dots),
    ` ${texts.get(account.n < 0 ? "slack.none" : "slack.left", account)}`,
  );
}
