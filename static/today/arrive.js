// Runs before the first paint of the card page: until the player has solved something, or left them, the first steps stand
// in the place of the card, whatever link has led to it.
{
  /** @param {string} key @returns {boolean} whether something is stored under keys that begin with `key` */
  const has = (key) => Object.keys(localStorage).some((name) => name.startsWith(`puzzles/${key}`));
  const steps = /** @type {HTMLTemplateElement | null} */ (document.querySelector("#first-steps"));
  const main = document.querySelector("main");
  let isNew = false;
  try {
    isNew = !["cards", "results/", "tally/", "learnt"].some(has);
  } catch {
    isNew = !location.hash; // without a storage nothing is known of the player, unless a friend sent the link
  }
  const game = steps?.content.querySelector(".card-game");
  if (main && isNew && location.hash !== "#card" && game instanceof HTMLElement) {
    Object.assign(main.dataset, game.dataset);
    document.querySelector("main > .card-game")?.replaceWith(game);
  }
  steps?.remove();
}
