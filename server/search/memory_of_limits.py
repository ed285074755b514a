"""What a deepening search remembers from limit to limit: positions below which nothing was found.

A table of fixed size beside the search (Reinefeld and Marsland, "Enhanced iterative-deepening search", 1994).
For a position with a peg in hand it keeps the most moves left with which everything below was searched in
vain; `FOREVER` where no limit cut any of it, so that no number of moves would do.
"""

from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from .hashing import MIXER

FOREVER = 127
SLOTS_BITS = 20
PROBES = 4
"""Slots looked at; where all are taken the last is overwritten: what is forgotten is searched again."""
HAND_SHIFT = 48
"""The peg in hand stands above the holes in a key."""


class Memory(NamedTuple):
    """The table, and what the counts were when each position of the line was entered."""

    keys: Any
    """uint64, 0 where free."""
    lefts: Any
    """int8, beside the keys."""
    cuts: Any
    solutions: Any


def empty_memory() -> Memory:
    """A table that remembers nothing."""
    size, depths = 1 << SLOTS_BITS, 66
    counts = np.zeros((2, depths), np.int64)
    return Memory(np.zeros(size, np.uint64), np.zeros(size, np.int8), counts[0], counts[1])


@kernel
def key_of(state: Any, active: int) -> Any:
    """The position in one word that is never 0."""
    return state | np.uint64(active + 2) << np.uint64(HAND_SHIFT)


@kernel
def recall(memory: Any, state: Any, active: int) -> int:
    """The most moves left with which nothing was found below the position; -1 where that is not known."""
    key, last = key_of(state, active), np.uint64(len(memory.keys) - 1)
    slot = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for probe in range(PROBES):
        place = (slot + np.uint64(probe)) & last
        if memory.keys[place] == key:
            return int(memory.lefts[place])
    return -1


@kernel
def keep(memory: Any, state: Any, active: int, left: int) -> None:
    """Remember that nothing was found below the position with so many moves left."""
    key, last = key_of(state, active), np.uint64(len(memory.keys) - 1)
    place = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for _ in range(PROBES - 1):
        if memory.keys[place] == key or memory.keys[place] == np.uint64(0):
            break
        place = (place + np.uint64(1)) & last
    memory.keys[place], memory.lefts[place] = key, left
