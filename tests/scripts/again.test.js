/** The deck of failed cards and lost places, and the kinds of solutions found. */
import assert from "node:assert/strict";
import { test } from "node:test";

import * as again from "../../static/review/again.js";
import { withKind } from "../../static/review/kinds.js";

const CARD = { card: "hoppers/17", puzzle: "hoppers", position: "oo.oo", goal: "any" };
const PLACE = { card: "", puzzle: "row", position: "o.o", goal: "1" };
const TODAY = "2026-02-27";

test("an entry comes back after 1, 3 and 7 days, and leaves after the third time", () => {
  let [deck, day] = [again.failed([], CARD, TODAY), TODAY];
  for (const days of again.DAYS) {
    assert.deepEqual(again.due(deck, day), [], "not on the same day");
    day = again.daysAfter(day, days);
    assert.deepEqual(
      again.due(deck, day).map(({ card }) => card),
      ["hoppers/17"],
    );
    deck = again.passed(deck, CARD, day);
  }
  assert.deepEqual(deck, []);
});

test("what fails again begins again", () => {
  const once = again.passed(again.failed([], CARD, TODAY), CARD, "2026-02-28");
  assert.deepEqual(
    once.map(({ due, passed }) => [due, passed]),
    [["2026-03-03", 1]],
  );
  const renewed = again.failed(once, CARD, "2026-03-03");
  assert.deepEqual(
    renewed.map(({ due, passed }) => [due, passed]),
    [["2026-03-04", 0]],
  );
});

test("playing before the day changes nothing, nor does what is not in the deck", () => {
  const deck = again.failed([], PLACE, TODAY);
  assert.deepEqual(again.passed(deck, PLACE, TODAY), deck);
  assert.deepEqual(again.passed(deck, CARD, "2026-03-30"), deck);
  assert.deepEqual(again.passed(deck, { ...PLACE, goal: "any" }, "2026-03-30"), deck);
});

test("the longest due comes first, and a card counts once, whatever its position", () => {
  const deck = again.failed(again.failed([], CARD, "2026-03-05"), PLACE, TODAY);
  assert.deepEqual(
    again.due(deck, "2026-04-01").map(({ card }) => card),
    ["", "hoppers/17"],
  );
  assert.equal(again.failed(deck, { ...CARD, position: "ooooo" }, TODAY).length, 2);
});

test("the deck keeps the newest entries", () => {
  const places = Array.from({ length: again.MAX_ENTRIES + 5 }, (_, number) => ({
    ...PLACE,
    position: `p${number}`,
  }));
  const deck = places.reduce(
    (all, place) => again.failed(all, place, TODAY),
    /** @type {again.Entry[]} */ ([]),
  );
  assert.deepEqual([deck.length, deck[0].position], [again.MAX_ENTRIES, "p5"]);
});

test("days follow the calendar", () => {
  assert.deepEqual(
    ["2026-02-28", "2028-02-28", "2026-12-31", "2026-03-28"].map((day) => again.daysAfter(day, 1)),
    ["2026-03-01", "2028-02-29", "2027-01-01", "2026-03-29"],
  );
});

test("each kind counts once, and another count of kinds starts over", () => {
  const found = withKind(withKind(null, 5, 9), 2, 9);
  assert.deepEqual(found, { of: 9, kinds: [2, 5] });
  assert.deepEqual(withKind(found, 5, 9), found);
  assert.deepEqual(withKind(found, 1, 4), { of: 4, kinds: [1] });
});
