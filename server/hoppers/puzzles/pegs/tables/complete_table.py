"""Complete tables by retrograde analysis, for peg boards of up to 22 holes: every position has an entry.

Let f(b) be the fewest moves from board b without an active peg, and g(b, p) the fewest with active peg p.
Stopping costs nothing and starting p again costs one move, so g(b, p) is f(b) or f(b) - 1. It is f(b) - 1
exactly if p makes the first move of some shortest solution of b. The number f and one mask of these first
movers per board therefore describe all positions (docs/tables.md).

With a red peg, an arrangement is a board and the hole of its red peg. A table has a row for each hole in
which the red peg can be: those of the goal's peg types, which it never leaves. A row has the boards that have
a peg there, without the bit of that peg. A jump taken back puts back the captured peg, which is not the red
one, so every jump can be taken back.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import as_python, kernel
from hoppers.core.model import DEAD, NO_SOLUTION, Position, Source
from hoppers.puzzles.pegs.jump_masks import backward_jumps, line_ends, lowest_bit, shift_groups
from hoppers.puzzles.pegs.lower_bounds import peg_types
from hoppers.puzzles.pegs.rules import ANYWHERE, RED_BIT
from hoppers.tablebase.table_files import load_or_fill_table

MAX_HOLES = 22
"""Maximum holes of a board. An entry is one 32-bit word: f above MAX_HOLES bits of first movers."""
UNSOLVED = 0xFFFFFFFF  # entry of a board without a solution


@kernel
def fill_table(goals: Any, size: int, holes: int, rows: Any, shifts: Any) -> Any:
    """Return the complete table of `size` entries, filled by retrograde analysis.

    Boards are processed in the order of their number of pegs, so that an entry no longer changes when it is
    propagated. The result is uint32[size], UNSOLVED for arrangements without a solution.

    `goals`: numbers of the solved arrangements. `rows`: see `number_of`.
    """
    entries = np.full(size, np.uint32(UNSOLVED), np.uint32)
    entries[goals] = 0
    for pegs in range(1, holes + 1):
        for red in range(max(1, len(rows))):
            if len(rows) > 0 and rows[red] < 0:
                continue
            reds = np.uint64(1) << np.uint64(red) if len(rows) > 0 else np.uint64(0)
            board = np.uint64((1 << pegs) - 1)
            while board < np.uint64(1 << holes):
                if board & reds == reds and entries[number_of(board, red, holes, rows)] != np.uint32(
                    UNSOLVED
                ):
                    propagate(board, red, holes, rows, entries, shifts)
                board = next_board(board)
    return entries


@kernel
def number_of(board: Any, red: int, holes: int, rows: Any) -> Any:
    """Return the number of the entry of an arrangement (uint64).

    `red`: hole of the red peg; without one, any number. `rows`: int64, hole -> row of the arrangements with
    the red peg there, or -1 if there is no such row; empty without a red peg.
    """
    if len(rows) == 0:
        return board
    below = (np.uint64(1) << np.uint64(red)) - np.uint64(1)
    others = board & below | board >> np.uint64(1) & ~below
    return np.uint64(rows[red]) << np.uint64(holes - 1) | others


@kernel
def next_board(board: Any) -> Any:
    """Return the next larger board (uint64) with as many pegs, at least one (Gosper, HAKMEM item 175).

    In this order `propagate` updates ascending boards for each line, which uses the processor's cache well.
    """
    carried = board + (board & (~board + np.uint64(1)))
    return carried | (board ^ carried) >> (lowest_bit(board) + np.uint64(2))


@kernel
def propagate(board: Any, red: int, holes: int, rows: Any, entries: Any, shifts: Any) -> None:
    """Update the entries of the arrangements one jump before `board` with its red peg, if any, in `red`.

    The arrangement must be solvable, and its own entry must not change any more. `rows`: see `number_of`.

    The inner loop has no branches: which jump is best is as good as random, and a mispredicted branch costs
    more than the arithmetic.
    """
    one, width = np.uint64(1), np.uint64(MAX_HOLES)
    entry = np.uint64(entries[number_of(board, red, holes, rows)])
    for slot in range(len(shifts.first) - 1):
        lows = backward_jumps(board, slot, shifts)
        while lows != np.uint64(0):
            low = lowest_bit(lows)
            lows &= lows - one
            line = np.uint64(64 * slot) + low
            target, origin = line_ends(board, low, line, shifts)
            red_before = np.int64(origin) if target == np.uint64(red) else red
            before = number_of(board ^ shifts.lines[line], red_before, holes, rows)
            # A jump is free if the peg that lands on `target` can begin a shortest solution from there.
            moves, known = (entry >> width) + one - (entry >> target & one), np.uint64(entries[before])
            better, equal = moves < known >> width, moves == known >> width
            entries[before] = moves << width | one << origin if better else known | np.uint64(equal) << origin


@dataclass(frozen=True, eq=False)
class PegTable(Source):
    """Source that reads the complete table of one board and goal."""

    entries: Any  # uint32 by arrangement (see `MAX_HOLES`); UNSOLVED for arrangements without a solution
    holes: int
    rows: Any  # see `number_of`
    is_complete = True

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD."""
        number = self._number(position.state) if len(self.rows) else position.state
        entry = UNSOLVED if number is None else int(self.entries[number])
        if entry == UNSOLVED:
            return DEAD
        return (entry >> MAX_HOLES) - (position.active >= 0 and entry >> position.active & 1)

    def _number(self, state: int) -> int | None:
        """Return the number of a state with a red peg, or None if no row is for its hole."""
        board, red = state & (1 << self.holes) - 1, (state >> RED_BIT).bit_length() - 1
        return None if self.rows[red] < 0 else int(_number_of(board, red, self.holes, self.rows))

    def moves_by_number(self) -> Any:
        """Return the fewest moves by number of the arrangement: see `core.numbering`."""
        moves = np.where(self.entries == UNSOLVED, NO_SOLUTION, self.entries >> MAX_HOLES).astype(np.uint8)
        if not len(self.rows):
            return moves
        by_hole = np.full((self.holes, 1 << self.holes - 1), NO_SOLUTION, np.uint8)
        by_hole[self.rows >= 0] = moves.reshape(-1, by_hole.shape[1])
        return by_hole.reshape(-1)

    def distribution(self) -> list[int]:
        """Return the numbers of boards without an active peg that have 0, 1, 2, … moves left."""
        solved = self.entries[self.entries != UNSOLVED]
        counts: list[int] = np.bincount(solved >> MAX_HOLES).tolist()
        return counts


