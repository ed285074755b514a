/** Who hears of a change of the game. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";
import { begin, played } from "../../static/game/line.js";
import { Session } from "../../static/game/session.js";

const newSession = () => new Session(begin({ position: "oo.oo", verdict: "live", moves_left: 2 }));

test("a listener hears of its own fields alone", () => {
  const session = newSession();
  /** @type {string[]} */
  const heard = [];
  session.subscribe(["note"], ({ note }, before) => heard.push(`${before.note?.key} ${note?.key}`));
  session.subscribe(["selected", "hint"], ({ selected }) => heard.push(`selected ${selected}`));
  session.update({ note: { key: "note.won", values: {} }, atOnce: true });
  session.update({ selected: 3 });
  session.update({ selected: 3, movable: true });
  assert.deepEqual(heard, ["undefined note.won", "selected 3"]);
});

test("fields that follow from others count as changed", () => {
  const session = newSession();
  /** @type {unknown[]} */
  const heard = [];
  session.subscribe(["medal"], ({ medal }) => heard.push(medal));
  const step = { position: "..o..", verdict: "solved", moves_left: 0, from: 0, to: 2, cost: 1 };
  session.update({ line: { ...session.state.line, steps: [/** @type {any} */ (step)], at: 1 } });
  assert.deepEqual(heard, ["solved"]);
});

test("a view is shown at the start, a listener is not called", () => {
  globalThis.fetch = () => new Promise(() => {});
  const session = newSession();
  /** @type {string[]} */
  const heard = [];
  session.follow(["line"], (state, before) => heard.push(`view ${state === before}`));
  session.subscribe(["line"], () => heard.push("listener"));
  session.start();
  assert.deepEqual(heard, ["view true"]);
});

test("Undo brings again what Restart has taken back, until the next move", () => {
  globalThis.fetch = () => new Promise(() => {});
  const session = newSession();
  const next = (/** @type {string} */ position) =>
    session.restore(
      played(session.state.line, { position, verdict: "live", moves_left: 1, from: 0, to: 2, cost: 1 }),
    );
  session.restart();
  session.undo();
  assert.equal(session.state.line.at, 0, "nothing was taken back");
  next("..ooo");
  next("..o..");
  session.restart();
  assert.equal(session.state.line.at, 0);
  session.undo();
  assert.equal(session.state.line.at, 2);
  session.restart();
  next(".oo..");
  session.undo();
  session.undo();
  assert.equal(session.state.line.at, 0, "the moves before are gone");
});
