// Runs before the first paint, so that a chosen theme never flashes; the choice itself is made in settings.js.
try {
  const { theme } = JSON.parse(localStorage.getItem("puzzles/settings") ?? "{}");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // an unreadable storage means the system's theme
}
