// Runs before the first paint of /daily, which the server has filled by UTC: opens the day of the reader's own clock instead.
{
  const now = new Date();
  const local = [now.getFullYear(), now.getMonth() + 1, now.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
  const sent = document.documentElement.dataset.day;
  if (sent && sent !== local) location.replace(`/daily/${local}`);
}
