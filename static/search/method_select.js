/** The method of a search: the one that was chosen last is kept for every puzzle, and a note tells what it does. */
import { element, find, write } from "../ui/dom.js";
import { chosenMethod, saveMethod } from "../ui/storage.js";

export class Method {
  /** @param {string} puzzle @param {() => void} changed told when another one is chosen */
  constructor(puzzle, changed) {
    this.field = find("#method", HTMLSelectElement);
    this.value = chosenMethod(puzzle) ?? "";
    this.field.addEventListener("change", () => (saveMethod(puzzle, this.value), this.#describe(), changed()));
    addEventListener("pageshow", () => this.#describe()); // the way back finds the method that was chosen
  }

  get value() {
    return this.field.value;
  }

  /** @param {string} name one that this puzzle has not changes nothing */
  set value(name) {
    const choice = [...this.field.options].find(({ value }) => value === name);
    if (choice) choice.selected = true;
    this.#describe();
  }

  #describe() {
    write(element(".method-note"), this.field.selectedOptions[0]?.dataset.note ?? "");
  }
}
