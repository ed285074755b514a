"""Hash set of boards in one array of 64-bit words: open addressing, linear probing, 0 in a free slot."""

from typing import Any

import numpy as np

from hoppers.core.kernels import kernel

MAX_LOAD = 0.6
"""Share of slots in use beyond which a set should grow."""
MIXER = 0x9E3779B97F4A7C15
"""Multiplier of Fibonacci hashing: odd, near 2**64 / golden ratio (Knuth, volume 3, section 6.4)."""


@kernel
def slot_of(board: Any, slots: Any) -> Any:
    """Return the slot that holds `board`, or the free slot where it belongs.

    `slots` is uint64[2**n] and has at least one free slot: otherwise the search for one would not end.
    """
    mask = np.uint64(len(slots) - 1)
    # Bit k of the product depends on bits 0 to k of the board only, so the 24 lowest bits are left out.
    slot = (board * np.uint64(MIXER) >> np.uint64(24)) & mask
    while slots[slot] != np.uint64(0) and slots[slot] != board:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def insert_all(boards: Any, slots: Any) -> None:
    """Insert `boards` (uint64, none of them 0) into the set."""
    for board in boards:
        slots[slot_of(board, slots)] = board


def room_in(slots: Any) -> int:
    """Return the number of boards the set can hold before it should grow."""
    return int(len(slots) * MAX_LOAD)
