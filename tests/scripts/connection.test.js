/** The connection of the page, with a Socket.IO that does not connect. */
import assert from "node:assert/strict";
import { test } from "node:test";

import "./page.js";

const attempts = {
  opts: {},
  milliseconds: 0,
  timeout: (/** @type {number} */ limit) => void (attempts.milliseconds = limit),
};
/** @type {(error: Error) => void} */
let fail = () => {};
const io = (/** @type {{ timeout: number }} */ options) => {
  Object.assign(attempts, { opts: options, milliseconds: options.timeout });
  return {
    io: attempts,
    connect() {},
    on: (/** @type {string} */ _, /** @type {typeof fail} */ act) => (fail = act),
  };
};
Object.assign(globalThis, { io, addEventListener() {} });
const { connected } = await import("../../static/search/connection.js");

test("a WebSocket that neither opens nor fails is given up for long polling", () => {
  connected();
  fail(new Error("websocket error"));
  assert.deepEqual(
    { ...attempts.opts, auth: null },
    {
      auth: null,
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      timeout: 5_000,
    },
  );
  fail(new Error("timeout"));
  assert.deepEqual(Object(attempts.opts).transports, ["polling", "websocket"]);
  assert.equal(attempts.milliseconds, 20_000);
});
