"""A solution that is shorter than the best one of the atlas."""

from hoppers.core.model import Step, steps_of
from hoppers.core.puzzle import Puzzle

LATE = "o.oo.ooo...ooo.o..o.o.o.oo.oo.oo..ooo...."
"""Position on the solution in the atlas from which there is a solution with one move fewer."""
REST = "31-29.12-14-30.3-13.36-22.5-7-21-23.0-6.24-22.28-30-14.15-13.35-33-19-5-7-21-19-17.25-9"
"""Solution from LATE that is one move shorter; PartialSource proves it shortest."""


def rest(puzzle: Puzzle) -> list[Step]:
    moves = [[int(hole) for hole in move.split("-")] for move in REST.split(".")]
    return puzzle.replay(puzzle.parse(LATE), steps_of(moves))
