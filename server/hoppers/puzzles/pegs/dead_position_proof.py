"""Holes that show why nothing reaches the goal: a set of the wrong parity, or weights that no jump raises."""

from collections.abc import Callable

from hoppers.core.events import Marks
from hoppers.core.model import Position
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList, invariants
from hoppers.puzzles.pegs.bitboards.pagoda import weights_that_prove
from hoppers.puzzles.pegs.lower_bounds import holes_of
from hoppers.puzzles.pegs.rules import ANYWHERE


def evidence_on(jumps: JumpList, holes: int) -> Callable[[Position, int], Marks]:
    """A function of (position, goal); it says nothing where neither proof applies."""
    sets = list(invariants(jumps, holes).values())

    def wrong(state: int, end: int) -> list[int]:
        return [members for members in sets if ((state ^ 1 << end) & members).bit_count() & 1]

    def evidence(position: Position, goal: int) -> Marks:
        ends = list(range(holes)) if goal == ANYWHERE else [goal]
        faults = min((wrong(position.state, end) for end in ends), key=len)
        if faults:
            return ((0, holes_of(min(faults, key=int.bit_count))),)
        weights = weights_that_prove(jumps, holes, position.state, 1 << ends[0]) if len(ends) == 1 else None
        return tuple((weight, (hole,)) for hole, weight in enumerate(weights or []) if weight)

    return evidence
