"""The engine of tests that start no application, its puzzles, and puzzles with other sources."""

from dataclasses import replace

from hoppers import puzzles
from hoppers.core.model import Source
from hoppers.core.puzzle import Puzzle, Solver
from hoppers.tablebase.engine import Engine

ENGINE = Engine(puzzles.PUZZLES)
PUZZLES = ENGINE.puzzles
find = ENGINE.find


def with_solver(puzzle: Puzzle, solver: Solver) -> Puzzle:
    """Return the puzzle with another solver."""
    return replace(puzzle, solving=puzzle.solving._replace(open_solver=lambda engine, puzzle: solver))


def with_source(puzzle: Puzzle, source: Source) -> Puzzle:
    """Return the puzzle with one source of answers for every goal."""
    return with_solver(puzzle, Solver(lambda goal: source))
