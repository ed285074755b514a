/** Functions for elements that the server rendered. */

const SVG = "http://www.w3.org/2000/svg";

/** Return the element for a selector; throw if it is missing or not of this kind.
 * @template {Element} T @param {string} selector @param {new () => T} kind @param {ParentNode} [within] @returns {T} */
export function find(selector, kind, within = document) {
  const element = within.querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`the page has no ${selector}`);
  return element;
}

/** Return the HTML element for a selector. @param {string} selector */
export const element = (selector) => find(selector, HTMLElement);

/** Return the button with an id. @param {string} id */
export const button = (id) => find(`#${id}`, HTMLButtonElement);

/** @type {any} */
let data;

/** Return the data of the page, with those of the game where the page has chosen one of several. @returns {any} */
export const pageData = () => (data ??= { ...dataIn("#data"), ...dataIn("#game") });

/** @param {string} selector @returns {any} */
function dataIn(selector) {
  const block = document.querySelector(selector);
  return block instanceof HTMLScriptElement ? JSON.parse(block.text) : {};
}

/** Milliseconds after a script has moved the focus in which a key presses nothing: it was meant for what had the focus before. */
const SETTLED = 600;
let settledAt = 0;

/** Move the focus, for a reason other than a press on the element. @param {HTMLElement} target */
export function moveFocus(target) {
  if (!settledAt)
    document.addEventListener(
      "click",
      (event) => {
        if (!event.isTrusted || !isByKey(event) || performance.now() > settledAt) return;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    );
  settledAt = performance.now() + SETTLED;
  target.focus({ preventScroll: true });
}

/** Return whether a key has caused an event; the click of a button then has no count. @param {Event} event */
export const isByKey = (event) => !(event instanceof MouseEvent) || event.detail === 0;

/** Enable the buttons that the server renders disabled until the scripts have loaded. */
export function enableButtons() {
  for (const control of document.querySelectorAll("[data-waits]")) control.toggleAttribute("disabled", false);
}

/** Create an HTML element. @template {keyof HTMLElementTagNameMap} Name @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} [properties] @param {...(Node | string)} content
 * @returns {HTMLElementTagNameMap[Name]} */
export function create(name, properties = {}, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

/** Create an SVG element. @template {keyof SVGElementTagNameMap} Name @param {Name} name
 * @param {Record<string, string | number>} attributes @returns {SVGElementTagNameMap[Name]} */
export function svg(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** Create an icon from the sprite of the page. @param {string} name */
export function icon(name) {
  const picture = svg("svg", { "aria-hidden": "true" });
  picture.append(svg("use", { href: `#s-${name}` }));
  return picture;
}

/** Set the text of an element, but only if it differs. Otherwise a live region would be read out twice.
 * @param {Element} target @param {string} text */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** Offer a text as a file to save. @param {string} name @param {string} type media type @param {string} text */
export function saveFile(name, type, text) {
  const link = create("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Return a function that calls `draw` at most once per animation frame. @param {() => void} draw */
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

/** Selector of the groups of buttons in which the focus stays. */
const BUTTON_ROWS = ".run-keys, .run-on, .controls, .player-keys, .ways, .race-keys, .tool-bar";

/** When the focused button becomes disabled, focus the nearest enabled button of its row. Without this the focus would
 * restart at the top of the page. */
export function keepFocusInRow() {
  new MutationObserver((changes) => {
    const focused = changes.map(({ target }) => target).find((target) => target === document.activeElement);
    if (!(focused instanceof HTMLButtonElement) || !focused.disabled) return;
    const row = [
      .../** @type {NodeListOf<HTMLButtonElement>} */ (
        focused.closest(BUTTON_ROWS)?.querySelectorAll("button") ?? []
      ),
    ];
    const distance = (/** @type {HTMLButtonElement} */ other) =>
      Math.abs(row.indexOf(other) - row.indexOf(focused));
    const [next] = row
      .filter((other) => !other.disabled && other.checkVisibility())
      .sort((a, b) => distance(a) - distance(b));
    next?.focus({ preventScroll: true });
  }).observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
}

/** Show one of the four marks of results. @param {Element} within element with the mark @param {string} mark */
export const setMark = (within, mark) =>
  find(".mark use", SVGUseElement, within).setAttribute("href", `#s-${mark}`);
