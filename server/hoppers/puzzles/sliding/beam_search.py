"""Beam search for a solution of sliding tiles, not necessarily a shortest one, on whole arrays.

Each level has the arrangements with the least Manhattan distances among all that the last level leads to. A
beam of a thousand solves every arrangement of the 15-puzzle that has been tried, in about 25 ms. No compiled
kernel is called, so that a new server can offer a solution at once.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Board
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.sliding.rules import BITS, sliding_tables

WIDTH = 1000  # arrangements of a level
LONGEST = 400  # moves after which a beam is given up: more than any solution found by a beam of `WIDTH`
OFF_BOARD = -1


class BeamLevel(NamedTuple):
    """Distinct arrangements after equally many moves; the least estimate comes first."""

    states: Any  # uint64[arrangements]
    blanks: Any  # int64[arrangements]: cell of the blank
    estimates: Any  # int64[arrangements]: Manhattan distance from home
    parents: Any  # int64[arrangements]: index of the arrangement before, in the last level


def manhattan_distance(puzzle: Puzzle, position: Position) -> int:
    """Return the sum over all tiles of the rows and columns between the tile and its home."""
    distances, cells = sliding_tables(puzzle.board).distances, puzzle.cells(position.state)
    return int(distances[np.arange(len(cells)), cells].sum())


def any_solution(puzzle: Puzzle, position: Position) -> list[Step]:
    """Return the steps of a solution, the same in every call; the position must be solvable.

    A beam that fails is followed by a wider one. One as wide as a level of all arrangements cannot fail.
    """
    width = WIDTH
    while (states := _beam(puzzle, position, width)) is None:
        width *= 4
    return puzzle.steps_along(position, states)


def _beam(puzzle: Puzzle, position: Position, width: int) -> list[int] | None:
    """Return the state after each move of the solution that a beam finds, or None."""
    first = BeamLevel(
        np.array([position.state], np.uint64),
        np.array([position.active]),
        np.array([manhattan_distance(puzzle, position)]),
        np.array([0]),
    )
    levels = [BeamLevel(*(column[:0] for column in first)), first]  # none before the first
    while len(levels[-1].states) and len(levels) < LONGEST:
        if not levels[-1].estimates[0]:
            return _path(levels[2:])
        levels.append(_next_level(puzzle.board, levels[-1], levels[-2].states, width))
    return None


def _path(levels: list[BeamLevel]) -> list[int]:
    """Return the states that lead to the first arrangement of the last level, one of each level."""
    states, at = [], 0
    for level in reversed(levels):
        states.append(int(level.states[at]))
        at = level.parents[at]
    return states[::-1]


def _next_level(board: Board, level: BeamLevel, before: Any, width: int) -> BeamLevel:
    """Return the best `width` arrangements one slide after `level`.

    `before`: states of the level before it, which are left out.
    """
    distances, bits = sliding_tables(board).distances, np.uint64(BITS)
    targets = _neighbours(board)[level.blanks]
    parents, column = np.nonzero(targets != OFF_BOARD)
    cells, blanks, states = targets[parents, column], level.blanks[parents], level.states[parents]
    place, blank_place = cells.astype(np.uint64) * bits, blanks.astype(np.uint64) * bits
    tiles = states >> place & np.uint64(15)
    reached, first = np.unique(states ^ tiles << place ^ tiles << blank_place, return_index=True)
    is_new = ~np.isin(reached, before, assume_unique=True)
    reached, first = reached[is_new], first[is_new]
    moved = tiles[first].astype(np.int64)
    change = distances[blanks[first], moved] - distances[cells[first], moved]
    estimates = level.estimates[parents[first]] + change
    best = np.argsort(estimates, kind="stable")[:width]
    return BeamLevel(reached[best], cells[first[best]], estimates[best], parents[first[best]])


@cache
def _neighbours(board: Board) -> Any:
    """Return the neighbours of each cell, int64[cell, 4], filled up with `OFF_BOARD`."""
    rows = [[*near, *[OFF_BOARD] * (4 - len(near))] for near in board.neighbours]
    return np.array(rows, np.int64)
