"""Builds of winning tables.

A table from a start of many pegs stays on disk; others are seldom needed again.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import max_threads
from hoppers.core.model import DEAD, UNKNOWN, MovesLeft, Position, Progressing, Source
from hoppers.core.puzzle import Puzzle, PuzzleEngine
from hoppers.puzzles.pegs.jump_masks import two_moves
from hoppers.puzzles.pegs.peg_board import PegBoard, peg_board
from hoppers.puzzles.pegs.symmetries import problem_symmetries
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.puzzles.pegs.tables.hash_buckets import doubled, empty_slots
from hoppers.puzzles.pegs.tables.level_kernels import NO_SOLUTION, Numbering, look_up, number_class
from hoppers.puzzles.pegs.tables.winning_table import build, complement, load_bundled
from hoppers.runtime.builder import finish
from hoppers.search.slicing import report_progress
from hoppers.tablebase import table_files


@dataclass(frozen=True, eq=False)
class WinningTable(Source):
    """Keys and fewest moves of all winning boards (solvable boards that `start` reaches), up to symmetry.

    Boards reachable from the start but not in the table are dead. Boards with n pegs have the entries
    `first[n]` to `first[n + 1]` - 1.
    """

    board: PegBoard
    start: int
    numbering: Numbering
    first: Any  # int64[holes + 2]: index of the first entry of each number of pegs
    keys: Any  # keys of the winning boards, ascending within a level (uint32)
    fewest: Any  # fewest moves of each board (uint8)

    @property
    def bytes(self) -> int:
        """Memory of the table, in bytes."""
        return int(self.keys.nbytes + self.fewest.nbytes)

    @property
    def counts(self) -> list[int]:
        """Numbers of winning boards, up to symmetry, with 0, 1, 2, … moves left."""
        return [int(count) for count in np.bincount(self.fewest)]

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN if not known to be reachable."""
        board, state = self.board, position.state
        # A board of another position class may have the key of a board in the table.
        if any(board.parities(state ^ self.start)):
            return UNKNOWN
        # The table may lack a board because the start does not reach it, and yet have boards after further
        # jumps of the active peg. Then the moves from the board itself, without the peg, are not known.
        left = self.stored_moves_left(Position(state))
        if left == UNKNOWN and not board.reaches(self.start, state):
            return UNKNOWN
        board.note_reached(self.start, state)
        if position.active >= 0:
            left = self.stored_moves_left(position)
        return DEAD if left == UNKNOWN else left

    def solution_lookup(self, position: Position) -> MovesLeft:
        """Return `stored_moves_left`.

        If `start` reaches `position`, the function finds all positions after it that are not dead.
        """
        return self.stored_moves_left

    def stored_moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or UNKNOWN, but never DEAD.

        UNKNOWN means that neither the board nor any board after more jumps of the active peg is in the table.
        """
        find, board = self.numbering.compiled(look_up), np.uint64(position.state)
        least = find(board, position.active, self.numbering, self.first, self.keys, self.fewest)
        return UNKNOWN if least == NO_SOLUTION else int(least)


def winning_table(puzzle: Puzzle, goal: int, start: int, is_lasting: bool) -> Progressing[WinningTable]:
    """Build or load the winning table from `start`, a board of two pegs or more.

    `is_lasting`: whether the table is stored on disk.
    """
    threads = threads_for(puzzle.engine)
    return (yield from load_or_build_table(peg_board(puzzle), goal, start, is_lasting, threads))


def threads_for(engine: PuzzleEngine) -> int:
    """Return the number of threads for a large build, which is 1 under high load."""
    return 1 if engine.is_busy() else max_threads()


def numbering_of(board: PegBoard, goal: int, start: int) -> Numbering:
    """Return the numbering of a problem's position class under the problem's own symmetries."""
    ends = board.ends(goal, start)
    symmetries = problem_symmetries(board.symmetries, Position(start), ends)
    return number_class(board.jumps, board.holes, start, symmetries)


def load_or_build_table(
    board: PegBoard, goal: int, start: int, from_file: bool = True, threads: int = 1
) -> Progressing[WinningTable]:
    """Build or load the winning table from `start`, a board of two pegs or more.

    `from_file`: whether to use a bundled or stored table, and to store a new one. Otherwise the table is
    built anew. `threads`: 1 or 2 threads for the build.
    """
    numbering = numbering_of(board, goal, start)
    yield 0.0
    name = board.table_name(goal, start)

    def build_arrays() -> Progressing[table_files.Arrays]:
        found = (yield from report_progress(0.0, load_bundled(name, numbering))) if from_file else None
        if found is None:
            found = yield from build(start, board.ends(goal, start), board.holes, numbering, threads)
        return found

    arrays = yield from (table_files.shared(name, build_arrays) if from_file else build_arrays())
    return WinningTable(board, start, numbering, **table_files.read_only(arrays))


def precompile_closures(shape: Board) -> None:
    """Compile all kernels of closures, or load them from disk."""
    board, (state, goal) = PegBoard(shape), two_moves(shape.jumps)
    most = 1000  # many more boards than can arise from three pegs
    made = finish(build_closure([state], goal, board.shifts, most, board.pagodas, [1 << goal], threads=2))
    assert made is not None
    made.moves_left(Position(state))
    finish(doubled(empty_slots(1)))  # a closure as small as this one never grows its slots


def precompile_tables(shape: Board, width: int) -> None:
    """Compile all kernels of winning tables for `width` symmetries, or load them from disk."""
    board, (state, goal) = PegBoard(shape), two_moves(shape.jumps)
    numbering = number_class(board.jumps, board.holes, state, [board.symmetries[0]] * width)
    arrays = table_files.read_only(finish(build(state, [1 << goal], board.holes, numbering)))
    WinningTable(board, state, numbering, **arrays).stored_moves_left(Position(1 << goal))
    finish(complement(np.zeros(1, np.uint32), numbering))
