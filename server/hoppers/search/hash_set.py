"""A set of boards as one array of 64-bit words: open addressing, 0 marks a free slot."""

from typing import Any

import numpy as np

from hoppers.core.kernels import kernel

FULLEST = 0.6
"""Share of slots in use beyond which a set should grow."""
MIXER = 0x9E3779B97F4A7C15
"""Odd, near 2**64 / golden ratio: Knuth's multiplicative hashing."""


@kernel
def slot_of(board: Any, slots: Any) -> Any:
    """The slot that holds the board, or the free one where it belongs. `slots`: uint64[2**n], not full."""
    mask = np.uint64(len(slots) - 1)
    slot = (board * np.uint64(MIXER) >> np.uint64(24)) & mask
    while slots[slot] != np.uint64(0) and slots[slot] != board:
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def insert_all(boards: Any, slots: Any) -> None:
    """Put boards (uint64, none of them 0) into the set."""
    for board in boards:
        slots[slot_of(board, slots)] = board


def room_in(slots: Any) -> int:
    """How many boards the set takes before it should grow."""
    return int(len(slots) * FULLEST)
