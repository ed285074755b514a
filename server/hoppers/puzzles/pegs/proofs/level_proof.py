"""Proofs that a problem has no solution, by levels from both ends that do not meet.

A solution played backwards, with pegs and holes exchanged, is a solution from the finish to the vacancy. If a
symmetry of the board exchanges the two, its image is a solution of the same problem. So the complement of a
board on a solution, under that symmetry, is on a solution, too: late boards are known from early ones, and
the middle jump of a solution leads from a board of the middle level to the mirrored complement of another.

No jump raises the weight of a pagoda function. A board is therefore kept only if, for one and the same late
board, no function gives it less weight. Which functions are used decides how many boards are kept, and not
whether the proof holds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.kernels import kernel
from hoppers.puzzles.pegs.jump_masks import chunk_tables, forward_jumps, holes_of, lowest_bit, mapped
from hoppers.puzzles.pegs.pagoda import PagodaSet, PagodaTables, is_pagoda
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables.closure import pack_level, successor_level
from hoppers.puzzles.pegs.tables.hash_buckets import PackedLevel, board_at, index_of
from hoppers.runtime.builder import finish

MAX_BOARDS = 100_000_000  # of a level


class LevelProof(NamedTuple):
    """Sizes of the levels from the start on, and how many jumps lead from the middle level to its image."""

    early: dict[int, int]
    """Pegs -> number of boards that may still reach the goal, to the level that gives the late boards."""
    middle: dict[int, int]
    """Pegs -> number of boards that may still become one of the late boards, to the middle level."""
    jumps: int
    """Legal jumps on the boards of the middle level."""
    meetings: int
    """Those that lead to the mirrored complement of a board of that level; 0 proves the problem dead."""


@kernel
def count_meetings(level: Any, shifts: Any, mirror: Any) -> tuple[int, int, Any, Any]:
    """Return how many jumps the boards of a level allow, and how many lead to the image of a board of it.

    The boards before and after the last of these follow; 0 if there is none.

    `mirror`: tables of the map from a board to its mirrored complement, for `mapped`.
    """
    bucket = jumps = meetings = 0
    before = met = np.uint64(0)
    for index in range(len(level.rests)):
        while index >= level.starts[bucket + 1]:
            bucket += 1
        board = board_at(bucket, index, level)
        for slot in range(len(shifts.first) - 1):
            lows = forward_jumps(board, slot, shifts)
            while lows != np.uint64(0):
                line = np.uint64(64 * slot) + lowest_bit(lows)
                lows &= lows - np.uint64(1)
                jumps += 1
                after = board ^ shifts.lines[line]
                if index_of(mapped(after, mirror), level) >= 0:
                    meetings, before, met = meetings + 1, board, after
    return jumps, meetings, before, met


def level_proof(
    board: PegBoard, vacancy: int, end: int, functions: Sequence[Sequence[int]], early_pegs: int
) -> LevelProof:
    """Search a problem with one vacancy by levels from both ends; the search is a proof if they do not meet.

    `end`: goal hole. `functions`: pagoda functions, as weights by hole. `early_pegs`: pegs of the level whose
    mirrored complements are the late boards.

    Raises:
        ValueError: one of `functions` is no pagoda function, or no symmetry exchanges vacancy and goal hole.
    """
    if not all(is_pagoda(weights, board.jumps) for weights in functions):
        raise ValueError("not a pagoda function")
    mirror = mirrored_complement(board, vacancy, end)
    start = board.every ^ 1 << vacancy
    middle_pegs = (board.holes + 1) // 2
    early, last = _levels(board, start, early_pegs, tables_of(board, functions, [1 << end]))
    late = [int(mapped(found, mirror)) for found in boards_of(last)]
    middle, last = _levels(board, start, middle_pegs, tables_of(board, functions, late))
    jumps, meetings, _, _ = count_meetings(last, board.shifts, mirror)
    return LevelProof(early, middle, int(jumps), int(meetings))


def mirrored_complement(board: PegBoard, vacancy: int, end: int) -> Any:
    """Return the tables of the map to the complement under a symmetry that exchanges two holes, for `mapped`.

    Raises:
        ValueError: no symmetry exchanges them.
    """
    image = exchanging(board, vacancy, end)
    return chunk_tables(np.array([1 << hole for hole in image], np.uint64), np.uint64(board.every))


def exchanging(board: PegBoard, vacancy: int, end: int) -> Permutation:
    """Return the first symmetry of the board that exchanges two holes.

    Raises:
        ValueError: no symmetry exchanges them.
    """
    images = (image for image in board.symmetries if (image[vacancy], image[end]) == (end, vacancy))
    found = next(images, None)
    if found is None:
        raise ValueError(f"no symmetry exchanges the holes {vacancy} and {end}")
    return found


def _levels(
    board: PegBoard, start: int, last: int, tables: PagodaTables
) -> tuple[dict[int, int], PackedLevel]:
    """Return the sizes of the levels after `start` down to `last` pegs, and the last level."""
    level, sizes = finish(pack_level(np.array([start], np.uint64), board.holes)), dict[int, int]()
    for pegs in range(start.bit_count() - 1, last - 1, -1):
        level = finish(successor_level(level, board.shifts, tables, MAX_BOARDS))
        if level.size > MAX_BOARDS:
            raise MemoryError(f"more than {MAX_BOARDS} boards with {pegs} pegs")
        sizes[pegs] = level.size
    return sizes, level


def boards_of(level: PackedLevel) -> Any:
    """Return the boards of a level (uint64)."""
    buckets = np.repeat(np.arange(len(level.starts) - 1), np.diff(level.starts.astype(np.int64)))
    return np.array([board_at(int(bucket), index, level) for index, bucket in enumerate(buckets)], np.uint64)


def tables_of(board: PegBoard, functions: Sequence[Sequence[int]], ends: Sequence[int]) -> PagodaTables:
    """Return the tables that exclude a board if, for each of `ends`, a function gives it less weight.

    An end is left out if another has no more weight under any function: what may reach it may reach that one.
    """
    weights = np.array(functions, np.int64)
    sums = {end: tuple(weights[:, holes_of(end)].sum(axis=1).tolist()) for end in ends}
    least = {found: end for end, found in sums.items()}
    kept = [
        end
        for found, end in least.items()
        if not any(other != found and all(map(int.__le__, other, found)) for other in least)
    ]
    pagodas = PagodaSet(board.jumps, board.holes, board.shifts)
    for end in kept:
        pagodas.add(end, [list(one) for one in functions])
    return pagodas.tables(kept)
