/**
 * Builds the complete table of the puzzle, if it has one, when the page is idle. From then on every answer comes from the
 * table, also without a connection.
 */
import { pageData } from "../ui/dom.js";
import { savesData } from "../ui/offline.js";
import * as api from "./api.js";
import { goal } from "./position.js";

/** Milliseconds after which the page counts as idle. */
const IDLE_TIME = 2000;

/** @typedef {{ script: string, rules: import("../tables/family.js").Head } | null} TableData address of the builder, and rules */

/** Build the table of the page when it is idle; a failure leaves the answers to the server. */
export function buildOwnTableWhenIdle() {
  if (savesData() && navigator.onLine) return;
  setTimeout(() => buildOwnTable().catch(() => {}), navigator.onLine ? IDLE_TIME : 0);
}

/** Build the table of the page and answer from it. Return it, or null if the puzzle has none. */
export async function buildOwnTable() {
  const { table } = /** @type {{ table: TableData }} */ (pageData());
  if (!table) return null;
  /** @type {typeof import("../tables/answers.js")} */
  const tables = await import(table.script);
  const built = await tables.buildTable(table.rules, goal);
  api.useTable(new tables.Answers(built));
  document.documentElement.dataset.table = "";
  return built;
}
