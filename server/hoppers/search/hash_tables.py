"""Hash tables of positions: a set of boards, and the transposition table of the iterative-deepening search.

Both use open addressing and linear probing; a free slot contains 0.

The transposition table stores positions whose subtree was searched without finding a solution, so that
another line that reaches such a position can be pruned. It survives from one move limit to the next. Source:
Reinefeld and Marsland, "Enhanced iterative-deepening search" (1994).

An entry maps a position, including the active hole, to the largest number of moves left with which its
subtree was searched in vain. The entry is `UNSOLVABLE` if no limit pruned any part of that subtree: then more
moves would not help either.

The kernels of the transposition table exist in two sets with equal signatures: `WITH_TABLE` and
`WITHOUT_TABLE`. The second set does nothing, so the compiler removes the calls from a search without a table.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import Kernel, kernel

MIXER = 0x9E3779B97F4A7C15
"""Multiplier of Fibonacci hashing: odd, near 2**64 / golden ratio (Knuth, volume 3, section 6.4)."""
MAX_LOAD = 0.6
"""Share of the slots of a set in use beyond which the set should grow."""
SLOT_BYTES = 14
"""Bytes per slot of a set of boards, including the lists of its boards at the highest load."""
UNSOLVABLE = 127
"""Stored moves left of a position that cannot be solved with any number of moves (the maximum of an int8)."""
SLOTS_BITS = 20
"""Binary logarithm of the number of slots; a slot takes 9 bytes."""
PROBES = 4
"""Slots examined per key. If all are taken, the last is overwritten: its position may be searched again."""
ACTIVE_SHIFT = 48
"""Lowest bit of the active hole in a key, above the bits of the holes."""


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


class TranspositionTable(NamedTuple):
    """Hash table of positions, and counts from the time when each position on the path was expanded."""

    keys: Any
    """uint64[slots]: position keys, 0 in a free slot."""
    lefts: Any
    """int8[slots]: moves left with which the position in the same slot of `keys` was searched in vain."""
    cuts: Any
    """int64[depth]: pruned positions counted before the position at this depth of the path was expanded."""
    solutions: Any
    """int64[depth]: solutions counted before the position at this depth of the path was expanded."""


def new_table(bits: int = SLOTS_BITS) -> TranspositionTable:
    """Return an empty table of `2**bits` slots."""
    counts = np.zeros((2, 130), np.int64)  # no path has more positions
    keys, lefts = np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int8)
    return TranspositionTable(keys, lefts, counts[0], counts[1])


@kernel
def key_with_active(state: Any, active: int) -> Any:
    """Return the key of a position whose active hole is not part of `state`; never 0."""
    # `active` is -1 (none) or a hole, so adding 2 keeps the upper bits, and with them the key, above 0
    return state | np.uint64(active + 2) << np.uint64(ACTIVE_SHIFT)


@kernel
def key_of_state(state: Any, active: int) -> Any:
    """Return the key of a position whose `state` determines the active hole and is never 0."""
    return state


@kernel
def look_up(table: TranspositionTable, key: Any) -> int:
    """Return the most moves left with which the position was searched in vain, or -1 if it is not stored."""
    last = np.uint64(len(table.keys) - 1)
    slot = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    for probe in range(PROBES):
        place = (slot + np.uint64(probe)) & last
        if table.keys[place] == key:
            return int(table.lefts[place])
    return -1


@kernel
def store(table: TranspositionTable, key: Any, left: int) -> None:
    """Store that a position was searched in vain with `left` moves left. UNSOLVABLE means any number."""
    last = np.uint64(len(table.keys) - 1)
    place = key * np.uint64(MIXER) >> np.uint64(64 - SLOTS_BITS)
    # Only PROBES - 1 slots are tested: if none of them fits, the loop ends on the last one, which is replaced
    # whatever it holds. Losing an entry costs time only, because an unknown position is searched again.
    for _ in range(PROBES - 1):
        if table.keys[place] == key or table.keys[place] == np.uint64(0):
            break
        place = (place + np.uint64(1)) & last
    table.keys[place], table.lefts[place] = key, left


@kernel
def record_counts(table: TranspositionTable, depth: int, cut: int, solutions: int) -> None:
    """Record the counts of pruned positions and solutions before the position at `depth` is expanded."""
    table.cuts[depth], table.solutions[depth] = cut, solutions


@kernel
def store_on_leave(
    table: TranspositionTable, depth: int, key: Any, left: int, cut: int, solutions: int, acyclic: bool
) -> None:
    """Store the position at `depth` of the path, which the search leaves, unless it leads to a solution.

    Args:
        table: the transposition table.
        depth: index of the position on the path.
        key: key of the position.
        left: moves left at the position under the current limit.
        cut: pruned positions counted so far.
        solutions: solutions counted so far.
        acyclic: whether no path in the puzzle reaches a position twice.
    """
    # A position above a solution is never stored, so searches that count all solutions stay exact.
    # If the count of pruned positions has not risen either, the whole subtree was searched, and an acyclic
    # puzzle has no further lines from here. In a puzzle with cycles the step that undoes the last
    # one was skipped, so nothing is proved about other numbers of moves.
    if solutions == table.solutions[depth]:
        store(table, key, UNSOLVABLE if acyclic and cut == table.cuts[depth] else left)


@kernel
def no_look_up(table: TranspositionTable, key: Any) -> int:
    """Return -1: the search has no table."""
    return -1


@kernel
def no_record(table: TranspositionTable, depth: int, cut: int, solutions: int) -> None:
    """Do nothing: the search has no table."""


@kernel
def no_store(
    table: TranspositionTable, depth: int, key: Any, left: int, cut: int, solutions: int, acyclic: bool
) -> None:
    """Do nothing: the search has no table."""


WITH_TABLE: dict[str, Kernel] = {
    "look_up": look_up,
    "record_counts": record_counts,
    "store_on_leave": store_on_leave,
}
"""Kernels to specialise `dfs_kernel.descend` with, for a search with a transposition table."""
WITHOUT_TABLE: dict[str, Kernel] = {
    "look_up": no_look_up,
    "record_counts": no_record,
    "store_on_leave": no_store,
}
"""Kernels to specialise `dfs_kernel.descend` with, for a search without a transposition table."""
