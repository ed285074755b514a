"""Pagoda functions for both directions of a search: they prove boards dead, or unreachable.

In backward search, complements are weighed. A jump taken back is a jump of the complement, which plays
towards the complement of the start. A board is therefore out of reach of the start if weights prove that the
complement of the start cannot be reached from the board's complement.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, jumps_of
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaFilter, PagodaSet, no_pagodas
from hoppers.search.slicing import Pausable

MIN_SAMPLED, SAMPLE_SIZE = 1000, 6
"""Least length of a list of boards that is sampled for new functions, and number of boards sampled."""
MAX_TRIES = 60  # boards tried per direction in all: a twentieth of a second


class PagodaLearner:
    """Pagoda filter of one direction, to which new pagoda functions are added while the search runs."""

    def __init__(self, shifts: Shifts, holes: int, flip: int, ends: list[int]) -> None:
        """Start without pagoda functions.

        Args:
            shifts: lines of the board.
            holes: number of holes.
            flip: holes to toggle before a board is weighed.
            ends: boards that a toggled board has to lead to.
        """
        self.current = PagodaFilter(np.uint64(flip), no_pagodas(len(shifts.lines)))
        self._ends, self._tries = ends, MAX_TRIES
        self._pagoda_set = PagodaSet(jumps_of(shifts), holes, shifts)

    def learn(self, listed: Any, board_of: Callable[[Any], int] = int) -> Pausable[None]:
        """Find pagoda functions that exclude sampled boards of a long list, and add them to the filter.

        Args:
            listed: boards, or keys of boards.
            board_of: converts an entry of `listed` to a board.
        """
        if len(listed) < MIN_SAMPLED or self._tries <= 0:
            return
        sample = listed[:: -(-len(listed) // SAMPLE_SIZE)]
        self._tries -= len(sample)
        for one in sample:
            self._pagoda_set.learn([board_of(one) ^ int(self.current.flip)], self._ends)
            yield
        self.current = self.current._replace(tables=self._pagoda_set.tables(self._ends))


def pagoda_learners(
    shifts: Shifts, holes: int, starts: list[int], ends: list[int]
) -> tuple[PagodaLearner, PagodaLearner]:
    """Return the improving pagoda filters of the forward search from `starts` and backward from `ends`."""
    every = (1 << holes) - 1
    return PagodaLearner(shifts, holes, 0, ends), PagodaLearner(
        shifts, holes, every, [start ^ every for start in starts]
    )
