/** Buttons that are held down, by Enter, a finger or the mouse: only those with `data-repeats` act again and again. */

/** Milliseconds before a held button acts again, and between two further times. */
const [FIRST_PAUSE, PAUSE] = [600, 140];

/** Let held buttons with `data-repeats` act again and again, and a held Enter key press all others only once. */
export function listenForHeldButtons() {
  document.addEventListener("keydown", (event) => {
    const { target, key, repeat } = event;
    if (
      repeat &&
      key === "Enter" &&
      target instanceof Element &&
      target.matches("button, a, summary") &&
      !target.matches("[data-repeats]")
    )
      event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-repeats]"))
    if (button instanceof HTMLButtonElement) repeatWhileHeld(button);
}

/** Press a button again and again while a pointer holds it. @param {HTMLButtonElement} button */
function repeatWhileHeld(button) {
  let timer = 0;
  let hasRepeated = false;
  const press = () => {
    if (button.disabled || button.ariaDisabled === "true") return;
    hasRepeated = true;
    button.click();
    timer = setTimeout(press, PAUSE);
  };
  button.addEventListener("pointerdown", (event) => {
    clearTimeout(timer);
    hasRepeated = false;
    if (event.button === 0) timer = setTimeout(press, FIRST_PAUSE);
  });
  button.addEventListener("pointerleave", () => clearTimeout(timer));
  for (const end of ["pointerup", "pointercancel", "blur"]) addEventListener(end, () => clearTimeout(timer)); // a disabled button gets no events
  button.addEventListener(
    "contextmenu",
    (event) => event instanceof PointerEvent && event.pointerType !== "mouse" && event.preventDefault(),
  );
  // The click of the release is no further press; clicks by the keyboard and by `press` have no detail.
  button.addEventListener(
    "click",
    (event) => hasRepeated && event.detail > 0 && event.stopImmediatePropagation(),
    { capture: true },
  );
}
