/** Do what was pressed before the scripts were there, and was kept by `early_presses.js`. */

/** Press the kept buttons again, one after the other. @param {() => Promise<unknown>} settled resolves when the press
 * before has had its effect */
export async function replayPresses(settled) {
  const { kept, end } = /** @type {{ earlyPresses: { kept: HTMLButtonElement[], end: () => void } }} */ (/** @type {unknown} */ (globalThis)).earlyPresses;
  end();
  for (const pressed of kept) delete pressed.dataset.kept;
  for (const pressed of kept.splice(0)) {
    pressed.click();
    await settled();
  }
}
