/** Answers of the server: kept as long as the page lives if the server lets caches keep them, and otherwise asked for again. */
import "./page.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import * as api from "../../static/game/api.js";

/** @type {string[]} */
let asked = [];
/** Answer every request. @param {object} answer @param {string} cacheControl */
function answerWith(answer, cacheControl) {
  globalThis.fetch = async (path) => {
    asked.push(String(path));
    return Response.json(answer, { headers: { "Cache-Control": cacheControl } });
  };
}

beforeEach(() => (asked = []));

const KEPT = "public, max-age=3600";
/** Name -> [request, Cache-Control, requests that two questions send] @type {Record<string, [() => Promise<any>, string, number]>} */
const CASES = {
  "a number that is not known": [() => api.number("oo.oo", "1"), "no-store", 2],
  "a number": [() => api.number("oo.oo", "2"), KEPT, 1],
  "an undecided verdict": [() => api.analysis("o...o"), "no-store", 2],
  "a decided verdict": [() => api.analysis("oo..."), KEPT, 1],
  "a verdict of a proxy that forbids to keep it": [() => api.hint("oo..."), "private, no-store", 2],
  "a verdict without a header": [() => api.solution("oo..."), "", 2],
};

for (const [name, [ask, cacheControl, requests]] of Object.entries(CASES)) {
  test(name, async () => {
    answerWith({ verdict: "live", moves_left: null, number: null }, cacheControl);
    await ask();
    await ask();
    assert.equal(asked.length, requests);
  });
}

test("a question that is under way is asked once", async () => {
  answerWith({ number: null }, "no-store");
  await Promise.all([api.number("o.ooo", "3"), api.number("o.ooo", "3")]);
  assert.equal(asked.length, 1);
});

test("every request names the language of the page", async () => {
  answerWith({}, "no-store");
  await Promise.all([api.number("oo.oo", "4"), api.hint("oo.oo"), api.line("oo.oo", [])]);
  assert.deepEqual(
    asked.map((path) => new URLSearchParams(path.split("?")[1]).get("lang")),
    ["en", "en", "en"],
  );
});
