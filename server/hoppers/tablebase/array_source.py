"""Exact answers from tables that numpy builds, without compiled kernels."""

from functools import cached_property
from typing import Any

import numpy as np

from hoppers.core.kernels import CAN_COMPILE
from hoppers.core.model import DEAD, NO_SOLUTION, Position, Source
from hoppers.core.puzzle import Puzzle, cached_in_puzzle

MAX_SIZE = 1 << (21 if CAN_COMPILE else 22)
"""States of a puzzle at most. A table of four million takes numpy some seconds, kernels a tenth of that."""


def has_array_table(puzzle: Puzzle) -> bool:
    """Return whether numpy alone can build the tables of a puzzle in a moment."""
    return puzzle.rules.numbering is not None and puzzle.rules.numbering.size <= MAX_SIZE


class ArraySource(Source):
    """Source that builds the table of one puzzle and goal when the first position is asked for."""

    is_complete = True

    def __init__(self, puzzle: Puzzle, goal: int) -> None:
        """The puzzle `has_array_table`."""
        assert puzzle.rules.numbering is not None
        self._puzzle, self._goal, self._numbering = puzzle, goal, puzzle.rules.numbering

    @cached_property
    def _moves(self) -> Any:
        return self._numbering.fewest_moves(self._goal)

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD.

        An active peg may stop, which costs nothing, or jump on, which costs nothing either.
        """
        left = int(self._moves[self._numbering.number_of(self._puzzle.cells(position.state))])
        best = NO_SOLUTION if left == NO_SOLUTION else left
        if self._puzzle.rules.multi_step_moves and position.active >= 0:
            further = (
                self.moves_left(step.after) for step in self._puzzle.legal_steps(position) if not step.cost
            )
            best = min([best, *(moves for moves in further if moves != DEAD)])
        return DEAD if best == NO_SOLUTION else best

    def distribution(self) -> list[int]:
        """Return the numbers of positions without an active peg that have 0, 1, 2, … moves left."""
        counts: list[int] = np.bincount(self._moves[self._moves != NO_SOLUTION]).tolist()
        return counts

    def moves_by_number(self) -> Any:
        """Return the fewest moves by number of the state (uint8, NO_SOLUTION without a solution)."""
        return self._moves


@cached_in_puzzle
def uncompiled_source(puzzle: Puzzle, goal: int) -> Source:
    """Return the source of answers that needs no compiled kernel: a table that numpy builds, if it can.

    Every answer of another puzzle is UNKNOWN.
    """
    return ArraySource(puzzle, goal) if has_array_table(puzzle) else Source()
