/**
 * Checks one certificate, so that the page stays responsive. It is sent the text, and answers with the progress and at last
 * with the number of boards that were tried, or with the reason why the certificate proves nothing.
 *
 * @typedef {{ progress: import("./check.js").Progress } | { tried: number } | { refused: string }} Report
 */
import { check } from "./check.js";

/** @param {Report} report */
const send = (report) => postMessage(report);

addEventListener("message", ({ data }) => {
  try {
    send({ tried: check(data, (progress) => send({ progress })) });
  } catch (error) {
    if (error instanceof RangeError) throw error; // the memory does not suffice
    send({ refused: String(error) }); // whatever else fails, proves nothing
  }
});
