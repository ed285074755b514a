/**
 * What a page says to a screen reader: whole sentences in live regions, which are seen nowhere. A sentence that is said again is
 * heard again, because its node is replaced.
 *
 * @typedef {{ replaceChildren: (node: any) => void }} Region
 */
import { create, element } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Milliseconds in which sentences are joined: of two changes of a region within moments, a reader speaks only the second. */
const JOINED = 100;
/** Milliseconds between two sentences of a long run, such as those of a search. */
const PACE = 5000;

/** Return the voice of a live region of the page. @param {string} selector */
export const voiceOf = (selector) => new Voice(element(selector), (text) => create("span", {}, text));

/** A live region. */
export class Voice {
  /** Sentences to be said together. @type {string[]} */
  #due = [];
  /** The last of the sentences that wait for their turn. */
  #waiting = "";
  #saidAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  /** What was said last. */
  last = "";
  /** Called with each sentence that is said. @type {(text: string) => void} */
  heard = () => {};

  /** @param {Region} region @param {(text: string) => any} toNode makes the node of a text */
  constructor(region, toNode) {
    this.region = region;
    this.toNode = toNode;
  }

  /** Say a sentence, together with those of the same moment. @param {string} text */
  say(text) {
    if (!text) return;
    this.#waiting = "";
    if (!this.#due.length) setTimeout(() => this.#speak(), JOINED);
    this.#due.push(text);
  }

  /** Say a sentence of a long run of them: at most one in five seconds, and always the newest. @param {string} text */
  mention(text) {
    this.#waiting = text;
    const wait = this.#saidAt + PACE - performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#waiting && !this.#due.length && this.say(this.#waiting),
      Math.max(0, wait),
    );
  }

  #speak() {
    this.last = this.#due.join(texts.get("sentence.gap"));
    this.#due = [];
    this.#saidAt = performance.now();
    this.region.replaceChildren(this.toNode(this.last));
    this.heard(this.last);
  }
}
