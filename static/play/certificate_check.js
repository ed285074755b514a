/**
 * Checks the certificate of the position on the board in this browser, in a worker: the server has no part in it.
 *
 * @typedef {import("../proofs/worker.js").Report} Report
 */
import { button, element, write } from "../ui/dom.js";
import * as texts from "../ui/i18n.js";

/** Offer to check the certificate that a note comes with, and to stop the check. @param {import("../game/session.js").Session} session */
export function offerCheck(session) {
  const [key, result] = [button("check-here"), element("#checked")];
  const [begin, end] = (key.dataset.labels ?? "").split("|");
  let address = "";
  /** @type {Worker | null} */
  let worker = null;

  /** End the check. @param {string} text what it found */
  function finish(text) {
    worker?.terminate();
    worker = null;
    write(key, begin);
    result.setAttribute("aria-live", "polite"); // the progress is not read out, the end is
    write(result, text);
  }

  /** @param {Report} report */
  function show(report) {
    if ("progress" in report) write(result, progressText(report.progress));
    else if ("refused" in report) finish(texts.get("check.refused"));
    else finish(texts.get("check.proved", { n: report.tried }));
  }

  async function start() {
    const checker = new Worker(new URL("../proofs/worker.js", import.meta.url), { type: "module" });
    worker = checker;
    write(key, end);
    result.setAttribute("aria-live", "off");
    write(result, texts.get("check.loading"));
    checker.addEventListener("message", ({ data }) => worker === checker && show(data));
    checker.addEventListener("error", () => worker === checker && finish(texts.get("check.failed")));
    try {
      const response = await fetch(address);
      if (!response.ok) throw new Error(`${address}: ${response.status}`);
      checker.postMessage(await response.text());
    } catch {
      if (worker === checker) finish(texts.get("check.failed"));
    }
  }

  key.addEventListener("click", () => (worker ? finish(texts.get("check.stopped")) : start()));
  session.follow(["note"], ({ note }) => {
    if (address === (note?.certificate ?? "")) return;
    address = note?.certificate ?? "";
    key.hidden = !address;
    finish("");
  });
}

/** @param {import("../proofs/check.js").Progress} progress */
const progressText = ({ level, levels, boards }) => texts.get("check.level", { level, levels, n: boards });
