/** Names of pressed keys on keyboards of every script. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { namesOnAnyKeyboard } from "../../static/keys/key_names.js";

/** @param {string} key @param {string} code @param {Partial<KeyboardEvent>} [held] modifiers */
const pressed = (key, code, held) => ({
  key,
  code,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  ...held,
});
const [ctrl, meta, shift] = [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }];

/** Return the names of the last of some pressed keys. @param {import("../../static/keys/key_names.js").KeyPress[]} keys */
function lastNames(...keys) {
  const names = namesOnAnyKeyboard();
  return keys.map(names).at(-1);
}

/** @type {Record<string, [string, string, string, Partial<KeyboardEvent>?]>} name, then key, code and modifiers */
const KEYS = {
  Russian: ["u", "г", "KeyU"],
  Greek: ["u", "θ", "KeyU"],
  Hebrew: ["u", "ו", "KeyU"],
  Arabic: ["u", "ع", "KeyU"],
  "Thai, a mark": ["u", "ี", "KeyU"],
  "Hindi, a mark": ["u", "ह", "KeyU"],
  Korean: ["u", "ㅕ", "KeyU"],
  Georgian: ["u", "უ", "KeyU"],
  "Russian, Ctrl": ["Ctrl+z", "я", "KeyZ", ctrl],
  "Ukrainian, Cmd": ["Ctrl+z", "я", "KeyZ", meta],
  "Greek, Ctrl": ["Ctrl+z", "ζ", "KeyZ", ctrl],
  "Hebrew, Ctrl": ["Ctrl+z", "ז", "KeyZ", ctrl],
  "Arabic, Ctrl": ["Ctrl+z", "ئ", "KeyZ", ctrl],
  "Thai, Ctrl": ["Ctrl+z", "ผ", "KeyZ", ctrl],
  capital: ["u", "Г", "KeyU", shift],
  "input method": ["u", "Process", "KeyU"],
  "QWERTZ, Ctrl": ["Ctrl+z", "z", "KeyY", ctrl],
  Dvorak: ["u", "u", "KeyF"],
  "Dvorak, Ctrl": ["Ctrl+z", "z", "Slash", ctrl],
};
for (const [keyboard, [name, key, code, held]] of Object.entries(KEYS)) {
  test(`the key ${key} has its name: ${keyboard}`, () =>
    assert.ok(lastNames(pressed(key, code, held))?.includes(name)));
}

/** @type {Record<string, [string, ReturnType<typeof pressed>, ReturnType<typeof pressed>]>} name of the second key */
const SECOND = {
  Russian: ["Ctrl+Shift+z", pressed("я", "KeyZ", ctrl), pressed("Я", "KeyZ", { ...ctrl, ...shift })],
  "Russian, Ctrl+Y": ["Ctrl+y", pressed("я", "KeyZ", ctrl), pressed("н", "KeyY", ctrl)],
  "Thai, a sign": ["Ctrl+Shift+z", pressed("ผ", "KeyZ", ctrl), pressed("(", "KeyZ", { ...ctrl, ...shift })],
  "Arabic, a sign": ["Ctrl+Shift+z", pressed("ئ", "KeyZ", ctrl), pressed("~", "KeyZ", { ...ctrl, ...shift })],
  "Hebrew, Latin capital": [
    "Ctrl+Shift+z",
    pressed("ז", "KeyZ", ctrl),
    pressed("Z", "KeyZ", { ...ctrl, ...shift }),
  ],
  letter: ["r", pressed("г", "KeyU"), pressed("к", "KeyR")],
  QWERTZ: ["Ctrl+Shift+z", pressed("u", "KeyU"), pressed("Z", "KeyY", { ...ctrl, ...shift })],
};
for (const [keyboard, [name, first, second]] of Object.entries(SECOND)) {
  test(`the second key has its name: ${keyboard}`, () => assert.ok(lastNames(first, second)?.includes(name)));
}

/** Keys that are no letter of another script, with their only name. @type {Record<string, [string, ReturnType<typeof pressed>]>} */
const LATIN = {
  "Dvorak, the sign on the key Z": ["Ctrl+;", pressed(";", "KeyZ", ctrl)],
  "AZERTY, the sign on the key M": [",", pressed(",", "KeyM")],
  "Dvorak, the letter on the key U": ["g", pressed("g", "KeyU")],
  "Turkish, a Latin letter": ["ı", pressed("ı", "KeyU")],
};
for (const [keyboard, [name, key]] of Object.entries(LATIN)) {
  test(`a Latin keyboard is taken by its signs: ${keyboard}`, () => assert.deepEqual(lastNames(key), [name]));
}

test("a Latin letter makes a keyboard Latin again", () => {
  assert.deepEqual(lastNames(pressed("г", "KeyU"), pressed("u", "KeyU"), pressed(",", "KeyM")), [","]);
});

test("the literal name goes first", () => {
  assert.deepEqual(lastNames(pressed("г", "KeyU")), ["г", "u"]);
});

test("keys that type nothing keep their names", () => {
  assert.deepEqual(lastNames(pressed("ArrowLeft", "ArrowLeft")), ["ArrowLeft"]);
  assert.deepEqual(lastNames(pressed("?", "Slash", shift)), ["?"]);
});
