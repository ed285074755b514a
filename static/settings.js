/** Settings that every page has: light or dark. */
import { button } from "./page.js";
import { saveSettings, settings } from "./store.js";

/** The theme that is not shown now. */
function otherTheme() {
  const { theme } = settings();
  const dark = theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : theme === "dark";
  return dark ? "light" : "dark";
}

button("theme").addEventListener("click", () => {
  const theme = otherTheme();
  saveSettings({ theme });
  document.documentElement.dataset.theme = theme;
});
