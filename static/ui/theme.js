// Runs before the first paint, so that no wrong theme flashes, and nothing moves if motion is off. The dialog is in settings.js.
try {
  const {
    theme,
    motion,
    numbers = null,
    depth,
    calm,
  } = JSON.parse(localStorage.getItem("puzzles/settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (numbers !== null) document.documentElement.dataset.numbers = numbers;
  const asked = /[?&]depth=(play|study)\b/.exec(location.search)?.[1]; // a link to a search opens Study
  document.documentElement.dataset.depth = asked ?? (depth === "study" ? depth : "play");
  if (calm || motion) document.documentElement.dataset.motion = calm ? "none" : motion;
  if (calm) document.documentElement.dataset.calm = "";
  const isNew = !Object.keys(localStorage).some((key) => key.startsWith("puzzles/"));
  if (isNew && !/[?&]line=/.test(location.search)) {
    document.documentElement.dataset.quiet = ""; // hides all but the main controls; see play/onboarding.js
    setTimeout(() => delete document.documentElement.dataset.quiet, 1500);
  }
} catch {
  document.documentElement.dataset.depth = "play"; // if the storage is unreadable, the theme of the system applies
}
