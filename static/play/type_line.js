/** The field in which moves and commands are typed. It shows what the game says, too; a key or the menu opens it. */
import { movesMade, positionAt } from "../game/line.js";
import { puzzle } from "../game/position.js";
import { answerTo, holesOf, parse } from "../speech/typed_line.js";
import { button, element, find, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Sentences that the field shows: what has happened, and what can be done then. */
const SHOWN = 2;

/** Let the field be opened; return the function that opens it. @param {Pick<import("./game.js").Game, "session" | "announcer" | "toBoard">} game */
export function offerTypedLine({ session, announcer, toBoard }) {
  const form = find("#typed", HTMLFormElement);
  const [field, output] = [find("input", HTMLInputElement, form), find("output", HTMLElement, form)];
  /** @type {string[]} */
  let said = [];
  announcer.heard = (text) => {
    said = [...said, text].slice(-SHOWN);
    write(output, said.join(texts.get("sentence.gap")));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { value } = field;
    field.value = "";
    said = [];
    if (value.trim()) void obey(value);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    form.hidden = true;
    toBoard();
  });

  /** @param {string} text */
  async function obey(text) {
    const command = parse(text, texts.get);
    const { position } = positionAt(session.shown);
    if (command.kind === "play") return play(command.numbers);
    if (command.kind === "last") return announcer.actions.last();
    const steps = command.kind === "moves" ? ((await session.stepsOf(position))?.steps ?? []) : [];
    const moves = movesMade(session.shown);
    const answer = answerTo(command, text, { puzzle, position, steps, moves }, texts);
    if (answer) announcer.answer(answer);
    else press(command.kind);
  }

  /** Press the button of an action, if it can be pressed now. @param {string} id */
  function press(id) {
    const key = document.querySelector(`#${id}`) instanceof HTMLButtonElement ? button(id) : null;
    if (!key || key.hidden || key.disabled || key.ariaDisabled === "true")
      return announcer.answer(texts.get("typed.notNow"));
    key.click();
    if (key.dataset.asking !== undefined)
      announcer.answer(texts.get("typed.again", { text: key.textContent ?? "" }));
  }

  /** Play the steps from hole to hole, or press a single hole. @param {readonly number[]} numbers */
  async function play(numbers) {
    const holes = holesOf(numbers, { puzzle, position: positionAt(session.shown).position });
    if (!holes) return announcer.answer(texts.get("typed.noHole", { n: puzzle.points.length - 1 }));
    if (holes.length === 1) return session.press(holes[0]);
    for (const [index, to] of holes.slice(1).entries()) {
      const { note, line } = session.state;
      if (await session.hop(holes[index], to)) continue;
      const isTold = session.state.note !== note || session.state.line !== line;
      if (!isTold) announcer.answer(texts.get("typed.illegal", { from: holes[index], to }));
      return;
    }
  }

  return () => {
    form.hidden = false;
    field.focus();
    element("#typed").scrollIntoView({ block: "nearest" });
  };
}
