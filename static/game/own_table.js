/**
 * Loads the complete table of the puzzle, if it has one, when the page is idle. From then on every answer comes from the
 * table, also without a connection.
 */
import { pageData } from "../ui/dom.js";
import { savesData } from "../ui/offline.js";
import * as api from "./api.js";
import { goal } from "./position.js";

/** Milliseconds after which the page counts as idle. */
const IDLE_TIME = 2000;

/** @typedef {{ script: string, data: string } | null} TableAddresses of the reader and of the file */

/** Load the table of the page when it is idle; a failure leaves the answers to the server. */
export function loadTableWhenIdle() {
  if (savesData() && navigator.onLine) return;
  setTimeout(() => loadTable().catch(() => {}), navigator.onLine ? IDLE_TIME : 0);
}

/** Load the table of the page and answer from it. Return it, or null if the puzzle has none. */
export async function loadTable() {
  const { table } = /** @type {{ table: TableAddresses }} */ (pageData());
  if (!table) return null;
  /** @type {[typeof import("../tables/answers.js"), ArrayBuffer]} */
  const [{ Answers, Table }, file] = await Promise.all([import(table.script), fetchFile(table.data)]);
  const read = new Table(file);
  await read.prepare(goal);
  api.useTable(new Answers(read, goal));
  document.documentElement.dataset.table = "";
  return read;
}

/** @param {string} address */
async function fetchFile(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  return response.arrayBuffer();
}
