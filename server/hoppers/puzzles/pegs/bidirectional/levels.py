"""Levels of a search: all boards with one number of pegs, in a hash set with their moves.

A board's value has a number of moves in bits 56 to 63, the bit PRESENT, and below it a mask of holes. In
forward search: the fewest moves that lead to the board, and the holes whose peg may have made the last of
them; any other peg costs one move more. In backward search: the moves still needed, and the holes whose peg
saves one of them if it is active. Boards have 55 holes at most.
"""

from typing import Any, NamedTuple

import numpy as np

from hoppers.core.kernels import kernel, prefetch

HALVES = 2
"""Parts of a level, by the highest bit of a board's hash; each can be filled by a thread of its own."""
MAX_LOAD = 0.75
"""Share of slots in use beyond which a half grows."""
MIN_SLOTS = 1 << 10
AHEAD = 16
"""Entries between the one whose slot is fetched into the cache and the one that is inserted."""
MOVES_SHIFT = 56
PRESENT = 1 << MOVES_SHIFT - 1
"""Bit that is set in every value, so that no value is 0."""
ACTIVE_MASK = PRESENT - 1
MULTIPLIER = 0x9E3779B97F4A7C15
"""Odd factor near 2**64 / golden ratio: multiplicative hashing (Knuth, volume 3, section 6.4)."""


class Level(NamedTuple):
    """Boards with one number of pegs."""

    halves: list[Any]
    """uint64[slots, 2] each: board (0 in a free slot) and value."""
    sizes: list[int]
    """Boards in each half."""

    @property
    def size(self) -> int:
        """Number of boards."""
        return sum(self.sizes)

    @property
    def bytes(self) -> int:
        """Memory of the level, in bytes."""
        return sum(half.nbytes for half in self.halves)


NO_LEVEL = Level([np.zeros((0, 2), np.uint64)] * HALVES, [0] * HALVES)
"""Argument in place of a level that does not exist."""


@kernel
def hash_of(board: Any) -> Any:
    """Return the hash of a board (uint64)."""
    code = board * np.uint64(MULTIPLIER)
    return (code ^ code >> np.uint64(32)) * np.uint64(MULTIPLIER)


@kernel
def first_slot(code: Any, slots: Any) -> Any:
    """Return the slot of a half from which a board with this hash is looked for.

    A product in place of a remainder: Lemire, "Fast random integer generation in an interval" (2019).
    """
    return (code << np.uint64(1) >> np.uint64(32)) * np.uint64(len(slots)) >> np.uint64(32)


@kernel
def slot_in(board: Any, code: Any, slots: Any) -> Any:
    """Return the slot of a half that holds `board`, or the free slot where it belongs."""
    slot = first_slot(code, slots)
    while slots[slot, 0] != np.uint64(0) and slots[slot, 0] != board:
        slot += np.uint64(1)
        slot = slot if slot < np.uint64(len(slots)) else np.uint64(0)
    return slot


@kernel
def insert(entries: Any, count: int, slots: Any) -> int:
    """Insert (board, value) entries into a half and return the number of new boards.

    Of equal boards the fewest moves are kept, and the active holes of all entries with so few.
    """
    added = 0
    for index in range(count):
        later = entries[min(index + AHEAD, count - 1), 0]
        prefetch(slots, np.int64(first_slot(hash_of(later), slots)))
        board, value = entries[index, 0], entries[index, 1]
        slot = slot_in(board, hash_of(board), slots)
        if slots[slot, 0] == np.uint64(0):
            slots[slot, 0], slots[slot, 1] = board, value
            added += 1
            continue
        known = slots[slot, 1]
        moves, before = value >> np.uint64(MOVES_SHIFT), known >> np.uint64(MOVES_SHIFT)
        if moves < before:
            slots[slot, 1] = value
        elif moves == before:
            slots[slot, 1] = known | value
    return added


@kernel
def move_entries(old: Any, slots: Any, begin: int, stop: int) -> None:
    """Insert the boards in the slots `begin` to `stop` of `old` into a larger half."""
    for index in range(begin, stop):
        board = old[index, 0]
        if board != np.uint64(0):
            slot = slot_in(board, hash_of(board), slots)
            slots[slot, 0], slots[slot, 1] = board, old[index, 1]


@kernel
def half_of(code: Any, halves: Any) -> Any:
    """Return the half of a level that has the boards with this hash."""
    return halves[0] if code >> np.uint64(63) == np.uint64(0) else halves[1]


@kernel
def look_up(board: Any, halves: Any) -> Any:
    """Return the value of a board in a level with these two halves, or 0."""
    code = hash_of(board)
    half = half_of(code, halves)
    slot = slot_in(board, code, half)
    return half[slot, 1] if half[slot, 0] == board else np.uint64(0)


def max_boards(half: Any) -> int:
    """Return the number of boards that a half may hold before it must grow."""
    return int(len(half) * MAX_LOAD)


def empty_half(slots: int) -> Any:
    """Return a half with at least `slots` slots, fewer than 2**32, all free."""
    return np.zeros((max(MIN_SLOTS, slots), 2), np.uint64)


def make_level(boards: int) -> Level:
    """Return an empty level with room for about `boards` boards."""
    slots = int(boards / HALVES / MAX_LOAD) + 1
    return Level([empty_half(slots) for _ in range(HALVES)], [0] * HALVES)


def put(level: Level, board: int, actives: int) -> None:
    """Insert one board that is reached with no moves; `actives`: holes whose peg may be active."""
    half = int(hash_of(np.uint64(board))) >> 63
    level.sizes[half] += insert(np.array([[board, PRESENT | actives]], np.uint64), 1, level.halves[half])


def find(level: Level, board: int) -> int:
    """Return the value of a board, or 0."""
    return int(look_up(np.uint64(board), tuple(level.halves)))
