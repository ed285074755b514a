"""Problems of a peg board, up to symmetry: one vacancy at the start and one finishing hole."""

from typing import NamedTuple

from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle

ANYWHERE = "any"
"""Goal text for a single peg in any hole."""


class Pair(NamedTuple):
    """A problem of a peg board: the vacancy at the start and the finishing hole."""

    start: int
    finish: int


def pairs(puzzle: Puzzle) -> list[Pair]:
    """Return all problems that the position class allows, up to symmetry, in order."""
    kinds: dict[Pair, None] = {}
    for start in range(puzzle.holes):
        for end in range(puzzle.holes):
            if puzzle.rules.obstruction(vacated(puzzle, start), end) != "class":
                kinds[canonical(puzzle, Pair(start, end))] = None
    return sorted(kinds)


def vacancies(puzzle: Puzzle) -> list[int]:
    """Return the vacancies up to symmetry, in order."""
    return sorted({first_image(puzzle, hole) for hole in range(puzzle.holes)})


def canonical(puzzle: Puzzle, pair: Pair) -> Pair:
    """Return the canonical form of a problem: its least image under the symmetries of the board."""
    return min(Pair(image[pair.start], image[pair.finish]) for image in puzzle.board.symmetries)


def first_image(puzzle: Puzzle, hole: int) -> int:
    """Return the least image of a hole under the symmetries of the board."""
    return min(image[hole] for image in puzzle.board.symmetries)


def vacated(puzzle: Puzzle, hole: int) -> Position:
    """Return the full board without the peg in `hole`."""
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def key(pair: Pair) -> str:
    """Return the atlas key of a problem."""
    return f"{pair.start}-{pair.finish}"


def key_anywhere(start: int) -> str:
    """Return the atlas key of the problem whose last peg may end anywhere."""
    return f"{start}-{ANYWHERE}"
