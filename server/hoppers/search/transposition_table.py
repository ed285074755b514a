"""What a deepening search remembers from limit to limit: positions below which nothing was found.

A table of fixed size beside the search (Reinefeld and Marsland, "Enhanced iterative-deepening search", 1994).
For a position, with the peg in hand, it keeps the most moves left with which everything below was searched in
vain; `FOREVER` where no limit cut any of it, so that no number of moves would do.

The kernels come in two kinds with the same signatures: those that remember, and those of a search without a
memory, which the compiler leaves out.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel
from hoppers.search.hash_set import MIXER

FOREVER = 127
SLOTS_BITS = 20
PROBES = 4
"""Slots looked at; where all are taken the last is overwritten: what is forgotten is searched again."""
HAND_SHIFT = 48
"""The peg in hand stands above the holes in a key."""
DEEPEST = 130


class Memory(NamedTuple):
    """The table, and what the counts were when each position of the line was entered."""

    keys: Any
    """uint64, 0 where free."""
    lefts: Any
    """int8, beside the keys."""
    cuts: Any
    solutions: Any


def empty_memory(bits: int = SLOTS_BITS) -> Memory:
    """A table that remembers nothing."""
    counts = np.zeros((2, DEEPEST), np.int64)
    return Memory(np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int8), counts[0], counts[1])


@kernel
def key_with_hand(state: Any, active: int) -> Any:
    """The position in one word that is never 0."""
    return state | np.uint64(active + 2) << np.uint64(HAND_SHIFT)


@kernel
def key_of_state(state: Any, active: int) -> Any:
    """The same where the state tells what is active, and is never 0."""
    return state


@kernel
def recall(memory: Memory, key: Any) -> int:
    """The most moves left with which nothing was found below the position; -1 where that is not known."""
    last = np.uint64(len(memory.keys) - 1)
    slot = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for probe in range(PROBES):
        place = (slot + np.uint64(probe)) & last
        if memory.keys[place] == key:
            return int(memory.lefts[place])
    return -1


@kernel
def keep(memory: Memory, key: Any, left: int) -> None:
    """Remember that nothing was found below the position with so many moves left."""
    last = np.uint64(len(memory.keys) - 1)
    place = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for _ in range(PROBES - 1):
        if memory.keys[place] == key or memory.keys[place] == np.uint64(0):
            break
        place = (place + np.uint64(1)) & last
    memory.keys[place], memory.lefts[place] = key, left


@kernel
def note(memory: Memory, depth: int, cut: int, solutions: int) -> None:
    """Remember the counts with which a position of the line is entered."""
    memory.cuts[depth], memory.solutions[depth] = cut, solutions


@kernel
def keep_left(memory: Memory, depth: int, key: Any, left: int, cut: int, solutions: int, ends: bool) -> None:
    """Keep a position of the line that is left, if nothing was found below it.

    `ends`: no line comes back to a position, so that one below which no limit cut anything is hopeless.
    """
    if solutions == memory.solutions[depth]:
        keep(memory, key, FOREVER if ends and cut == memory.cuts[depth] else left)


@kernel
def recall_nothing(memory: Memory, key: Any) -> int:
    """Nothing is known."""
    return -1


@kernel
def note_nothing(memory: Memory, depth: int, cut: int, solutions: int) -> None:
    """Remember no counts."""


@kernel
def keep_nothing(
    memory: Memory, depth: int, key: Any, left: int, cut: int, solutions: int, ends: bool
) -> None:
    """Keep no position."""


REMEMBERING: dict[str, Kernel] = {"recall": recall, "note": note, "keep_left": keep_left}
"""What the generic search calls by these names."""
FORGETTING: dict[str, Kernel] = {
    "recall": recall_nothing,
    "note": note_nothing,
    "keep_left": keep_nothing,
}
