/**
 * Checks a certificate as server/hoppers/data/check_certificate.py does, in the page: nothing of the solver is used.
 * docs/certificates.md has the format, and why each proof is one.
 *
 * @typedef {object} Progress
 * @property {number} level being made, from 1 on
 * @property {number} levels
 * @property {number} boards found in it
 * @typedef {(progress: Progress) => void} OnProgress
 */
import { checkFunctions } from "./functions.js";
import { checkLevels } from "./levels.js";
import { checkLine } from "./line.js";
import { parsed, problemOf, require, requireFields, whole } from "./problem.js";
import { checkTable } from "./table.js";

/** Kind of proof -> its check, what it proves, and its fields.
 * @type {Record<string, [check: (...parts: any[]) => number, claims: string[], fields: string]>} */
const KINDS = {
  functions: [checkFunctions, ["impossible"], "functions first last"],
  levels: [checkLevels, ["impossible"], "functions symmetry ahead sizes"],
  table: [checkTable, ["impossible", "moves"], "sha256"],
  line: [checkLine, ["most"], "line"],
};

/** Check a certificate. Return how many boards or jumps its proof has tried; throw an error if it proves nothing.
 * @param {string} text as JSON @param {OnProgress} [onProgress] */
export function check(text, onProgress = () => {}) {
  const certificate = parsed(text);
  const problem = problemOf(certificate);
  const { claim, proof } = certificate;
  require(typeof proof.kind === "string" &&
    Object.hasOwn(KINDS, proof.kind), `The kind ${proof.kind} is unknown.`);
  const [checkKind, claims, fields] = KINDS[proof.kind];
  const claimed = claim === "impossible" ? claim : claims.find((name) => Object.hasOwn(claim, name));
  require(claims.includes(claimed), `No proof of the kind ${proof.kind} proves this claim.`);
  if (claim !== "impossible") {
    requireFields(claim, claimed, claimed === "moves" ? "solutions" : "");
    whole(Object.values(claim));
  }
  requireFields(proof, `kind ${fields}`);
  return checkKind(problem, proof, claim, onProgress);
}
