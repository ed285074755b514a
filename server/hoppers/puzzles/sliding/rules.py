"""Rules of sliding tiles on a square, compiled.

A state has four bits per cell, 0 for the blank; `active` is the blank's cell.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import SQUARE, Board
from hoppers.core.kernels import kernel
from hoppers.core.rules import RuleKernels

BITS = 4


class Tables(NamedTuple):
    """Neighbours of each cell (-1 where there are fewer than four), Manhattan distances, the goal."""

    neighbours: Any
    distances: Any
    """distances[cell, tile]: slides from the cell to the tile's home, 0 for the blank."""
    home: Any
    """The solved state (a 0-d array)."""


@kernel
def tile_at(state: Any, cell: int) -> Any:
    """What the cell holds."""
    return np.int64(state >> np.uint64(4 * cell) & np.uint64(15))


@kernel
def next_step(state: Any, active: int, cursor: int, tables: Any) -> tuple[int, int, int, Any, int, int]:
    """The next neighbour, at or behind number `cursor`, whose tile slides into the blank."""
    if cursor >= 4 or tables.neighbours[active, cursor] < 0:
        return -1, 0, 0, state, active, 0
    origin = tables.neighbours[active, cursor]
    tile = np.uint64(tile_at(state, origin))
    after = state ^ (tile << np.uint64(4 * origin)) ^ (tile << np.uint64(4 * active))
    return cursor + 1, origin, active, after, origin, 1


@kernel
def is_solved(state: Any, active: int, goal: int, tables: Any) -> bool:
    """All tiles are home."""
    return bool(state == tables.home[()])


@kernel
def rank(state: Any, active: int, tables: Any) -> int:
    """The arrangement's number among all permutations (Lehmer code, first cell first)."""
    number, seen = 0, 0
    cells = len(tables.neighbours)
    for cell in range(cells):
        tile = tile_at(state, cell)
        smaller = tile
        for lower in range(tile):
            smaller -= seen >> lower & 1
        number = number * (cells - cell) + smaller
        seen |= 1 << tile
    return number


KERNELS = RuleKernels("sliding", next_step, is_solved)


@cache
def square(side: int) -> Board:
    """The board of `side` by `side` cells."""
    return Board.from_text("\n".join(["o" * side] * side), SQUARE)


@cache
def sliding_tables(side: int) -> Tables:
    """The arrays the rules read."""
    board, cells = square(side), side * side
    neighbours = [[*near, *[-1] * (4 - len(near))] for near in board.neighbours]
    distances = [[_distance(board, cell, tile) for tile in range(cells)] for cell in range(cells)]
    home = pack(home_cells(side))
    return Tables(np.array(neighbours, np.int64), np.array(distances, np.int64), np.array(home, np.uint64))


def pack(cells: tuple[int, ...]) -> int:
    """The state with these tiles."""
    return sum(tile << BITS * cell for cell, tile in enumerate(cells))


def unpack(state: int, side: int) -> tuple[int, ...]:
    """The tiles of a state, cell by cell."""
    return tuple(state >> BITS * cell & 15 for cell in range(side * side))


def home_cells(side: int) -> tuple[int, ...]:
    """The tiles in order, the blank last."""
    return (*range(1, side * side), 0)


def _distance(board: Board, cell: int, tile: int) -> int:
    if tile == 0:
        return 0
    (x, y), (home_x, home_y) = board.points[cell], board.points[tile - 1]
    return abs(x - home_x) + abs(y - home_y)


def is_odd(cells: tuple[int, ...], side: int) -> bool:
    """Whether the arrangement cannot be reached: a slide swaps the blank, changing permutation and colour.

    Johnson and Story, "Notes on the 15 puzzle" (1879).
    """
    inversions = sum(a > b for i, a in enumerate(cells) for b in cells[i + 1 :] if a and b)
    rows_up = side - 1 - cells.index(0) // side
    return (inversions + (rows_up if side % 2 == 0 else 0)) % 2 == 1
