// Runs before the first paint: finds the date of the player's own clock, as `localDay` in days/dates.js does for modules. The
// server has filled `/` and `/daily` by UTC; where the player's day is another one, the page of that day is opened instead,
// unless no place on earth has that day: then the clock is wrong. Without a connection this page may be an old one, which
// knows no days after its own; that of the day may have been kept.
{
  const now = new Date();
  const { dataset } = document.documentElement;
  const today = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  dataset.today = today;
  if (dataset.day && dataset.day !== today && (!navigator.onLine || dataset.days?.includes(today))) {
    const own = `/daily/${today}${location.search.includes("card=mini") ? "/mini" : ""}`;
    if (location.pathname !== own) location.replace(own + location.hash); // else it is the page kept for use offline
  }
}
