/**
 * Names of pressed keys on keyboards of every script. This module does not use the page.
 *
 * @typedef {Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "shiftKey">} KeyPress
 */

/** Return a function that returns the names of a pressed key, the most literal first. On a keyboard without Latin letters a
 * second name is the letter that the same key has on a Latin keyboard: я is z, too. Such keyboards also have signs on letter
 * keys, as Dvorak has; the last letter typed tells which of the two a keyboard is. */
export function namesOnAnyKeyboard() {
  let isLatin = true;
  return (/** @type {KeyPress} */ event) => {
    const key = /^.$/u.test(event.key) ? event.key.toLowerCase() : event.key;
    const letter = event.code?.match(/^Key([A-Z])$/)?.[1].toLowerCase();
    if (letter && /^\p{Script=Latin}$/u.test(event.key) && key === event.key)
      isLatin = true; // a capital may be Latin on any keyboard
    else if (letter && isForeign(event.key)) isLatin = false;
    return [key, ...(letter && !isLatin ? [letter] : [])].map((name) => withModifiers(event, name));
  };
}

/** Return whether a key types letters of another script, or goes to an input method. @param {string} key */
const isForeign = (key) => key === "Process" || (/[\p{L}\p{M}]/u.test(key) && !/\p{Script=Latin}/u.test(key));

/** @param {KeyPress} event @param {string} name */
const withModifiers = ({ ctrlKey, metaKey, shiftKey }, name) =>
  ctrlKey || metaKey ? `Ctrl+${shiftKey ? "Shift+" : ""}${name}` : name;
