/**
 * Reads certificates from standard input, one a line, and writes for each how many cases its check in the page has tried, or
 * why it is refused.
 */
import { readFileSync } from "node:fs";

import { check } from "../../static/proofs/check.js";

for (const line of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    console.log(JSON.stringify({ tried: check(line) }));
  } catch (error) {
    console.log(JSON.stringify({ refused: String(error) }));
  }
}
