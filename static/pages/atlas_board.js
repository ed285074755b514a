/** The page of a board in the atlas: the map of its starts and goals is one tab stop. */
import "../ui/settings.js";
import { makeOneStop } from "../keys/one_stop.js";

document.querySelectorAll(".map").forEach((map) => makeOneStop(/** @type {HTMLElement} */ (map)));
