"""Complete tables by retrograde analysis, for peg boards of up to 21 holes: every position has an entry.

Let f(b) be the fewest moves from board b without an active peg, and g(b, p) the fewest with active peg p.
Stopping costs nothing and starting p again costs one move, so g(b, p) is f(b) or f(b) - 1. It is f(b) - 1
exactly if p makes the first move of some shortest solution of b. The number f and one mask of these first
movers per board therefore describe all positions (docs/tables.md).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import kernel
from hoppers.core.model import DEAD, Position, Source
from hoppers.puzzles.pegs.jump_masks import backward_jumps, line_ends, lowest_bit, shift_groups
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.tablebase.table_files import load_or_fill_table

MAX_HOLES = 21
"""Maximum holes of a board. An entry is one 32-bit word: f above MAX_HOLES bits of first movers."""
UNSOLVED = 0xFFFFFFFF  # entry of a board without a solution


@kernel
def fill_table(goals: Any, holes: int, shifts: Any) -> Any:
    """Return the complete table for the solved boards `goals`, filled by retrograde analysis.

    Boards are processed in the order of their number of pegs, so that an entry no longer changes when it is
    propagated. The result is uint32[2**holes], UNSOLVED for boards without a solution.
    """
    entries = np.full(1 << holes, np.uint32(UNSOLVED), np.uint32)
    entries[goals] = 0
    for pegs in range(1, holes + 1):
        board = np.uint64((1 << pegs) - 1)
        while board < np.uint64(1 << holes):
            if entries[board] != np.uint32(UNSOLVED):
                propagate(board, entries, shifts)
            board = next_board(board)
    return entries


@kernel
def next_board(board: Any) -> Any:
    """Return the next larger board (uint64) with as many pegs, at least one (Gosper, HAKMEM item 175).

    In this order `propagate` updates ascending boards for each line, which uses the processor's cache well.
    """
    carried = board + (board & (~board + np.uint64(1)))
    return carried | (board ^ carried) >> (lowest_bit(board) + np.uint64(2))


@kernel
def propagate(board: Any, entries: Any, shifts: Any) -> None:
    """Update the entries of the boards one jump before `board`.

    The board must be solvable, and its own entry must not change any more.

    The inner loop has no branches: which jump is best is as good as random, and a mispredicted branch costs
    more than the arithmetic.
    """
    one, width, entry = np.uint64(1), np.uint64(MAX_HOLES), np.uint64(entries[board])
    for slot in range(len(shifts.first) - 1):
        lows = backward_jumps(board, slot, shifts)
        while lows != np.uint64(0):
            low = lowest_bit(lows)
            lows &= lows - one
            line = np.uint64(64 * slot) + low
            before = board ^ shifts.lines[line]
            target, origin = line_ends(board, low, line, shifts)
            # A jump is free if the peg that lands on `target` can begin a shortest solution from there.
            moves, known = (entry >> width) + one - (entry >> target & one), np.uint64(entries[before])
            better, equal = moves < known >> width, moves == known >> width
            entries[before] = moves << width | one << origin if better else known | np.uint64(equal) << origin


@dataclass(frozen=True, eq=False)
class PegTable(Source):
    """Source that reads the complete table of one board and goal."""

    entries: Any  # uint32 by board (see `MAX_HOLES`); UNSOLVED for boards without a solution
    is_complete = True

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD."""
        entry = int(self.entries[position.state])
        if entry == UNSOLVED:
            return DEAD
        return (entry >> MAX_HOLES) - (position.active >= 0 and entry >> position.active & 1)

    def distribution(self) -> list[int]:
        """Return the numbers of boards without an active peg that have 0, 1, 2, … moves left."""
        solved = self.entries[self.entries != UNSOLVED]
        counts: list[int] = np.bincount(solved >> MAX_HOLES).tolist()
        return counts


def complete_table(board: Board, goal: int) -> PegTable:
    """Build the complete table of a board and a goal (hole or ANYWHERE), or load it from disk.

    The board must not have more than MAX_HOLES holes.
    """
    holes, shifts = len(board.points), shift_groups(board.jumps)
    ends = np.array([1 << end for end in (range(holes) if goal == ANYWHERE else [goal])], np.uint32)
    what = ("jumps", board.jumps, holes, goal)
    return PegTable(load_or_fill_table(what, 4 << holes, lambda: fill_table(ends, holes, shifts)))
