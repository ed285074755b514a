/** What a board on a page of another site says when its server refuses, and when there is none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import * as server from "../../static/embed/server.js";
import { faults, Texts } from "../../static/embed/texts.js";

const { signal } = new AbortController();

/** Ask a server that answers so. @param {() => Response | Promise<Response>} answer */
async function ask(answer) {
  globalThis.fetch = async () => answer();
  return server.text("/x", {}, signal).then(
    (body) => body,
    (error) => error,
  );
}

test("the sentence of an error is that of the answer, JSON or picture", async () => {
  const json = await ask(() => Response.json({ error: { message: "no 'x'" } }, { status: 404 }));
  const svg = await ask(() => new Response("<svg><title>no goal</title></svg>", { status: 400 }));
  assert.deepEqual([json.status, json.message], [404, "no 'x'"]);
  assert.deepEqual([svg.status, svg.message], [400, "no goal"]);
});

test("an error of a proxy has no sentence, whatever the protocol", async () => {
  for (const body of ["", "<html><title>502 Bad Gateway</title></html>", '{"error": null}', "{}"]) {
    const error = await ask(() => new Response(body, { status: 502 }));
    assert.ok(error instanceof server.Refused);
    assert.deepEqual([error.status, error.message], [502, ""]);
  }
});

test("only a request that fails finds the server unreachable", async () => {
  const lost = () => Promise.reject(new TypeError("fetch failed"));
  assert.ok((await ask(lost)) instanceof server.Unreachable);
  assert.ok(faults.en.unreachable && faults.en.refused.includes("{status}"));
  const broken = new Response(new ReadableStream({ start: (pipe) => pipe.error(new TypeError("cut off")) }));
  assert.ok((await ask(() => broken)) instanceof server.Unreachable);
  const aborted = new DOMException("aborted", "AbortError");
  assert.equal(await ask(() => Promise.reject(aborted)), aborted);
  await assert.rejects(
    ask(() => new Response("no JSON")).then((body) => JSON.parse(String(body))),
    SyntaxError,
  );
});

test("a missing text is reported, and its key stands in its place", (context) => {
  const report = context.mock.method(console, "error", () => {});
  const texts = new Texts("en", { "embed.move": { one: "{n} move", other: "{n} moves" } });
  assert.equal(texts.get("embed.move", { n: 2 }), "2 moves");
  assert.equal(report.mock.callCount(), 0);
  assert.equal(texts.get("embed.nothing"), "embed.nothing");
  assert.match(String(report.mock.calls[0].arguments[0]), /embed\.nothing/);
});
