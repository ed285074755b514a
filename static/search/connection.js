/** The Socket.IO connection of the page. It carries a random secret, by which the server recognises the player's searches
 * after a reconnect. */

import { create, element, find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

const WEBSOCKET_MS = 5_000;
const POLLING_MS = 20_000;

/** @type {import("socket.io-client").Socket | undefined} */
let connection;

/** @type {Promise<unknown> | undefined} */
let loading;

/** Load the Socket.IO client if the page has not yet loaded it: a game is played without, and it weighs a quarter of the scripts.
 * Rejects if it cannot be loaded; the next call tries again. @param {string} address */
export function loadClient(address) {
  if ("io" in globalThis) return Promise.resolve();
  return (loading ??= new Promise((resolve, reject) =>
    document.head.append(create("script", { src: address, onload: resolve, onerror: reject })),
  ).finally(() => (loading = undefined)));
}

/** Return the connection, opened at the first call and after a rest: a WebSocket, or long polling where a proxy forbids WebSockets or one
 * does not open within `WEBSOCKET_MS`. It is closed when the player leaves the page, which ends the searches. */
export function connected() {
  const { io } = /** @type {{ io: typeof import("socket.io-client").io }} */ (
    /** @type {unknown} */ (globalThis)
  );
  if (!connection) {
    const transports = ["websocket", "polling"];
    const options = { transports, tryAllTransports: true, timeout: WEBSOCKET_MS };
    const socket = (connection = io({ auth: { player: secret() }, ...options }));
    socket.on("connect_error", ({ message }) => message === "timeout" && pollFirst(socket.io));
    addEventListener("pagehide", ({ persisted }) => persisted || close(socket));
  }
  connection.connect(); // unless it is open
  return connection;
}

/** Close the connection until the next call of `connected`: Firefox keeps no page with an open one, and the player who comes
 * back would find it without its rows. */
export const rest = () => connection?.disconnect();

/** Poll from the next attempt on, and try a WebSocket meanwhile: behind some proxies none opens, and none fails.
 * @param {import("socket.io-client").Manager} manager */
function pollFirst(manager) {
  manager.opts.transports = ["polling", "websocket"];
  manager.timeout(POLLING_MS);
}

/** Close the connection of a page that goes away. Its requests end with it, except a beacon: over long polling this holds
 * the packet of Engine.IO that closes a session. @param {import("socket.io-client").Socket} socket */
function close(socket) {
  const { id, transport } = socket.io.engine ?? {};
  if (transport?.name !== "polling" || !id) return socket.disconnect();
  navigator.sendBeacon(
    `/socket.io/?${new URLSearchParams({ EIO: "4", transport: "polling", sid: id })}`,
    "1",
  );
}

/** Show or hide the banner for a lost connection, with the number of reconnect attempts. It is read out once, not for
 * every attempt.
 * @param {string} key of the catalogue @param {boolean} lost */
export function showBanner(key, lost) {
  const banner = element(".banner");
  if (lost && !banner.firstChild) fillBanner(banner, key);
  const isNew = lost && banner.hidden;
  banner.hidden = !lost;
  if (!isNew) return;
  write(find("span", HTMLElement, banner), "");
  banner.scrollIntoView({ block: "nearest" });
}

/** @param {HTMLElement} banner @param {string} key */
function fillBanner(banner, key) {
  const count = create("span", { ariaHidden: "true" });
  banner.replaceChildren(...texts.parts(key, { count: "" }).map(({ text, value }) => (value ? count : text)));
  connected().io.on("reconnect_attempt", (n) => write(count, texts.get("lost.count", { n })));
}

/** Show a text while the browser is offline, then restore the previous text.
 * @param {HTMLElement} target @param {string} text */
export function showUntilOnline(target, text) {
  const before = target.textContent ?? "";
  if (before !== text)
    addEventListener("online", () => target.textContent === text && write(target, before), { once: true });
  write(target, text);
  target.scrollIntoView({ block: "nearest" });
}

/** Return 128 random bits as hexadecimal text; `crypto.randomUUID` would need a secure context. */
function secret() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
