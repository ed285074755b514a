/**
 * The first steps: small boards in the place of the card. Each is shown when the one before is solved; after the last one
 * comes the card. They can be left at any moment, and do not come back.
 *
 * @typedef {{ text: string, line: import("../game/line.js").Line }} Lesson
 */
import { startGame } from "../play/game.js";
import { button, element, moveFocus, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { saveLearnt, settings, storageFault } from "../ui/storage.js";
import { turnOnSound } from "./sound_key.js";

/** Let the boards be played in turn. @param {import("../play/game.js").GamePage & { lessons: Lesson[] }} page
 * @param {string | null} after address of the card to go to after the last one; null: that of this page
 * @param {boolean} isSent whether a friend has sent the card of this page */
export function startLessons(page, after, isSent) {
  const { lessons } = page;
  let at = 0;
  const [next, sound] = [button("next-lesson"), button("sound-lesson")];
  const main = element("main");
  showLesson(lessons, at, isSent);
  const leave = (/** @type {string | null} */ address) => {
    saveLearnt();
    const place = new URL(address ?? location.href, location.href);
    if (storageFault()) place.hash = "card"; // the address says what cannot be stored: see arrive.js
    if (place.pathname !== location.pathname) return location.assign(place);
    history.replaceState(null, "", place);
    location.reload();
  };
  startGame(page, ({ session, toBoard }) => {
    main.dataset.firstVisit = "";
    session.follow(["medal", "line"], ({ medal, line }) => {
      if (line.at) delete main.dataset.firstVisit;
      const isDone = medal !== null;
      if (isDone === !next.hidden) return;
      const isLast = at + 1 === lessons.length;
      next.hidden = !isDone;
      button("skip-lessons").hidden = isDone;
      sound.hidden = !isDone || !isLast || medal === "solved" || settings().sounds !== null;
      element("#about-star").hidden = !isDone || !isLast;
      if (!isDone) return;
      const card = isSent ? "today.toFriend" : after ? "today.toMini" : "today.toCard";
      write(next, texts.get(isLast ? card : "today.lesson"));
      moveFocus(next);
    });
    next.addEventListener("click", () => {
      if (++at >= lessons.length) return leave(after);
      showLesson(lessons, at, isSent);
      session.restore({ ...lessons[at].line, at: 0 });
      toBoard();
    });
    sound.addEventListener("click", () => {
      sound.hidden = true;
      void turnOnSound();
    });
    button("skip-lessons").addEventListener("click", () => leave(null));
    return {};
  });
}

/** @param {readonly Lesson[]} lessons @param {number} at @param {boolean} isSent */
function showLesson(lessons, at, isSent) {
  const number = { n: at + 1, all: lessons.length };
  document.title = texts.get("today.title", number);
  element("main").dataset.lesson = String(at + 1);
  write(element("[data-lesson-number]"), texts.get(isSent ? "today.step.friend" : "today.step", number));
  write(element("[data-lesson-text]"), lessons[at].text);
}
