"""Pagoda functions for both sides of a search: what can reach no end, and what the start cannot reach.

Backwards the complements are weighed. A jump taken back is a jump of the complement, which plays towards the
complement of the start; so a board is out of reach where weights prove that its complement never gets there.
"""

from typing import Any

import numpy as np

from ..search.jumps import Shifts, jumps_of
from ..search.slices import Pauses
from .numbering import Numbering, board_of
from .weighing import Proofs, Scale, no_weighing

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

    def learn(self, keys: Any, numbering: Numbering) -> Pauses[None]:
        """Look for functions that prove something about a few boards of a long list."""
        if len(keys) < SAMPLED_FROM or self._tries <= 0:
            return
        sample = keys[:: -(-len(keys) // SAMPLE)]
        self._tries -= len(sample)
        for key in sample:
            self._proofs.learn([int(board_of(key, numbering) ^ self.scale.flip)], self._ends)
            yield
        self.scale = self.scale._replace(weighing=self._proofs.weighing(self._ends))


def scales_of(shifts: Shifts, holes: int, start: int, ends: list[int]) -> tuple[Scales, Scales]:
    """The scales of what comes down from the start and of what goes up from the ends."""
    every = (1 << holes) - 1
    return Scales(shifts, holes, 0, ends), Scales(shifts, holes, every, [start ^ every])
