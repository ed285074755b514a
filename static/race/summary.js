/**
 * How a race stands, in sentences: who entered fewest positions, how many times fewer, and what is proved.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 * @typedef {import("../ui/i18n.js").Words} Words
 */
/** @param {Contestant} lane @returns {number | null} */
const answer = (lane) => (lane.ending?.type === "solved" ? lane.ending.limit : null);

/** The contestant with a proof that entered fewest positions. @param {Contestant[]} lanes @returns {Contestant | undefined} */
function winnerOf(lanes) {
  if (!lanes.every((lane) => lane.isOver)) return undefined;
  const proved = lanes.filter((lane) => lane.hasProof);
  if (new Set(proved.map(answer)).size > 1) return undefined;
  return proved.sort((a, b) => a.total - b.total)[0];
}

/** The winner, unless another entered as few. @param {Contestant[]} lanes */
export function aheadOf(lanes) {
  const winner = winnerOf(lanes);
  const shared = lanes.some((lane) => lane !== winner && lane.hasProof && lane.total === winner?.total);
  return shared ? undefined : winner;
}

/** @param {Contestant[]} lanes @param {Words} words */
export function sentence(lanes, words) {
  const winner = winnerOf(lanes);
  const gap = words.say("sentence.gap");
  if (winner) return [...result(winner, lanes, words), ...given(lanes, words)].join(gap);
  const over = lanes.every((lane) => lane.isOver);
  const done = lanes.filter((lane) => lane.hasProof);
  if (new Set(done.map(answer)).size > 1) return disagreement(lanes, words);
  if (over) return [words.say("race.none"), ...given(lanes, words)].join(gap);
  if (done.length) return [outcome(done[0], words), words.say("race.others", { n: lanes.filter((lane) => !lane.isOver).length })].join(gap);
  const proved = Math.max(0, ...lanes.flatMap((lane) => lane.list.filter((row) => row.state === "exhausted").map((row) => row.limit)));
  const waiting = lanes.filter((lane) => lane.ahead >= 0).length;
  return words.say(proved ? "race.proved" : waiting ? "race.waiting" : "race.begun", { n: proved || waiting });
}

/** Right methods cannot: one of them cuts what it must not. @param {Contestant[]} lanes @param {Words} words */
function disagreement(lanes, words) {
  const claims = lanes.filter((lane) => lane.hasProof).map((lane) => words.say("race.claim", { method: lane.about.title, n: answer(lane) ?? 0 }));
  return words.say("race.disagree", { claims: claims.join(words.say("comma")) });
}

/** @param {Contestant} winner @param {Contestant[]} lanes @param {Words} words */
function result(winner, lanes, words) {
  const others = lanes.filter((lane) => lane !== winner && lane.hasProof).sort((a, b) => b.total - a.total);
  const compared = others.slice(0, 1).map((last) => comparison(winner, last, words));
  return [outcome(winner, words), ...compared, ...among(winner, others, words), ...speed(winner, lanes, words)];
}

/** Where the winner needed no search, how the others compare. @param {Contestant} winner @param {Contestant[]} others @param {Words} words */
function among(winner, others, words) {
  const searched = others.filter((lane) => lane.total > 0);
  const [last, best] = [searched[0], searched.at(-1)];
  return winner.total || !last || !best || last === best || last.total === best.total ? [] : [comparison(best, last, words)];
}

/** @param {Contestant} winner @param {Contestant} last @param {Words} words */
function comparison(winner, last, words) {
  const names = { winner: winner.about.title, last: last.about.title };
  if (last.total === 0) return words.say("race.nothing");
  if (winner.total === last.total) return words.say("race.even", { ...names, nodes: winner.total });
  if (winner.total === 0) return words.say("race.table", { ...names, nodes: last.total });
  const ratio = last.total / winner.total;
  return words.say("race.ratio", { ...names, ratio: Number(ratio.toFixed(ratio < 100 ? 1 : 0)) });
}

/** Fewest positions is not always least time. @param {Contestant} winner @param {Contestant[]} lanes @param {Words} words */
function speed(winner, lanes, words) {
  const proved = lanes.filter((lane) => lane.hasProof && lane.seconds >= 0.05);
  const fastest = proved.sort((a, b) => a.seconds - b.seconds)[0];
  if (!fastest || proved.length < 2 || fastest === winner || fastest.seconds > winner.seconds * 0.8) return [];
  return [words.say("race.faster", { method: fastest.about.title, ratio: Number((winner.seconds / fastest.seconds).toFixed(1)) })];
}

/** What those who did not finish have proved all the same. @param {Contestant[]} lanes @param {Words} words */
function given(lanes, words) {
  return lanes.filter((lane) => lane.isOver && !lane.hasProof).map((lane) => {
    if (lane.ending?.type !== "stopped") return words.say("race.failed", { method: lane.about.title });
    return words.say("race.given", { method: lane.about.title, n: lane.ending.limit + 1, nodes: lane.ending.total_nodes });
  });
}

/** What a contestant has proved. @param {Contestant} lane @param {Words} words */
function outcome(lane, words) {
  if (lane.ending?.type === "solved") return words.say("race.moves", { n: lane.ending.limit });
  const key = `unsolvable.${lane.ending?.type === "unsolvable" ? lane.ending.reason : "other"}`;
  return words.say(words.has(key) ? key : "unsolvable.other");
}
