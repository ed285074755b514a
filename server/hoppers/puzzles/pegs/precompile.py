"""Compile every kernel of closures, Bloom filters and winning tables, on problems of two moves."""

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.model import Position
from hoppers.puzzles.pegs.bitboards.class_keys import number_class
from hoppers.puzzles.pegs.bitboards.jump_masks import JumpList
from hoppers.puzzles.pegs.bitboards.pagoda_filter import PagodaSet
from hoppers.puzzles.pegs.closure.bloom_build import build_bloom_filter
from hoppers.puzzles.pegs.closure.closure import build_closure
from hoppers.puzzles.pegs.closure.hash_buckets import doubled, empty_slots
from hoppers.puzzles.pegs.large_board import BigBoard
from hoppers.puzzles.pegs.tables.winning_table import WinningTable, arrays_of, build, complement_levels
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish

MAX_BOARDS = 1000  # many more than can arise from three pegs


def precompile_closures(jumps: JumpList, symmetries: tuple[Permutation, ...]) -> None:
    """Compile all kernels of closures, or load them from disk."""
    board = BigBoard(jumps, symmetries)
    state, goal = two_moves(jumps)
    pagodas = PagodaSet(board.jumps, board.holes, board.shifts)
    closure = finish(build_closure([state], goal, board.shifts, MAX_BOARDS, pagodas, [1 << goal]))
    assert closure is not None
    closure.moves_left(Position(state))
    bloom = finish(build_bloom_filter([1 << goal], board.holes, board.shifts, 0))
    assert bloom is not None and not bloom.proves_dead(1 << goal)
    finish(build_closure([state], goal, board.shifts, MAX_BOARDS, pagodas, [1 << goal], bloom, threads=2))
    finish(doubled(empty_slots(1)))  # a closure as small as this one never grows its slots


def precompile_tables(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile all kernels of winning tables for `width` symmetries, or load them from disk."""
    board = BigBoard(jumps, symmetries)
    if not board.has_tables:
        return
    state, goal = two_moves(jumps)
    numbering = number_class(jumps, board.holes, state, [symmetries[0]] * width)
    table = finish(build(state, [1 << goal], board.holes, numbering))
    assert table is not None
    WinningTable(numbering, **table_files.read_only(arrays_of(table))).moves_left(Position(1 << goal))
    finish(complement_levels([np.zeros(1, np.uint32)], numbering))


def two_moves(jumps: JumpList) -> tuple[int, int]:
    """Return a board of three pegs that two moves solve, and the finishing hole."""
    return next(
        (1 << a | 1 << c | 1 << d, goal)
        for a, over, goal in jumps
        for c, d, landing in jumps
        if landing == over and not {a, goal} & {c, d}
    )
