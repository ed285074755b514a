"""Pagoda functions for both sides of a search: what can reach no end, and what the start cannot reach.

Backwards the complements are weighed. A jump taken back is a jump of the complement, which plays towards the
complement of the start; so a board is out of reach where weights prove that its complement never gets there.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hoppers.puzzles.pegs.bitboards.jump_masks import Shifts, jumps_of
from hoppers.puzzles.pegs.bitboards.pagoda_filter import Proofs, Scale, no_weighing
from hoppers.search.slicing import Pausable

SAMPLED_FROM, SAMPLE = 1000, 6
"""Of lists of so many boards or more, this many are tried for new functions."""
TRIES = 60
"""Boards tried for a side altogether: a twentieth of a second."""


class Scales:
    """The scale of one side, which gets better as it goes on."""

    def __init__(self, shifts: Shifts, holes: int, flip: int, ends: list[int]) -> None:
        """Nothing is known. `ends`: what boards have to lead to once the holes of `flip` are turned over."""
        self.scale = Scale(np.uint64(flip), no_weighing(len(shifts.lines)))
        self._ends, self._tries = ends, TRIES
        self._proofs = Proofs(jumps_of(shifts), holes, shifts)

    def learn(self, listed: Any, board_of: Callable[[Any], int] = int) -> Pausable[None]:
        """Look for functions that prove something about a few boards of a long list.

        `board_of`: what turns what is listed into boards.
        """
        if len(listed) < SAMPLED_FROM or self._tries <= 0:
            return
        sample = listed[:: -(-len(listed) // SAMPLE)]
        self._tries -= len(sample)
        for one in sample:
            self._proofs.learn([board_of(one) ^ int(self.scale.flip)], self._ends)
            yield
        self.scale = self.scale._replace(weighing=self._proofs.weighing(self._ends))


def scales_of(shifts: Shifts, holes: int, starts: list[int], ends: list[int]) -> tuple[Scales, Scales]:
    """The scales of what comes down from the starts and of what goes up from the ends."""
    every = (1 << holes) - 1
    return Scales(shifts, holes, 0, ends), Scales(shifts, holes, every, [start ^ every for start in starts])
