/** The stream: a game whose positions the page deals itself. */
import { startGame } from "../play/game.js";
import { startStream } from "../stream/stream.js";
import { pageData } from "../ui/dom.js";

startGame(pageData(), (game) => {
  const { sayStanding } = startStream(game);
  return { shortcuts: { time: sayStanding } };
});
