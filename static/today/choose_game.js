// Runs before the first paint of the home page: puts the game in place that this player needs. The server sends the cards of
// all days that it is now on earth, because it does not know the player's clock, and the boards of a first visit.
{
  /** @param {string} key @returns {boolean} whether something is stored, also under keys that begin with `key` */
  const has = (key) => Object.keys(localStorage).some((name) => name.startsWith(`puzzles/${key}`));
  const asked = new URLSearchParams(location.search).get("card");
  const { today } = document.documentElement.dataset;
  let kind = asked === "mini" ? "mini" : "today";
  try {
    if (!asked && !has("")) kind = "first";
    // until the first card is solved: hard days are not for beginners
    else if (!asked && has("learnt") && !has("cards")) kind = "mini";
  } catch {
    // if the storage is unreadable, nothing is known of the player
  }
  const card = `daily/${today}${kind === "today" ? "" : "/mini"}`;
  const wanted = kind === "first" ? "first" : card;
  const found = /** @type {HTMLTemplateElement | null} */ (
    document.querySelector(`template[data-game="${wanted}"]`)
  );
  const main = document.querySelector("main");
  if (main && found) {
    document.querySelector("main > .today")?.replaceWith(found.content);
    Object.assign(main.dataset, found.dataset, { card });
  }
}
