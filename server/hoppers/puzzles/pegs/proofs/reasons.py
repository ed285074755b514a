"""Reasons why a peg position is dead: the proofs of `PegBoard` with small numbers, for people to check."""

import itertools
from collections.abc import Iterable, Sequence
from functools import reduce
from operator import xor

from hoppers.core.model import Position
from hoppers.core.reasons import PARITY, SUM, Reason, StepTally, Tally
from hoppers.core.texts import Text, joined
from hoppers.puzzles.pegs.jump_masks import JumpList, holes_of, jumps_from
from hoppers.puzzles.pegs.pagoda import WeightProof, fitting_weights, simplest_weights
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.rules import ANYWHERE, RED_BIT


def dead_reason(facts: PegBoard, has_red: bool, position: Position, goal: int) -> Reason | None:
    """Return why a goal (hole or ANYWHERE) cannot be reached from a position, or None if it may be.

    Position classes exclude solved boards first, pagoda functions all others. `has_red`: whether the board
    has a red peg, which is then the peg of every solved board. For such boards there is no reason if the
    proof needs boards after a first jump or before a last one: jumps over the red peg are not excluded there.
    """
    state = position.state & facts.every
    ends = [1 << hole for hole in range(facts.holes) if goal in (ANYWHERE, hole)]
    inside = facts.ends(goal, state)
    weighed: list[WeightProof] = []
    for end in inside:
        proofs = facts.unreached_proofs(state, end)
        if proofs is None:
            return None
        weighed += proofs
    if has_red and any(source != state or target not in inside for source, target, _ in weighed):
        return None
    tallies = [
        *(weight_tally(facts.jumps, facts.holes, proof) for proof in weighed),
        *class_tallies(facts, state, [end for end in ends if end not in inside]),
    ]
    code = "pagoda" if weighed else "stuck" if inside else "class"
    sentence = weight_sentence(tallies, state) if weighed else STUCK if inside else class_sentence(tallies)
    if has_red:
        tallies = [_with_red(facts, tally, position) for tally in tallies]
    return Reason(code, sentence, tuple(tallies))


def fitting_tally(facts: PegBoard, has_red: bool, position: Position, goal: int) -> Tally:
    """Return the tally of a pagoda function that fits a goal (hole or ANYWHERE): jumps may use up its slack.

    It is that of `fitting_weights` for the solved boards of the position class, or for all if it has none.
    If one function proves that the position is dead, it is the function of `dead_reason`.
    """
    state = position.state & facts.every
    every = [1 << hole for hole in range(facts.holes) if goal in (ANYWHERE, hole)]
    ends = facts.ends(goal, state) or every
    proof = simplest_weights(facts.jumps, facts.holes, state, ends[0]) if len(ends) == 1 else None
    weights = proof or fitting_weights(facts.jumps, facts.holes, state, tuple(ends))
    ends.sort(key=lambda end: weights[holes_of(end)[0]])  # the total of the first is that of the tally
    tally = _tally(SUM, facts.jumps, state, ends, {hole: n for hole, n in enumerate(weights) if n})
    return _with_red(facts, tally, position) if has_red else tally


EVEN_LAW = Text(
    "A jump changes that number by two or not at all, so it stays even; with the last peg in place it would "
    "be {target}."
)
ODD_LAW = Text(
    "A jump changes that number by two or not at all, so it stays odd; with the last peg in place it would "
    "be {target}."
)
OTHER_SETS = Text("For the other holes in which the last peg might be, another set of holes shows the same.")
CONCLUSION = Text("So the goal cannot be reached.")
STUCK = Text("No jump is possible, or none after the next one.")


def _with_red(facts: PegBoard, tally: Tally, position: Position) -> Tally:
    """Return a tally of a board with a red peg, which is also the last peg and is never jumped over."""
    red = position.state >> RED_BIT
    illegal = {(origin, target) for origin, over, target in facts.jumps if red >> over & 1}
    return tally._replace(
        source=Position(position.state),
        targets=tuple(Position(target.state | target.state << RED_BIT) for target in tally.targets),
        after=tuple(step for step in tally.after if (step.origin, step.target) not in illegal),
    )


