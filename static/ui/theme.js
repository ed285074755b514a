// Runs before the first paint, so that a chosen theme does not flash and nothing moves if motion is off. The dialog is in settings.js.
try {
  const { theme, motion, numbers = null } = JSON.parse(localStorage.getItem("puzzles/settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (numbers !== null) document.documentElement.dataset.numbers = numbers;
  if (motion) document.documentElement.dataset.motion = motion;
  const isNew = !Object.keys(localStorage).some((key) => key.startsWith("puzzles/"));
  if (isNew && !/[?&](line|embed)=/.test(location.search)) document.documentElement.dataset.quiet = "";
} catch {
  // if the storage is unreadable, the theme of the system applies
}
