/** Finding what the server rendered. */
/** @template {Element} T @param {string} selector @param {new () => T} kind @param {ParentNode} [within] @returns {T} */
export function find(selector, kind, within = document) {
  const element = within.querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`the page has no ${selector}`);
  return element;
}

/** @param {string} selector */
export const element = (selector) => find(selector, HTMLElement);

/** @param {string} id */
export const button = (id) => find(`#${id}`, HTMLButtonElement);

/** The data block of the page. @returns {any} */
export const pageData = () => JSON.parse(find("#data", HTMLScriptElement).text);

/** The server draws the keys of a page disabled, so that nobody presses in vain: now all they need is there. */
export function enableButtons() {
  for (const key of document.querySelectorAll("[data-waits]")) key.toggleAttribute("disabled", false);
}

/** A sign of the sprite. @param {string} name */
export function icon(name) {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  use.setAttribute("href", `#s-${name}`);
  picture.append(use);
  return picture;
}

/** Replace what an element shows, but only if it differs: a status must not be read out twice.
 * @param {Element} target @param {string} text */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** The same drawing, however often it is asked for, at most once a frame. @param {() => void} draw */
export function oncePerFrame(draw) {
  let isScheduled = false;
  return () => {
    if (isScheduled) return;
    isScheduled = true;
    requestAnimationFrame(() => {
      isScheduled = false;
      draw();
    });
  };
}

const BUTTON_ROWS = ".run-keys, .run-on, .controls, .deck, .ways, .race-keys, .inside-bar";

/** When the focused button becomes disabled, focus the nearest enabled button of its row. Without this the focus would
 * restart at the top of the page. */
export function keepFocusInRow() {
  new MutationObserver((changes) => {
    const key = changes.map(({ target }) => target).find((target) => target === document.activeElement);
    if (!(key instanceof HTMLButtonElement) || !key.disabled) return;
    const keys = [.../** @type {NodeListOf<HTMLButtonElement>} */ (key.closest(BUTTON_ROWS)?.querySelectorAll("button") ?? [])];
    const distance = (/** @type {HTMLButtonElement} */ other) => Math.abs(keys.indexOf(other) - keys.indexOf(key));
    const [next] = keys.filter((other) => !other.disabled && other.checkVisibility()).sort((a, b) => distance(a) - distance(b));
    next?.focus({ preventScroll: true });
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}