def class_tallies(facts: PegBoard, state: int, ends: Sequence[int]) -> list[Tally]:
    """Return the fewest and smallest sets of holes that together show that no board of `ends` can be reached.

    `ends`: solved boards outside the position class of `state`.
    """
    every = [reduce(xor, sets) for n in range(1, len(facts.sets) + 1) for sets in _choices(facts.sets, n)]
    every.sort(key=lambda members: (members.bit_count(), members))
    for count in range(len(ends) and 1, len(ends) + 1):
        for chosen in _choices(every, count):
            if all(any(_differs(members, state, end) for members in chosen) for end in ends):
                return [_class_tally(facts.jumps, state, ends, members) for members in chosen]
    return []


def _choices(sets: Sequence[int], count: int) -> Iterable[tuple[int, ...]]:
    return itertools.combinations(sets, count)


def _differs(members: int, state: int, end: int) -> bool:
    return ((state ^ end) & members).bit_count() % 2 == 1


def _class_tally(jumps: JumpList, state: int, ends: Sequence[int], members: int) -> Tally:
    """Return the tally that counts the pegs in a set of holes. It excludes those of `ends` that differ."""
    targets = [end for end in ends if _differs(members, state, end)]
    numbers = dict.fromkeys(holes_of(members), 1)
    return _tally(PARITY, jumps, state, targets, numbers)


def weight_tally(jumps: JumpList, holes: int, proof: WeightProof) -> Tally:
    """Return the tally of a pagoda function that proves the same as `proof`, in small numbers."""
    source, target, weights = proof
    weights = simplest_weights(jumps, holes, source, target) or weights
    return _tally(SUM, jumps, source, [target], {hole: n for hole, n in enumerate(weights) if n})


def _tally(law: str, jumps: JumpList, state: int, targets: Sequence[int], numbers: dict[int, int]) -> Tally:
    def total(board: int) -> int:
        return sum(numbers.get(hole, 0) for hole in holes_of(board))

    after = [StepTally(origin, target, total(board)) for origin, target, board in jumps_from(jumps, state)]
    boards = tuple(Position(target) for target in targets)
    return Tally(law, Position(state), boards, numbers, total(state), total(targets[0]), tuple(after))


def class_sentence(tallies: Sequence[Tally]) -> Text:
    """Return the reason that position classes give, in words."""
    first = tallies[0]
    standing = Text(
        "There is one peg in the marked holes.", {"n": first.total}, "There are {n} pegs in the marked holes."
    )
    if first.total == 0:
        standing = Text("There are no pegs in the marked holes.")
    law = (EVEN_LAW, ODD_LAW)[first.total % 2]._replace(values={"target": first.target_total})
    return joined(standing, law, *([OTHER_SETS] if len(tallies) > 1 else []), CONCLUSION)


def weight_sentence(tallies: Sequence[Tally], state: int) -> Text:
    """Return the reason that pagoda functions give, in words; the first of `tallies` is that of one."""
    first = tallies[0]
    now_sum, end_sum = (str(total).replace("-", "−") for total in (first.total, first.target_total))
    is_now, is_end = first.source.state == state, first.targets[0].state.bit_count() == 1
    text = Text(
        "No jump raises the sum of the numbers under the pegs. "
        "It is {now_sum} {now}, and {when} it would have to be {end_sum}.",
        {
            "now_sum": now_sum,
            "now": Text("now") if is_now else Text("after a first jump"),
            "when": Text("at the end") if is_end else Text("before the last jump"),
            "end_sum": end_sum,
        },
    )
    if len(tallies) == 1 and is_now:
        return joined(text, CONCLUSION)
    proofs = Text(
        "It is one of {count} proofs that together exclude every way to begin and to end.",
        {"count": len(tallies)},
    )
    return joined(text, proofs)
