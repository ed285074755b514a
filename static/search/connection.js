/** The page's one connection to the server, under a secret of its own: by it the server knows whose search is whose
 * when the connection was lost and is back. */

import { element, write } from "../ui/dom.js";

/** @type {import("socket.io-client").Socket | undefined} */
let connection;

/** The connection, opened when it is first needed. Who leaves the page says so, and its searches end. */
export function connected() {
  const { io } = /** @type {{ io: typeof import("socket.io-client").io }} */ (/** @type {unknown} */ (globalThis));
  if (!connection) {
    const socket = (connection = io({ auth: { player: secret() }, transports: ["websocket"] }));
    addEventListener("pagehide", ({ persisted }) => persisted || socket.disconnect());
  }
  return connection;
}

/** Says that the connection is lost, and how often it has been tried to get it back. That is
 * read out once, not at every count. */
export class Banner {
  /** @param {import("../ui/i18n.js").Words} words @param {string} key of the catalogue */
  constructor(words, key) {
    this.root = element(".banner");
    this.words = words;
    this.key = key;
    this.count = document.createElement("span");
    this.count.ariaHidden = "true";
  }

  /** @param {boolean} lost */
  show(lost) {
    if (lost && !this.root.firstChild) this.#fill();
    const isNew = lost && this.root.hidden;
    this.root.hidden = !lost;
    if (!isNew) return;
    write(this.count, "");
    this.root.scrollIntoView({ block: "nearest" });
  }

  #fill() {
    const pieces = this.words.parts(this.key, { count: "" });
    this.root.replaceChildren(...pieces.map(({ text, value }) => (value ? this.count : text)));
    connected().io.on("reconnect_attempt", (n) => write(this.count, this.words.say("lost.count", { n })));
  }
}

/** Say where it is seen what holds as long as the browser is offline; then what was said before stands again.
 * @param {HTMLElement} target @param {string} text */
export function sayOffline(target, text) {
  const before = target.textContent ?? "";
  if (before !== text) addEventListener("online", () => target.textContent === text && write(target, before), { once: true });
  write(target, text);
  target.scrollIntoView({ block: "nearest" });
}

/** 128 random bits; `crypto.randomUUID` would need a secure context. */
function secret() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
