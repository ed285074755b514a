// Runs before the first paint: keeps what is pressed on the board and on buttons until the scripts are there. They do it then
// (`replayPresses` in pages/play.js).
{
  const kept = /** @type {HTMLButtonElement[]} */ ([]);
  const keep = (/** @type {Event} */ { target }) => {
    const pressed = target instanceof Element && target.closest("button:not([popovertarget])");
    if (!(pressed instanceof HTMLButtonElement)) return;
    kept.push(pressed);
    pressed.dataset.kept = "";
  };
  addEventListener("click", keep, true);
  Object.assign(globalThis, { earlyPresses: { kept, end: () => removeEventListener("click", keep, true) } });
}
