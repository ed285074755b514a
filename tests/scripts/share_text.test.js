/** The text to share after a game, in every language. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { occurring, shareText, signLine } from "../../static/review/share_text.js";

/** @typedef {import("../../static/review/share_text.js").Story} Story */

const SERVER = new URL("../../server/hoppers/", import.meta.url);
const TRANSLATED = readdirSync(new URL("translations", SERVER));

/** Return the texts of the scripts in a language, by key; of plural forms the first. @param {string} language */
function wordsIn(language) {
  if (!TRANSLATED.includes(language))
    return JSON.parse(readFileSync(new URL(`web/catalogue/${language}.json`, SERVER), "utf8"));
  const messages = readFileSync(new URL(`translations/${language}/LC_MESSAGES/messages.po`, SERVER), "utf8");
  const entry = /msgctxt "(.+)"\n(?:msgid.*\n)+msgstr(?:\[0\])? (".+")/g;
  return Object.fromEntries([...messages.matchAll(entry)].map(([, key, text]) => [key, JSON.parse(text)]));
}

/** Return the function that reads the texts of a language. @param {string} language */
function catalogue(language) {
  const words = wordsIn(language);
  return (/** @type {string} */ key, /** @type {Record<string, string | number>} */ values = {}) => {
    const entry = words[key];
    assert.ok(entry, `${language} has no ${key}`);
    const rules = new Intl.PluralRules(language);
    const text = typeof entry === "string" ? entry : (entry[rules.select(Number(values.n))] ?? entry.other);
    return text.replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) =>
      String(values[name]),
    );
  };
}

const NO_HELP = { hints: 0, checks: 0, solution: false, verdict: false, told: false };
/** @type {Story} */
const SOLVED = {
  title: "Hoppers · Card 17 ·\n  level 2",
  isSolved: true,
  moves: 4,
  best: 4,
  left: "",
  signs: ["best", "best", "best", "best"],
  tries: 1,
  help: NO_HELP,
  link: "https://example.org/decks/hoppers/17",
};
/** @type {Story[]} */
const STORIES = [
  SOLVED,
  {
    ...SOLVED,
    moves: 5,
    signs: ["best", "costs", "lost", "best", "help"],
    tries: 3,
    help: { ...NO_HELP, hints: 1, checks: 2 },
  },
  { ...SOLVED, help: { ...NO_HELP, solution: true, verdict: true } },
  { ...SOLVED, isSolved: false, left: "3 pegs", signs: ["best", "lost", "late"] },
  { ...SOLVED, isSolved: false, left: "", signs: ["lost"] },
  { ...SOLVED, best: null, moves: 41, signs: ["open", "best"] },
  { ...SOLVED, tries: 2, help: { ...NO_HELP, told: true } },
  { ...SOLVED, tries: 2, help: { ...NO_HELP, reviewed: true } },
];

test("the text of a game in the fewest moves", () => {
  assert.equal(
    shareText(SOLVED, catalogue("en")),
    "Hoppers · Card 17 · level 2\n⭐ 4 moves, the fewest · 1 try\n🟢🟢🟢🟢\nhttps://example.org/decks/hoppers/17",
  );
});

test("tries, hints and checks are part of the story, and so is a loss", () => {
  const [, helped, seen, lost, stuck, open, told, reviewed] = STORIES.map((story) =>
    shareText(story, catalogue("en")).split("\n"),
  );
  assert.deepEqual(helped.slice(1, 3), ["✅ 5 moves, fewest 4 · 3 tries · 1 hint · 2 checks", "🟢⚪❌🟢💡"]);
  assert.equal(seen[1], "💡 4 moves, the fewest · 1 try · solution seen · saw whether it was solvable");
  assert.deepEqual(lost.slice(1, 3), ["❌ 3 pegs left · 1 try", "🟢❌⬛"]);
  assert.equal(stuck[1], "❌ no step left · 1 try");
  assert.equal(open[1], "✅ 41 moves · 1 try");
  assert.equal(told[1], "💡 4 moves, the fewest · 2 tries · saw where it was lost");
  assert.equal(reviewed[1], "💡 4 moves, the fewest · 2 tries · review seen");
});

test("at most four lines, the last the link, and no hole or move in it", () => {
  for (const language of ["en", ...TRANSLATED])
    for (const story of STORIES) {
      const rows = shareText(story, catalogue(language)).split("\n");
      assert.ok(rows.length <= 4 && rows.every(Boolean));
      assert.equal(rows.at(-1), SOLVED.link);
      assert.doesNotMatch(rows.slice(1, -1).join(), /\d[–-]\d|undefined|\{/);
    }
});

test("a text in Japanese", () => {
  assert.deepEqual(shareText(STORIES[1], catalogue("ja")).split("\n").slice(1, 2), [
    "✅ 5手（最短4手） · 3回目 · ヒント1回 · 確認2回",
  ]);
});

test("many signs are counted", () => {
  const signs = /** @type {import("../../static/review/grades.js").Sign[]} */ ([
    ...Array(30).fill("best"),
    "costs",
    "costs",
  ]);
  assert.equal(signLine(signs), "🟢×30 ⚪×2");
  assert.deepEqual(occurring(["help", "best", "help"]), ["best", "help"]);
});
