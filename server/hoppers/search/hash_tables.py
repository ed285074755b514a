"""Hash tables of positions: a set of boards, and the transposition table of the iterative-deepening search.

Both use open addressing and linear probing; a free slot contains 0.

The transposition table stores positions whose subtree was searched without finding a solution, so that
another line that reaches such a position can be pruned. It survives from one move limit to the next. Source:
Reinefeld and Marsland, "Enhanced iterative-deepening search" (1994).

An entry maps a position, including the active hole, to the largest number of moves left with which its
subtree was searched in vain. In a puzzle without cycles the entry is `UNSOLVABLE` if no limit pruned any
part of that subtree: then more moves would not help either. A search without a table passes None, and the
compiler removes the calls.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel

MIXER = 0x9E3779B97F4A7C15
"""Multiplier of Fibonacci hashing: odd, near 2**64 / golden ratio (Knuth, volume 3, section 6.4)."""
UNSOLVABLE = 127
"""Stored moves left of a position that cannot be solved with any number of moves (the maximum of an int8)."""
SLOTS_BITS = 20  # binary logarithm of the number of slots; a slot takes 9 bytes
TABLE_BYTES = 9 << SLOTS_BITS
PROBES = 4
"""Slots examined per key. If all are taken, the last is overwritten: its position may be searched again."""


@kernel
def slot_of(board: Any, slots: Any) -> Any:
    """Return the slot that holds `board` (any number but 0), or the free slot where it belongs.

    `slots` is uint64[2**n] and has at least one free slot: otherwise the search for one would not end.
    """
    mask = np.uint64(len(slots) - 1)
    # Bit k of the product depends on bits 0 to k of the board only, so the 24 lowest are dropped.
    slot = (board * np.uint64(MIXER) >> np.uint64(24)) & mask
    while slots[slot] != np.uint64(0) and slots[slot] != board:
        slot = (slot + np.uint64(1)) & mask
    return slot


class TranspositionTable(NamedTuple):
    """Hash table of positions, and counts from the time when each position on the path was expanded."""

    keys: Any  # uint64[slots]: position keys, 0 in a free slot
    lefts: Any  # int8[slots]: most moves left with which the position was searched in vain, or UNSOLVABLE
    cuts: Any  # int64[depth]: pruned positions counted before the position on the path was expanded
    solutions: Any  # int64[depth]: solutions counted before the position on the path was expanded


def new_table() -> TranspositionTable:
    """Return an empty table."""
    counts = np.zeros((2, 130), np.int64)  # no path has more than 130 positions
    keys, lefts = np.zeros(1 << SLOTS_BITS, np.uint64), np.zeros(1 << SLOTS_BITS, np.int8)
    return TranspositionTable(keys, lefts, counts[0], counts[1])


@kernel
def key_of(state: Any, active: int, chains: bool) -> Any:
    """Return the key of a position, which is never 0.

    With `chains` the state must have at most 48 bits. Without, it must not be 0, and it determines the active
    hole.
    """
    # `active` is -1 (none) or a hole; with 2 added, the key cannot be 0, which marks a free slot
    return state | np.uint64(active + 2) << np.uint64(48) if chains else state


@kernel
def look_up(table: TranspositionTable | None, key: Any) -> int:
    """Return what the table stores for a position (see `TranspositionTable.lefts`), or -1 if nothing."""
    if table is None:
        return -1
    last = np.uint64(len(table.keys) - 1)
    slot = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for probe in range(PROBES):
        place = (slot + np.uint64(probe)) & last
        if table.keys[place] == key:
            return int(table.lefts[place])
    return -1


@kernel
def record_counts(table: TranspositionTable | None, depth: int, cut: int, solutions: int) -> None:
    """Record the counts of pruned positions and solutions before the position at `depth` is expanded.

    `store_on_leave` needs them. Without a table, do nothing.
    """
    if table is not None:
        table.cuts[depth], table.solutions[depth] = cut, solutions


@kernel
def store_on_leave(
    table: TranspositionTable | None, depth: int, key: Any, left: int, cut: int, solutions: int, acyclic: bool
) -> None:
    """Store the position at `depth` of the path, which the search leaves, unless it leads to a solution.

    Without a table, do nothing. `key`: key of the position. `left`: moves left at the position under the
    current limit. `cut`, `solutions`: pruned positions and solutions counted so far. `acyclic`: whether no
    path in the puzzle reaches a position twice.
    """
    # A position above a solution is never stored, so searches that count all solutions stay exact.
    # If the count of pruned positions has not risen either, the whole subtree was searched, and an acyclic
    # puzzle has no further lines from here. In a puzzle with cycles the step that undoes the last
    # one was skipped, so nothing is proved about other numbers of moves.
    if table is not None and solutions == table.solutions[depth]:
        last = np.uint64(len(table.keys) - 1)
        place = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
        # Only PROBES - 1 slots are tested: if none of them fits, the last one is replaced whatever it holds.
        # Losing an entry costs time only, because an unknown position is searched again.
        for _ in range(PROBES - 1):
            if table.keys[place] == key or table.keys[place] == np.uint64(0):
                break
            place = (place + np.uint64(1)) & last
        table.keys[place] = key
        table.lefts[place] = UNSOLVABLE if acyclic and cut == table.cuts[depth] else left
