/**
 * Line breaks between the phrases of Japanese, in browsers that do not find phrases themselves (`word-break: auto-phrase`).
 * The style says which texts break there only, by `var(--phrase)`; this module marks the places by `wbr` elements.
 */
import { create } from "./dom.js";

/** A word that begins a phrase, if the word before may end one: anything but hiragana and closing marks. */
const BEGINS = /^[^\p{Script=Hiragana}ー々、。，．！？：；・…）」』】〉》\s]/u;
/** The end of a phrase: a particle or ending in hiragana, or a mark. */
const ENDS = /[\p{Script=Hiragana}、。，．！？：；）」』】〉》]$/u;
/** What the next word belongs to: お and ご, and the stem of a verb as in 取り除く. */
const GOES_ON = /^[おご]$|\p{Script=Han}[きぎしじちびみりけげせめれえべ]$/u;

/** Return the phrases of a text. @param {string} text */
export function phrasesOf(text) {
  /** @type {string[]} */
  const phrases = [];
  for (const { segment } of new Intl.Segmenter("ja", { granularity: "word" }).segment(text)) {
    const before = phrases.at(-1) ?? "";
    if (ENDS.test(before) && !GOES_ON.test(before) && BEGINS.test(segment)) phrases.push(segment);
    else phrases.splice(-1, 1, before + segment);
  }
  return phrases;
}

/** Mark the phrases of the page, now and whenever a text changes. */
export function markPhrases() {
  if (CSS.supports("word-break", "auto-phrase") || !("Segmenter" in Intl)) return;
  document.documentElement.dataset.phrases = "";
  markWithin(document.body);
  new MutationObserver((changes) => {
    for (const { target, addedNodes, type } of changes)
      if (type === "characterData") markText(target);
      else addedNodes.forEach(markWithin);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** @param {Node} node */
function markWithin(node) {
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let text = node.nodeType === Node.TEXT_NODE ? node : walker.nextNode(); text; text = walker.nextNode())
    found.push(text);
  found.forEach(markText);
}

/** @param {Node} node */
function markText(node) {
  const parent = node.parentElement;
  if (!(node instanceof Text) || !parent || getComputedStyle(parent).wordBreak !== "keep-all") return;
  const [first, ...others] = phrasesOf(node.data);
  if (!others.length) return;
  node.data = first;
  node.after(...others.flatMap((phrase) => [create("wbr"), phrase]));
}
