/**
 * Where a step would lose what can still be won: for the piece in hand its targets, else the pieces all of whose
 * steps are fatal.
 *
 * @param {import("./session.js").State} state @param {import("./line.js").Verdict} verdict what is on the board
 * @returns {number[]}
 */
export function fatalHoles({ assistance, graded, selected, show }, verdict) {
  if (assistance !== "marks" || verdict !== "live" || !graded || show) return [];
  const isFatal = (/** @type {import("./line.js").Step} */ step) => step.verdict === "dead";
  if (selected !== null) return graded.steps.filter((step) => step.from === selected && isFatal(step)).map((step) => step.to);
  const origins = [...new Set(graded.steps.map((step) => step.from))];
  return origins.filter((hole) => graded.steps.filter((step) => step.from === hole).every(isFatal));
}
