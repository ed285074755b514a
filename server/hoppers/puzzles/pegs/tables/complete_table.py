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

from hoppers.core.kernels import kernel
from hoppers.core.model import DEAD, Position, Source
from hoppers.puzzles.pegs.bitboards.jump_masks import (
    JumpList,
    backward_jump_ends,
    backward_jumps,
    lowest_bit,
    popcount,
    shift_groups,
)
from hoppers.tablebase import complete_tables as complete

MAX_HOLES = 21
"""An entry is one 32-bit word: f above so many bits of first movers."""
UNSOLVED = 0xFFFFFFFF
ENTRY_BYTES = 4
MAX_CACHED_TABLES = 12


@kernel
def fill_table(goals: Any, holes: int, shifts: Any) -> Any:
    """The table for one goal, growing backwards from the solved boards (uint32).

    Returns entries uint32[2**holes], UNSOLVED where there is no solution. A board's turn comes when all
    boards one jump later have told what they are worth.
    """
    entries = np.full(1 << holes, np.uint32(UNSOLVED), np.uint32)
    entries[goals] = 0
    for board in boards_by_pegs(holes):
        if entries[board] != np.uint32(UNSOLVED):
            propagate(np.uint64(board), entries, shifts)
    return entries


@kernel
def boards_by_pegs(holes: int) -> Any:
    """All boards (uint32), those of fewest pegs first and among equals in rising order.

    So the boards that they tell come in a rising row for each line, near the processor.
    """
    nexts, boards = np.zeros(holes + 2, np.int64), np.empty(1 << holes, np.uint32)
    for board in range(1 << holes):
        nexts[popcount(np.uint64(board)) + 1] += 1
    nexts = np.cumsum(nexts)
    for board in range(1 << holes):
        pegs = popcount(np.uint64(board))
        boards[nexts[pegs]] = board
        nexts[pegs] += 1
    return boards


@kernel
def propagate(board: Any, entries: Any, shifts: Any) -> None:
    """Tell the boards one jump earlier what a board is worth.

    Written without branches in the inner loop: which jump is best is as good as random, and a branch guessed
    wrongly costs more than the arithmetic.
    """
    one, width, entry = np.uint64(1), np.uint64(MAX_HOLES), np.uint64(entries[board])
    for slot in range(len(shifts.first) - 1):
        lows = backward_jumps(board, slot, shifts)
        while lows != np.uint64(0):
            low = lowest_bit(lows)
            lows &= lows - one
            line = np.uint64(64 * slot) + low
            before = board ^ shifts.lines[line]
            origin, target = backward_jump_ends(board, low, line, shifts)
            moves, known = (entry >> width) + one - (entry >> target & one), np.uint64(entries[before])
            better, equal = moves < known >> width, moves == known >> width
            entries[before] = moves << width | one << origin if better else known | np.uint64(equal) << origin


class PegTable(NamedTuple):
    """The complete table of one board and goal."""

    entries: Any

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or DEAD."""
        entry = int(self.entries[position.state])
        if entry == UNSOLVED:
            return DEAD
        return (entry >> MAX_HOLES) - (position.active >= 0 and entry >> position.active & 1)

    def can_list(self, position: Position) -> bool:
        """Always: every position is in the table."""
        return True

    def distribution(self) -> list[int]:
        """How many boards without a peg in hand need so many moves."""
        solved = self.entries[self.entries != UNSOLVED]
        counts: list[int] = np.bincount(solved >> MAX_HOLES).tolist()
        return counts


def complete_tables(jumps: JumpList, holes: int) -> Callable[[int], Source]:
    """A function from goal (a hole, or -1 for anywhere) to its table, remembering the last ones asked for."""
    shifts = shift_groups(jumps)

    @lru_cache(maxsize=MAX_CACHED_TABLES)
    def source(goal: int) -> Source:
        ends = np.array([1 << end for end in (range(holes) if goal < 0 else [goal])], np.uint32)
        what = ("jumps", jumps, holes, goal)
        return PegTable(complete.table(what, ENTRY_BYTES << holes, lambda: fill_table(ends, holes, shifts)))

    return source
