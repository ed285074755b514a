"""The complete table of a goal on a board of up to 33 holes: every board from which it can be reached.

Levels of boards are listed backwards from the solved board to the full board, each board once for all that
symmetries turn into it; the fewest moves follow from one peg upwards, as in `winning_table`.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import kernel_threads
from hoppers.core.model import DEAD, Position, Progressing
from hoppers.puzzles.pegs.jump_masks import mapped
from hoppers.puzzles.pegs.symmetries import WIDTH, apply_symmetry, images_of
from hoppers.puzzles.pegs.tables.level_kernels import NO_SOLUTION, Numbering, least_key, look_up, number_class
from hoppers.puzzles.pegs.tables.winning_table import UP, Workspace, fewest_moves, joined, neighbour_level
from hoppers.search.slicing import map_progress, report_progress

LISTED = 0.5  # share of the time in which the boards are listed


@dataclass(frozen=True, eq=False)
class SolvableTable:
    """All boards that reach a goal, up to the symmetries that keep the goal."""

    end: int
    numbering: Numbering
    first: Any  # int64[holes + 2]: index of the first board with each number of pegs
    keys: Any  # uint32: canonical keys, ascending within a level (see `level_kernels`)
    fewest: Any  # uint8: the fewest moves of each board

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, for a position of the class of `end`."""
        find, board = self.numbering.compiled(look_up), np.uint64(position.state)
        least = find(board, position.active, self.numbering, self.first, self.keys, self.fewest)
        return DEAD if least == NO_SOLUTION else int(least)

    def distribution(self) -> list[list[int]]:
        """Return for each number of pegs how many boards need 0, 1, 2, … moves, up to symmetry."""
        parts = itertools.pairwise(self.first.tolist())
        return [np.bincount(self.fewest[slice(*part)]).tolist() for part in parts]

    def positions(self) -> list[int]:
        """Return how many boards need 0, 1, 2, … moves, with all that symmetries turn into each other."""
        counts = np.zeros(int(self.fewest.max()) + 1, np.int64)
        self.numbering.compiled(count_images)(self.keys, self.fewest, self.numbering, counts)
        return counts.tolist()

    def hardest(self) -> list[int]:
        """Return the boards that need most moves."""
        keys = self.keys[self.fewest == self.fewest.max()]
        return [int(mapped(np.uint64(key), self.numbering.boards)) for key in keys.tolist()]


def count_images(keys: Any, fewest: Any, numbering: Any, counts: Any) -> None:
    """Add the number of different images of each board to `counts`, by its fewest moves. Generic kernel."""
    images = np.empty(WIDTH, np.uint32)
    for index in range(len(keys)):
        images_of(np.uint64(keys[index]), numbering.images, images)
        alike = 0  # symmetries that keep the board
        for image in range(WIDTH):
            alike += images[image] == keys[index]
        counts[fewest[index]] += WIDTH // alike


def goal_numbering(board: Board, end: int) -> Numbering:
    """Return the numbering of the class of a solved board under the symmetries that keep it."""
    kept = [image for image in board.symmetries if apply_symmetry(end, image) == end]
    return number_class(board.jumps, len(board.points), end, kept)


def build_solvable(board: Board, end: int, threads: int = 1) -> Progressing[SolvableTable]:
    """Build the table of the solved board `end`. Yield the progress, 0 to 1, every few milliseconds."""
    numbering, holes = goal_numbering(board, end), len(board.points)
    with kernel_threads(threads) as crew:
        space = Workspace(numbering, crew)
        key = numbering.compiled(least_key)(np.uint64(end), numbering)
        levels = {1: np.array([key], np.uint32)}
        for pegs in range(2, holes):
            done = LISTED * pegs / holes
            levels[pegs] = yield from report_progress(done, neighbour_level(levels[pegs - 1], UP, space))
        first, keys = yield from report_progress(LISTED, joined(levels, holes))
        moves = fewest_moves(first, keys, space)
        fewest = yield from map_progress(moves, lambda done: LISTED + (1 - LISTED) * done)
    return SolvableTable(end, numbering, first, keys, fewest)
