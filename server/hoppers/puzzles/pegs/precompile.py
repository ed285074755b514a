"""Running every kernel of closures, sieves and winning tables once, on problems of two moves."""

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

MOST_BOARDS = 1000
"""Many more than can arise from three pegs."""


def rehearse_closures(jumps: JumpList, symmetries: tuple[Permutation, ...]) -> None:
    """Compile, or load from disk, all kernels of closures."""
    board = BigBoard(jumps, symmetries)
    state, goal = two_moves(jumps)
    proofs = PagodaSet(board.jumps, board.holes, board.shifts)
    closure = finish(build_closure([state], goal, board.shifts, MOST_BOARDS, proofs, [1 << goal]))
    assert closure is not None
    closure.moves_left(Position(state))
    sieve = finish(build_bloom_filter([1 << goal], board.holes, board.shifts, 0))
    assert sieve is not None and not sieve.proves_dead(1 << goal)
    finish(build_closure([state], goal, board.shifts, MOST_BOARDS, proofs, [1 << goal], sieve, threads=2))
    finish(doubled(empty_slots(1)))  # which so small a closure does without


def rehearse_tables(jumps: JumpList, symmetries: tuple[Permutation, ...], width: int) -> None:
    """Compile, or load from disk, all kernels of tables that keep so many of the symmetries, if there are."""
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
    """Three pegs of which one jumps beside another, which then jumps over it; and the hole that ends it."""
    return next(
        (1 << a | 1 << c | 1 << d, goal)
        for a, over, goal in jumps
        for c, d, landing in jumps
        if landing == over and not {a, goal} & {c, d}
    )
