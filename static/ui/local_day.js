// Runs before the first paint: the date of the player's own clock. `localDate` in today/local_date.js is the same for modules.
{
  const now = new Date();
  document.documentElement.dataset.today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}
