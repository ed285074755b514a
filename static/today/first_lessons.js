/**
 * The boards of a first visit, in the place of the card of the day. Each is shown when the one before is solved; after the
 * last one comes the mini card. They can be left at any moment, and do not come back.
 *
 * @typedef {{ title: string, text: string, line: import("../game/line.js").Line }} Lesson
 */
import { startGame } from "../play/game.js";
import { button, element, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";
import { saveLearnt } from "../ui/storage.js";

/** Address of the mini card on the home page. */
const MINI_CARD = "/?card=mini";

/** Let the boards be played in turn. @param {import("../play/game.js").GamePage & { lessons: Lesson[] }} page */
export function startLessons(page) {
  const { lessons } = page;
  let at = 0;
  const next = button("next-lesson");
  const main = element("main");
  /** A key leads on to the board; after a pointer the ring of the focus would only seem to mark a hole.
   * @param {MouseEvent} event */
  const leave = ({ detail }) => {
    saveLearnt();
    location.assign(detail ? MINI_CARD : `${MINI_CARD}#board`);
  };
  startGame(page, ({ session, toBoard }) => {
    main.dataset.firstVisit = "";
    main.dataset.lesson = "1";
    session.follow(["medal", "line"], ({ medal, line }) => {
      if (line.at) delete main.dataset.firstVisit;
      const isDone = medal !== null;
      if (isDone === !next.hidden) return;
      next.hidden = !isDone;
      if (isDone)
        write(
          next,
          texts.get(at + 1 < lessons.length ? "today.lesson" : "today.toMini", {
            title: lessons[at + 1]?.title ?? "",
          }),
        );
      if (isDone) next.focus({ preventScroll: true });
    });
    next.addEventListener("click", (event) => {
      if (++at >= lessons.length) return leave(event);
      showLesson(lessons, at);
      session.restore({ ...lessons[at].line, at: 0 });
      toBoard();
    });
    button("skip-lessons").addEventListener("click", leave);
    return {};
  });
}

/** @param {readonly Lesson[]} lessons @param {number} at */
function showLesson(lessons, at) {
  const { title, text } = lessons[at];
  element("main").dataset.lesson = String(at + 1);
  write(element("[data-lesson-number]"), texts.get("today.step", { n: at + 1, all: lessons.length }));
  write(element("[data-lesson-title]"), title);
  write(element("[data-lesson-text]"), text);
}
