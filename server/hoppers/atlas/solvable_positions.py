"""Every solvable position of a large peg board, with its fewest moves: one table for each goal, in files.

A goal that a symmetry turns into an earlier one has the table of that one. Finished goals are skipped, so the
command goes on where it was interrupted.
"""

import json
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hoppers.core.board import Board
from hoppers.core.kernels import max_threads
from hoppers.core.puzzle import Puzzle
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.tables.solvable_table import SolvableTable, build_solvable, goal_numbering
from hoppers.search.slicing import map_progress

ARRAYS = "first", "keys", "fewest"


def goal_holes(board: Board) -> list[int]:
    """Return one goal hole of all that symmetries turn into each other."""
    return [
        hole for hole in range(len(board.points)) if all(image[hole] >= hole for image in board.symmetries)
    ]


def write(puzzle: Puzzle, folder: Path) -> Iterator[tuple[int, float]]:
    """Write the tables of all goals that `folder` lacks; yield goal and progress, 0 to 1.

    Raises:
        ValueError: a position class of the board has too many boards for keys of 29 bits.
    """
    if not peg_board(puzzle).supports_winning_tables or puzzle.rules.unique:
        raise ValueError(f"{puzzle.id} has a red peg, or more than 2^29 boards in a position class")
    for hole in goal_holes(puzzle.board):
        summary = folder / f"{puzzle.id}-{hole}.json"
        if not summary.is_file():
            made = yield from _build(puzzle.board, hole)
            folder.mkdir(parents=True, exist_ok=True)
            for name in ARRAYS:
                np.save(summary.with_suffix(f".{name}.npy"), getattr(made, name))
            summary.write_text(json.dumps(facts(puzzle, made)) + "\n")  # last, when all else is there
        yield hole, 1.0


def _build(board: Board, hole: int) -> Generator[tuple[int, float], None, SolvableTable]:
    return map_progress(build_solvable(board, 1 << hole, max_threads()), lambda done: (hole, done))


def load(puzzle: Puzzle, hole: int, folder: Path) -> SolvableTable:
    """Return the table of a goal hole, mapped into memory."""
    board, path = puzzle.board, folder / f"{puzzle.id}-{hole}.json"
    arrays = [np.load(path.with_suffix(f".{name}.npy"), mmap_mode="r") for name in ARRAYS]
    return SolvableTable(board, 1 << hole, goal_numbering(board, 1 << hole), *arrays)


def facts(puzzle: Puzzle, table: SolvableTable) -> dict[str, Any]:
    """Return what a table says, up to the symmetries that keep its goal.

    `boards`: their number. `moves`: for each number of pegs, how many need 0, 1, 2, … moves. `hardest`: those
    that need most moves.
    """
    return {
        "goal": (table.end).bit_length() - 1,
        "symmetries": len(table.numbering.places),
        "boards": len(table.keys),
        "moves": table.distribution(),
        "hardest": [
            "".join(".o"[state >> hole & 1] for hole in range(puzzle.holes)) for state in table.hardest()
        ],
    }
