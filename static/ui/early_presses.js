// Runs before the first paint: stores presses on the board and on buttons until the scripts have loaded. `replayPresses` in
// play/game.js then repeats the presses.
{
  const buttons = /** @type {HTMLButtonElement[]} */ ([]);
  const keep = (/** @type {Event} */ { target }) => {
    const pressed = target instanceof Element && target.closest("button:not([popovertarget])");
    if (!(pressed instanceof HTMLButtonElement)) return;
    buttons.push(pressed);
    pressed.dataset.kept = "";
  };
  addEventListener("click", keep, true);
  Object.assign(globalThis, {
    earlyPresses: { buttons, end: () => removeEventListener("click", keep, true) },
  });
}
