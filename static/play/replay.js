/** A link that opens a position reached by play offers to replay how it came, and to start from it. */
import { begin, movedTo, positionAt } from "../game/line.js";
import { button } from "../ui/dom.js";

/** @param {import("../game/session.js").Session} session @param {boolean} came whether the page was opened with a line */
export function offerReplay(session, came) {
  const opened = session.state.line;
  const keys = [button("replay"), button("start-here")];
  session.subscribe(({ line, show, edit }) => {
    const same = line.at === opened.at && positionAt(line).position === positionAt(opened).position;
    for (const key of keys) key.hidden = !came || !same || show !== null || edit !== null;
    if (positionAt(line).verdict === "solved") keys[1].hidden = true;
  });
  keys[0].addEventListener("click", () => replay(session));
  keys[1].addEventListener("click", () => session.restore(begin(positionAt(session.state.line))));
}

/** @param {import("../game/session.js").Session} session */
function replay(session) {
  const { line } = session.state;
  const played = { ...line, steps: line.steps.slice(0, line.at) };
  session.setShow({ line: movedTo(played, 0), base: 0, origin: "own", playing: true, speed: 1, proved: false });
}
