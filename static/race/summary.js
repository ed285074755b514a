/**
 * The state of a race in sentences: the contestant with the fewest nodes, the ratio to the others, and the proved
 * result.
 *
 * @typedef {import("./contestant.js").Contestant} Contestant
 */
import * as texts from "../ui/i18n.js";

/** @param {Contestant} contestant @returns {number | null} */
const answer = (contestant) => (contestant.ending?.type === "solved" ? contestant.ending.limit : null);

/** Return whether two contestants have ended with different answers. @param {Contestant[]} contestants */
const doAnswersDiffer = (contestants) =>
  new Set(contestants.filter((contestant) => contestant.hasAnswer).map(answer)).size > 1;

/** Return the contestant with a proof and the fewest nodes; undefined until all are over, or if their answers differ.
 * @param {Contestant[]} contestants @returns {Contestant | undefined} */
function winnerOf(contestants) {
  if (!contestants.every((contestant) => contestant.isOver)) return undefined;
  if (doAnswersDiffer(contestants)) return undefined;
  return contestants
    .filter((contestant) => contestant.hasProof)
    .sort((a, b) => a.finishedNodes - b.finishedNodes)[0];
}

/** Return the winner, or undefined if another contestant has as few nodes. @param {Contestant[]} contestants */
export function soleWinner(contestants) {
  const winner = winnerOf(contestants);
  const shared = contestants.some(
    (contestant) =>
      contestant !== winner && contestant.hasProof && contestant.finishedNodes === winner?.finishedNodes,
  );
  return shared ? undefined : winner;
}

/** Return the state of a race in one or more sentences. @param {Contestant[]} contestants */
export function summary(contestants) {
  const winner = winnerOf(contestants);
  const gap = texts.get("sentence.gap");
  if (winner) return [...result(winner, contestants), ...unfinished(contestants)].join(gap);
  const over = contestants.every((contestant) => contestant.isOver);
  const done = contestants.filter((contestant) => contestant.hasProof);
  if (doAnswersDiffer(contestants)) return disagreement(contestants);
  if (over)
    return [
      ...(contestants.some((contestant) => contestant.hasAnswer) ? [] : [texts.get("race.none")]),
      ...unfinished(contestants),
    ].join(gap);
  if (done.length)
    return [
      outcome(done[0]),
      texts.get("race.others", { n: contestants.filter((contestant) => !contestant.isOver).length }),
    ].join(gap);
  const proved = Math.max(
    0,
    ...contestants
      .filter(({ about }) => about.proves)
      .flatMap((contestant) =>
        contestant.rows.all.filter((row) => row.state === "exhausted").map((row) => row.limit),
      ),
  );
  const waiting = contestants.filter((contestant) => contestant.ahead >= 0).length;
  return texts.get(proved ? "race.proved" : waiting ? "race.waiting" : "race.begun", {
    n: proved || waiting,
  });
}

/** Return the text for contradicting answers, which mean that a method prunes too much.
 * @param {Contestant[]} contestants */
function disagreement(contestants) {
  const claims = contestants
    .filter((contestant) => contestant.hasAnswer)
    .map((contestant) =>
      texts.get("race.claim", { method: contestant.about.title, n: answer(contestant) ?? 0 }),
    );
  return texts.get("race.disagree", { claims: claims.join(texts.get("comma")) });
}

/** @param {Contestant} winner @param {Contestant[]} contestants */
function result(winner, contestants) {
  const others = contestants
    .filter((contestant) => contestant !== winner && contestant.hasProof)
    .sort((a, b) => b.finishedNodes - a.finishedNodes);
  const compared = others.slice(0, 1).map((last) => comparison(winner, last));
  return [
    outcome(winner),
    ...compared,
    ...comparisonWithoutWinner(winner, others),
    ...speed(winner, contestants),
  ];
}

/** Return a comparison of the other contestants if the winner visited no nodes, otherwise [].
 * @param {Contestant} winner @param {Contestant[]} others */
function comparisonWithoutWinner(winner, others) {
  const withNodes = others.filter((contestant) => contestant.finishedNodes > 0);
  const [last, best] = [withNodes[0], withNodes.at(-1)];
  return winner.finishedNodes || !last || !best || last === best || last.finishedNodes === best.finishedNodes
    ? []
    : [comparison(best, last)];
}

/** @param {Contestant} winner @param {Contestant} last */
function comparison(winner, last) {
  const names = { winner: winner.about.title, last: last.about.title };
  if (last.finishedNodes === 0) return texts.get("race.nothing");
  if (winner.finishedNodes === last.finishedNodes)
    return texts.get("race.even", { ...names, nodes: winner.finishedNodes });
  if (winner.finishedNodes === 0) return texts.get("race.table", { ...names, nodes: last.finishedNodes });
  const ratio = last.finishedNodes / winner.finishedNodes;
  return texts.get("race.ratio", { ...names, ratio: Number(ratio.toFixed(ratio < 100 ? 1 : 0)) });
}

/** Return a sentence if another contestant was faster than the winner, otherwise []: fewest nodes is not always least time.
 * @param {Contestant} winner @param {Contestant[]} contestants */
function speed(winner, contestants) {
  const proved = contestants.filter((contestant) => contestant.hasProof && contestant.rows.seconds >= 0.05);
  const fastest = proved.sort((a, b) => a.rows.seconds - b.rows.seconds)[0];
  if (!fastest || proved.length < 2 || fastest === winner || fastest.rows.seconds > winner.rows.seconds * 0.8)
    return [];
  return [
    texts.get("race.faster", {
      method: fastest.about.title,
      ratio: Number((winner.rows.seconds / fastest.rows.seconds).toFixed(1)),
    }),
  ];
}

/** Return a sentence for each contestant without a proof: its answer if its bound is wrong, its lower bound if stopped,
 * otherwise that it failed.
 * @param {Contestant[]} contestants */
function unfinished(contestants) {
  return contestants
    .filter((contestant) => contestant.isOver && !contestant.hasProof)
    .map((contestant) => {
      if (contestant.hasAnswer) return texts.get("race.unproved", { method: contestant.about.title });
      if (contestant.ending?.type !== "stopped" || !contestant.about.proves)
        return texts.get("race.failed", { method: contestant.about.title });
      return texts.get("race.given", {
        method: contestant.about.title,
        n: contestant.ending.limit + 1,
        nodes: contestant.ending.total_nodes,
      });
    });
}

/** Return the result proved by a contestant as a sentence. @param {Contestant} contestant */
function outcome(contestant) {
  if (contestant.ending?.type === "solved") return texts.get("race.moves", { n: contestant.ending.limit });
  return texts.forCode("unsolvable", {
    code: contestant.ending?.type === "unsolvable" ? contestant.ending.reason : "other",
  });
}
