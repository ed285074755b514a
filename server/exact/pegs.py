"""Complete tables for peg boards small enough to number every position (up to 21 holes).

Let f(b) be the fewest moves from board b with no peg in hand, and g(b, p) the same with peg p in hand.
Stopping costs nothing and starting p again costs one move, so g(b, p) is f(b) or f(b) - 1; it is f(b) - 1
exactly when p makes the first move of some shortest solution of b. One byte and one mask of these best
first movers per board therefore say everything (docs/tables.md).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ..compiled import kernel
from ..records import DEAD, Position, Source
from ..search.jumps import JumpList, jumps_up, lowest_bit, shift_groups
from . import complete

MOST_HOLES = 21
"""An entry is one 32-bit word: f above so many bits of first movers."""
UNSOLVED = 0xFFFFFFFF
ENTRY_BYTES = 4
TABLES_KEPT = 12


@kernel
def fill(goals: Any, holes: int, shifts: Any) -> Any:
    """The table for one goal, growing backwards from the solved boards (uint32), fewest pegs first.

    Returns entries uint32[2**holes], UNSOLVED where there is no solution. A board's turn comes when all
    boards one jump later have told what they are worth.
    """
    entries = np.full(1 << holes, np.uint32(UNSOLVED), np.uint32)
    queue = np.empty((1 << holes) + 1, np.uint32)
    queue[: len(goals)] = goals
    entries[goals] = 0
    start, end = 0, len(goals)
    while start < end:
        end = tell(np.uint64(queue[start]), entries, queue, end, shifts)
        start += 1
    return entries


@kernel
def tell(board: Any, entries: Any, queue: Any, end: int, shifts: Any) -> int:
    """Tell the boards one jump earlier what a board is worth; those told first join the end of the queue.

    Returns the new end. Written without branches in the inner loop: which jump is best is as good as random,
    and a branch guessed wrongly costs more than the arithmetic.
    """
    one, width, entry = np.uint64(1), np.uint64(MOST_HOLES), np.uint64(entries[board])
    for slot in range(len(shifts.first) - 1):
        lows = jumps_up(board, slot, shifts)
        while lows != np.uint64(0):
            low = lowest_bit(lows)
            lows &= lows - one
            line = np.uint64(64 * slot) + low
            before = board ^ shifts.lines[line]
            downwards = board >> low & one  # 1 where the peg jumped from the high end to the low one
            origin = one << (low + shifts.spans[line] * downwards)
            target = low + shifts.spans[line] * (one - downwards)
            moves, known = (entry >> width) + one - (entry >> target & one), np.uint64(entries[before])
            better, equal = moves < known >> width, moves == known >> width
            entries[before] = moves << width | origin if better else known | origin * np.uint64(equal)
            queue[end] = before
            end += int(known == np.uint64(UNSOLVED))
    return end


class PegTable(NamedTuple):
    """The complete table of one board and goal."""

    entries: Any

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD."""
        entry = int(self.entries[position.state])
        if entry == UNSOLVED:
            return DEAD
        return (entry >> MOST_HOLES) - (position.active >= 0 and entry >> position.active & 1)

    def can_list(self, position: Position) -> bool:
        """Always: every position is in the table."""
        return True

    def distribution(self) -> list[int]:
        """How many boards without a peg in hand need so many moves."""
        solved = self.entries[self.entries != UNSOLVED]
        counts: list[int] = np.bincount(solved >> MOST_HOLES).tolist()
        return counts


def complete_tables(jumps: JumpList, holes: int) -> Callable[[int], Source]:
    """A function from goal (a hole, or -1 for anywhere) to its table, remembering the last ones asked for."""
    shifts = shift_groups(jumps)

    @lru_cache(maxsize=TABLES_KEPT)
    def source(goal: int) -> Source:
        ends = np.array([1 << end for end in (range(holes) if goal < 0 else [goal])], np.uint32)
        what = ("jumps", jumps, holes, goal)
        return PegTable(complete.table(what, ENTRY_BYTES << holes, lambda: fill(ends, holes, shifts)))

    return source
