"""Every solvable position of a large peg board, with its fewest moves: files for each goal, and a source.

A goal that a symmetry turns into an earlier one has the table of that one. Finished goals are skipped, so the
command goes on where it was interrupted.
"""

import json
import logging
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hoppers.core.board import Board, Permutation
from hoppers.core.kernels import max_threads
from hoppers.core.model import DEAD, Position, Source
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.rules import ANYWHERE
from hoppers.puzzles.pegs.symmetries import apply_symmetry
from hoppers.puzzles.pegs.tables.solvable_table import SolvableTable, build_solvable, goal_numbering
from hoppers.search.slicing import map_progress

ARRAYS = "first", "keys", "fewest"
log = logging.getLogger(__name__)


def goal_holes(board: Board) -> list[int]:
    """Return one goal hole of all that symmetries turn into each other."""
    return [
        hole for hole in range(len(board.points)) if all(image[hole] >= hole for image in board.symmetries)
    ]


def write(puzzle: Puzzle, folder: Path) -> Iterator[tuple[int, float]]:
    """Write the tables of all goals that `folder` lacks; yield goal and progress, 0 to 1.

    Raises:
        ValueError: the puzzle has a red peg, or a position class of the board has too many boards.
    """
    board = peg_board(puzzle)
    if puzzle.rules.unique:
        raise ValueError(f"{puzzle.id} has a red peg, which these tables do not know.")
    if not board.supports_winning_tables:
        raise ValueError(
            f"A position class of {puzzle.id} has 2^{board.holes - len(board.sets)} boards; at most 2^29 can "
            "be listed, because a set of them takes 64 MB."
        )
    for hole in goal_holes(puzzle.board):
        summary = summary_file(puzzle, hole, folder)
        if not summary.is_file():
            made = yield from _build(puzzle.board, hole)
            folder.mkdir(parents=True, exist_ok=True)
            for name in ARRAYS:
                np.save(summary.with_suffix(f".{name}.npy"), getattr(made, name))
            summary.write_text(json.dumps(facts(puzzle, made)) + "\n")  # last, when all else is there
        yield hole, 1.0


def has_solvable_positions(puzzle: Puzzle) -> bool:
    """Return whether a board is too large for a complete table, but small enough for these files."""
    return (
        puzzle.family == "pegs"
        and puzzle.rules.numbering is None
        and peg_board(puzzle).supports_winning_tables
    )


def _build(board: Board, hole: int) -> Generator[tuple[int, float], None, SolvableTable]:
    return map_progress(build_solvable(board, 1 << hole, max_threads()), lambda done: (hole, done))


def summary_file(puzzle: Puzzle, hole: int, folder: Path) -> Path:
    """Return the path of the facts of a goal hole, beside which its arrays are."""
    return folder / f"{puzzle.id}-{hole}.json"


def load(puzzle: Puzzle, hole: int, folder: Path) -> SolvableTable:
    """Return the table of a goal hole, mapped into memory.

    Raises:
        OSError, ValueError: a file is missing or damaged.
    """
    path = summary_file(puzzle, hole, folder)
    arrays = [np.asarray(np.load(path.with_suffix(f".{name}.npy"), mmap_mode="r")) for name in ARRAYS]
    return SolvableTable(1 << hole, goal_numbering(puzzle.board, 1 << hole), *arrays)


def facts(puzzle: Puzzle, table: SolvableTable) -> dict[str, Any]:
    """Return what a table says of its goal.

    `boards`: their number, up to the symmetries that keep the goal. `moves`: for each number of pegs, how
    many of these need 0, 1, 2, … moves. `positions`: how many do in all. `hardest`: those that need most
    moves, up to symmetry.
    """
    return {
        "goal": (table.end).bit_length() - 1,
        "symmetries": len(table.numbering.places),
        "boards": len(table.keys),
        "moves": table.distribution(),
        "positions": table.positions(),
        "hardest": [
            "".join(".o"[state >> hole & 1] for hole in range(puzzle.holes)) for state in table.hardest()
        ],
    }


def _to_first(board: Board, hole: int) -> Permutation:
    """Return a symmetry that moves a hole to the first of those that symmetries exchange with it."""
    return min(board.symmetries, key=lambda image: image[hole])


class SolvableSource(Source):
    """Source that finds the answer of every position in the tables of a folder."""

    is_complete = True

    def __init__(self, puzzle: Puzzle, goal: int, folder: Path) -> None:
        """Map the tables of a goal (hole or ANYWHERE) into memory; errors are those of `load`."""
        self._goal, self._board = goal, peg_board(puzzle)
        loaded = {hole: load(puzzle, hole, folder) for hole in goal_holes(puzzle.board)}
        self._tables: dict[int, tuple[Permutation, SolvableTable]] = {}
        for hole in range(puzzle.holes):
            image = _to_first(puzzle.board, hole)
            self._tables[1 << hole] = image, loaded[image[hole]]
        self._positions: list[int] | None = None
        if goal != ANYWHERE:
            summary = summary_file(puzzle, _to_first(puzzle.board, goal)[goal], folder)
            self._positions = json.loads(summary.read_text())["positions"]

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD; never UNKNOWN."""
        state, active = position
        found = []
        for end in self._board.ends(self._goal, state):
            image, table = self._tables[end]
            moved = Position(apply_symmetry(state, image), image[active] if active >= 0 else -1)
            found.append(table.moves_left(moved))
        return min((left for left in found if left != DEAD), default=DEAD)

    def distribution(self) -> list[int] | None:
        """Return the numbers of positions with 0, 1, 2, … moves left to a hole; None for ANYWHERE."""
        return self._positions


def open_solvable(puzzle: Puzzle, goal: int) -> SolvableSource | None:
    """Return the source of a goal from the engine's folder of positions, or None if there is none."""
    folder = puzzle.engine.positions
    if folder is None or not all(
        summary_file(puzzle, hole, folder).is_file() for hole in goal_holes(puzzle.board)
    ):
        return None
    try:
        return SolvableSource(puzzle, goal, folder)
    except (OSError, ValueError) as error:
        log.warning("the positions of %s in %s cannot be used: %s", puzzle.id, folder, error)
        return None
