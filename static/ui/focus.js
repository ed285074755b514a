/** Whoever has pressed a key that now does nothing goes on at the one beside it, and does not begin again at the top of the page. */
const ROWS = ".run-keys, .run-on, .controls, .deck, .ways, .race-keys, .inside-bar";

new MutationObserver((changes) => {
  const key = changes.map(({ target }) => target).find((target) => target === document.activeElement);
  if (!(key instanceof HTMLButtonElement) || !key.disabled) return;
  const keys = [.../** @type {NodeListOf<HTMLButtonElement>} */ (key.closest(ROWS)?.querySelectorAll("button") ?? [])];
  const far = (/** @type {HTMLButtonElement} */ other) => Math.abs(keys.indexOf(other) - keys.indexOf(key));
  const [next] = keys.filter((other) => !other.disabled && other.checkVisibility()).sort((a, b) => far(a) - far(b));
  next?.focus({ preventScroll: true });
}).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
