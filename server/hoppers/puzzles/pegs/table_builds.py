"""Winning tables and closures in the background: made by the process beside this one, mapped by this one.

They go by way of the disk. A table stays there; of a closure, which few will ask for again, the file goes as
soon as it is mapped.
"""

import os
from collections.abc import Generator
from functools import cache

from hoppers.core.board import Permutation
from hoppers.puzzles.pegs.bitboards.class_keys import Numbering, number_class
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList
from hoppers.puzzles.pegs.bitboards.pagoda_filter import Proofs
from hoppers.puzzles.pegs.bloom_files import SIEVES
from hoppers.puzzles.pegs.closure.backward_values import Level
from hoppers.puzzles.pegs.closure.closure import Closure, close
from hoppers.puzzles.pegs.closure.hash_buckets import Rows, hashing_of
from hoppers.puzzles.pegs.large_board import BigBoard, Covering
from hoppers.puzzles.pegs.tables import bundled
from hoppers.puzzles.pegs.tables.winning_table import Winning, arrays_of, build
from hoppers.search.slicing import report_progress
from hoppers.tablebase import table_files
from hoppers.tablebase.elsewhere import elsewhere, has_place

Shape = tuple[JumpList, tuple[Permutation, ...]]
"""What makes a board, fit for another process."""
NAMES = ("starts", "rests", "alive", "ranks", "values")
"""Of the arrays of a level of a closure."""


def table(board: BigBoard, goal: int, start: int, kept: bool) -> Generator[float, None, Covering]:
    """The winning table from a start; where it is not on disk yet, the process beside this one makes it.

    `kept`: whether it stays on disk.
    """
    name = board.problem(goal, start)
    if has_place() and not table_files.is_kept(name):
        yield from elsewhere(make_table, (board.jumps, board.symmetries), goal, start)
    made = yield from table_of(board, goal, start, kept or has_place())
    if not kept:
        table_files.drop(name)
    return made


def closure(
    board: BigBoard, goal: int, start: int, most: int, sieve: str = "", threads: int = 1
) -> Generator[float, None, Closure | None]:
    """The closure of a board, or None if there are more than `most` boards in it.

    `sieve`: the name of the one that it is made with. `threads`: 1 or 2.
    """
    shape = board.jumps, board.symmetries
    name = f"closure-{os.getpid()}-{board.problem(goal, start)}"
    try:
        size = yield from elsewhere(make_closure, shape, goal, start, most, name, sieve, threads)
        arrays = (yield from report_progress(1.0, table_files.load(name, writable=True))) if size else None
    finally:
        table_files.drop(name)
    return None if arrays is None else _closure_of(arrays, size, board.holes)


def make_table(shape: Shape, goal: int, start: int) -> Generator[float, None, None]:
    """Have a table on disk."""
    yield from table_of(_board(*shape), goal, start)


def make_closure(
    shape: Shape, goal: int, start: int, most: int, name: str, sieve: str, threads: int
) -> Generator[float, None, int]:
    """Put a closure on disk under this name; returns how many boards it has, 0 where they are too many."""
    board = _board(*shape)
    ends = board.ends(goal, start)
    found = yield from report_progress(0.0, SIEVES.kept(sieve, board.holes))
    made = yield from close([start], goal, board.shifts, most, _proofs(board), ends, found, threads)
    if made is None:
        return 0
    yield from report_progress(1.0, table_files.save(name, _arrays_of(made)))
    return made.size


@cache
def _board(jumps: JumpList, symmetries: tuple[Permutation, ...]) -> BigBoard:
    return BigBoard(jumps, symmetries)


@cache
def _proofs(board: BigBoard) -> Proofs:
    return Proofs(board.jumps, board.holes, board.shifts)


def _arrays_of(made: Closure) -> table_files.Arrays:
    return {
        f"{pegs} {name}": values
        for pegs, level in made.levels.items()
        for name, values in zip(NAMES, (level.rows.starts, level.rows.rests, *level[1:]), strict=True)
    }


def _closure_of(arrays: table_files.Arrays, size: int, holes: int) -> Closure:
    levels = {}
    for pegs in {int(name.split()[0]) for name in arrays}:
        starts, rests, *more = (arrays[f"{pegs} {name}"] for name in NAMES)
        levels[pegs] = Level(Rows(starts, rests, hashing_of(holes)), *more)
    return Closure(levels, size)


def numbering_of(board: BigBoard, goal: int, start: int) -> Numbering:
    """How the boards of a problem's class are numbered."""
    ends = board.ends(goal, start)
    symmetries = [image for image in board.symmetries if board.keeps(image, start, ends)]
    return number_class(board.jumps, board.holes, start, symmetries)


def table_of(board: BigBoard, goal: int, start: int, kept: bool = True) -> Generator[float, None, Covering]:
    """The winning table from a start: the one that is kept, if `kept` ones are wanted, or a new one."""
    numbering = numbering_of(board, goal, start)
    yield 0.0
    name = board.problem(goal, start)

    def build_arrays() -> Generator[float, None, table_files.Arrays]:
        found = (yield from report_progress(0.0, bundled.load(name, numbering))) if kept else None
        if found is None:
            found = yield from build(start, board.ends(goal, start), board.holes, numbering)
        return arrays_of(found)

    arrays = yield from (table_files.shared(name, build_arrays) if kept else build_arrays())
    return Covering(board, start, Winning(numbering, **table_files.read_only(arrays)))
