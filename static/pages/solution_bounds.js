/** The bounds along a solution: a table beside a board. */
import "../ui/settings.js";
import { ShownBoard } from "../keys/shown_board.js";

new ShownBoard();
