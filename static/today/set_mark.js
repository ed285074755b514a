/** The mark of a card, one of four shapes. */
import { find } from "../ui/dom.js";

/** Show a mark. @param {Element} within element with the mark @param {string} mark */
export const setMark = (within, mark) =>
  find(".mark use", SVGUseElement, within).setAttribute("href", `#s-${mark}`);
