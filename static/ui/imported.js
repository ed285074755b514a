/** What an import has brought. This module is pure. */

/** Return how many cards, results of problems and other values are new or better. Both: JSON by key, see `allData`.
 * @param {Record<string, string>} before @param {Record<string, string>} after */
export function whatCame(before, after) {
  const counts = { cards: 0, results: 0, others: 0 };
  for (const [key, text] of Object.entries(after).filter(([key, text]) => before[key] !== text)) {
    const [, kind] = key.split("/");
    if (kind === "cards" || kind === "results") counts[kind] += changed(before[key] ?? "{}", text);
    else counts.others += 1;
  }
  return counts;
}

/** Return how many entries of a record are new or differ. @param {string} before @param {string} after */
function changed(before, after) {
  const old = JSON.parse(before);
  const now = Object.entries(JSON.parse(after));
  return now.filter(([name, value]) => JSON.stringify(old[name]) !== JSON.stringify(value)).length;
}
