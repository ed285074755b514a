// Runs before the first paint: finds the date of the player's own clock, as `localDay` in ui/days.js does for modules. The
// server has filled /daily by UTC; where the player's day is another one, that is opened instead,
// unless no place on earth has that day: then the clock is wrong.
{
  const now = new Date();
  const { dataset } = document.documentElement;
  dataset.today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  const away = Math.abs(Date.parse(dataset.today) - Date.parse(dataset.day ?? ""));
  if (away && away <= 86_400_000) location.replace(`/daily/${dataset.today}`);
}
