// Runs before the first paint, so that a chosen theme never flashes and nothing moves that should not; the choice itself is made in settings.js.
try {
  const { theme, motion, numbers = null } = JSON.parse(localStorage.getItem("puzzles/settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  if (numbers !== null) document.documentElement.dataset.numbers = numbers;
  if (motion) document.documentElement.dataset.motion = motion;
  const isNew = !Object.keys(localStorage).some((key) => key.startsWith("puzzles/"));
  if (isNew && !/[?&](line|embed)=/.test(location.search)) document.documentElement.dataset.quiet = "";
} catch {
  // an unreadable storage means the system's theme
}
