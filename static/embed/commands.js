/**
 * What a board on a page of another site answers to letters and to typed lines.
 *
 * @typedef {import("../speech/typed_line.js").Game} Asked
 * @typedef {import("./texts.js").Texts} Texts
 *
 * @typedef {object} Player what commands can do
 * @property {() => Asked} asked what can be asked about
 * @property {(name: "undo" | "restart" | "hint") => void} act
 * @property {(from: number, to: number) => Promise<boolean>} hop returns whether the step was made
 * @property {(hole: number) => void} press
 * @property {(text: string) => void} say
 * @property {() => string} last what was said of the last move
 */
import { sentence, targetsText } from "../speech/sentences.js";
import { answerTo, holesOf, parse } from "../speech/typed_line.js";

/** Letters, while the focus is on the element, and the commands that they stand for. `t` opens the line. @type {Record<string, string>} */
const LETTERS = { u: "undo", r: "restart", h: "hint", b: "pegs", p: "count", m: "moves", l: "last" };
const ACTIONS = /** @type {const} */ (["undo", "restart", "hint"]);

/** Return the command of a letter, if it has one. @param {string} letter */
export const commandOf = (letter) => (Object.hasOwn(LETTERS, letter) ? LETTERS[letter] : undefined);

/** Obey a command without holes. @param {string} kind @param {string} text what was typed @param {readonly number[]} numbers
 * @param {Player} player @param {Texts} texts */
export function obey(kind, text, numbers, player, texts) {
  const action = ACTIONS.find((name) => name === kind);
  if (action) return player.act(action);
  if (kind === "last") return player.say(player.last() || sentence(texts, texts.get("say.nothing")));
  player.say(
    answerTo({ kind, numbers: [...numbers] }, text, player.asked(), texts) ?? texts.get("typed.notNow"),
  );
}

/** Obey a typed line. @param {string} text @param {Player} player @param {Texts} texts */
export async function obeyLine(text, player, texts) {
  const { kind, numbers } = parse(text, texts.get);
  if (kind !== "play") return obey(kind, text, numbers, player, texts);
  const { puzzle, position } = player.asked();
  const holes = holesOf(numbers, { puzzle, position });
  if (!holes) return player.say(texts.get("typed.noHole", { n: puzzle.points.length - 1 }));
  if (holes.length === 1) return player.press(holes[0]);
  for (const [index, to] of holes.slice(1).entries())
    if (!(await player.hop(holes[index], to)))
      return player.say(texts.get("typed.illegal", { from: holes[index], to }));
}

/** Return what is in a hole, and where its piece can go. @param {Element} spot @param {Asked} asked @param {Texts} texts */
export function holeText(spot, { steps }, texts) {
  const targets = steps.filter(({ from }) => String(from) === spot.getAttribute("data-hole"));
  const parts = [spot.getAttribute("aria-label"), targetsText(texts, targets)];
  return sentence(texts, parts.filter(Boolean).join(": "));
}

/** Create the line to type in. @param {string} label @param {(text: string) => void} typed @param {() => void} left */
export function typedLine(label, typed, left) {
  const form = document.createElement("form");
  const field = document.createElement("input");
  const name = document.createElement("label");
  Object.assign(field, { autocomplete: "off", autocapitalize: "off", spellcheck: false });
  name.append(`${label} `, field);
  form.append(name);
  form.className = "typed";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim()) typed(field.value);
    field.value = "";
  });
  form.addEventListener("keydown", (event) => {
    event.stopPropagation(); // letters are typed here
    if (event.key === "Escape") left();
  });
  return form;
}