_number_of = as_python(number_of)


def complete_table(board: Board, goal: int, has_red: bool = False, is_stored: bool = True) -> PegTable:
    """Build the complete table of a board and a goal (hole or ANYWHERE), or load it from disk.

    The board must not have more than MAX_HOLES holes. `has_red`: whether one peg is red. `is_stored`: whether
    the table is kept on disk.
    """
    holes, shifts = len(board.points), shift_groups(board.jumps)
    ends = [*range(holes)] if goal == ANYWHERE else [goal]
    rows = red_rows(board, ends) if has_red else np.zeros(0, np.int64)
    size = (max(rows) + 1) << holes - 1 if has_red else 1 << holes
    goals = np.array([_number_of(1 << end, end, holes, rows) for end in ends], np.int64)
    what = ("jumps", MAX_HOLES, board.jumps, holes, goal, has_red)
    fill = partial(fill_table, goals, size, holes, rows, shifts)
    entries = load_or_fill_table(what, 4 * size, fill) if is_stored else fill()
    return PegTable(entries, holes, rows)


def red_rows(board: Board, ends: list[int]) -> Any:
    """Return `rows` (see `number_of`) for a board whose red peg must reach one of the holes `ends`."""
    types = peg_types(board.jumps, len(board.points))
    usable = sorted(hole for holes in types if holes & {*ends} for hole in holes)
    rows = np.full(len(board.points), -1, np.int64)
    rows[usable] = range(len(usable))
    return rows
