/** The page's one connection to the server, under a secret of its own: by it the server knows whose search is whose
 * when the connection was lost and is back. */

/** @type {import("socket.io-client").Socket | undefined} */
let connection;

/** The connection, opened when it is first needed. Who leaves the page says so, and its searches end. */
export function connected() {
  const { io } = /** @type {{ io: typeof import("socket.io-client").io }} */ (/** @type {unknown} */ (globalThis));
  if (!connection) {
    const socket = (connection = io({ auth: { player: secret() } }));
    addEventListener("pagehide", ({ persisted }) => persisted || socket.disconnect());
  }
  return connection;
}

/** 128 random bits; `crypto.randomUUID` would need a secure context. */
function secret() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
