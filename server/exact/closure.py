"""Everything that can still happen from one position, with f of each board: exact, and no table needed.

A breadth-first list of the boards that jumps can reach (in a hash table of boards), then f from fewest pegs
up (see `exact.pegs`). One closure answers its position, all its steps and everything behind them. From about
24 pegs down that takes well under a second on every board; in the opening it is too large, hence the cap.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..records import DEAD, UNKNOWN, Position
from ..search.hashing import FULLEST, insert_all, slot_of
from ..search.jumps import Shifts, jumps_down, lowest_bit

SMALLEST = 12
"""The hash table starts with at least 2 to this many slots."""
SLICE = 1 << 15
"""Boards per kernel call: a few milliseconds."""
MOVES_SHIFT = 56
"""A value is f + 1 above this many bits of first movers; 0 until it is known."""
NO_SOLUTION = 254


class Closure(NamedTuple):
    """The hash table and the boards in the order found; slots are named by their number in the tables."""

    boards: Any
    """uint64[2**n]: the board in each slot, 0 in a free one."""
    values: Any
    """uint64[2**n]: its value, see MOVES_SHIFT."""
    order: Any
    """uint64: the boards found, most pegs first."""

    @property
    def bytes(self) -> int:
        """Memory it takes."""
        return int(self.boards.nbytes + self.values.nbytes + self.order.nbytes)

    @property
    def counts(self) -> list[int]:
        """How many boards that can be solved have 0, 1, 2, … moves left."""
        fewest = (self.values[self.boards != 0] >> np.uint64(MOVES_SHIFT)).astype(np.int64) - 1
        return [int(count) for count in np.bincount(fewest[fewest != NO_SOLUTION])]

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD; UNKNOWN where the board is not in it."""
        slot = int(slot_of(np.uint64(position.state), self.boards))
        if int(self.boards[slot]) != position.state:
            return UNKNOWN
        value = int(self.values[slot])
        fewest = (value >> MOVES_SHIFT) - 1
        if fewest == NO_SOLUTION:
            return DEAD
        return fewest - (position.active >= 0 and value >> position.active & 1)


@kernel
def reach(order: Any, start: int, end: int, stop: int, boards: Any, shifts: Any) -> tuple[int, int]:
    """List what jumps reach from `order[start:]`, which holds `end` boards, up to number `stop` of them.

    Returns the new start and end; also stops early when the table or the list is nearly full.
    """
    room = min(len(order), int(len(boards) * FULLEST)) - 64 * (len(shifts.first) - 1)
    while start < end and start < stop and end < room:
        board = order[start]
        for slot in range(len(shifts.first) - 1):
            lows = jumps_down(board, slot, shifts)
            while lows != np.uint64(0):
                after = board ^ shifts.lines[np.uint64(64 * slot) + lowest_bit(lows)]
                lows &= lows - np.uint64(1)
                place = slot_of(after, boards)
                order[end] = after
                end += int(boards[place] == np.uint64(0))
                boards[place] = after
        start += 1
    return start, end


@kernel
def count_moves(order: Any, goal: int, boards: Any, values: Any, shifts: Any) -> None:
    """Fill the values of boards whose followers all have theirs; the last of `order` first.

    `goal`: the hole of the last peg, or -1 for anywhere.
    """
    one = np.uint64(1)
    for index in range(len(order) - 1, -1, -1):
        board = order[index]
        least, starters = np.uint64(NO_SOLUTION), np.uint64(0)
        if board & (board - one) == np.uint64(0) and (goal < 0 or board == one << np.uint64(goal)):
            least = np.uint64(0)
        for slot in range(len(shifts.first) - 1):
            lows = jumps_down(board, slot, shifts)
            while lows != np.uint64(0):
                low = lowest_bit(lows)
                lows &= lows - one
                line = np.uint64(64 * slot) + low
                value = values[slot_of(board ^ shifts.lines[line], boards)]
                upwards = board >> low & one
                origin = one << (low + shifts.spans[line] * (one - upwards))
                target = low + shifts.spans[line] * upwards
                moves = (value >> np.uint64(MOVES_SHIFT)) - (value >> target & one)
                also = origin if moves == least else np.uint64(0)
                starters = origin if moves < least else starters | also
                least = min(moves, least)
        if least == np.uint64(NO_SOLUTION):
            starters = np.uint64(0)
        values[slot_of(board, boards)] = (least + one) << np.uint64(MOVES_SHIFT) | starters


def close(starts: Any, goal: int, shifts: Shifts, most: int) -> Generator[float, None, Closure | None]:
    """Make the closure of boards with equally many pegs (uint64) in steps of a few milliseconds.

    Yields how much of `most` boards has been reached; returns None if there are more.
    """
    size = 1 << max(SMALLEST, (2 * len(starts)).bit_length())
    boards, order = np.zeros(size, np.uint64), np.zeros(size, np.uint64)
    order[: len(starts)] = starts
    insert_all(order[: len(starts)], boards)
    start, end = 0, len(starts)
    while start < end:
        reached = reach(order, start, end, start + SLICE, boards, shifts)
        if reached == (start, end):  # no room for another board's jumps
            if end > most:
                return None
            order = np.concatenate([order, np.zeros_like(order)])
            boards = np.zeros(2 * len(boards), np.uint64)
            for first in range(0, end, SLICE):
                insert_all(order[first : min(first + SLICE, end)], boards)
                yield min(1.0, end / most)
        start, end = reached
        yield min(1.0, end / most)
    values = np.zeros(len(boards), np.uint64)
    for last in range(end, 0, -SLICE):
        count_moves(order[max(0, last - SLICE) : last], goal, boards, values, shifts)
        yield min(1.0, end / most)
    return Closure(boards, values, order[:end].copy())
