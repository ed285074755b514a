"""The problems of a peg board: a vacancy at the start and a finish, one of each kind up to symmetry."""

from typing import NamedTuple

from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle

ANYWHERE = "any"
"""The finish, as a text, that takes a single peg in any hole."""


class Pair(NamedTuple):
    """A vacancy and a finish."""

    start: int
    finish: int


def pairs(puzzle: Puzzle) -> list[Pair]:
    """The problems that the position class allows, one of each kind."""
    kinds: dict[Pair, None] = {}
    for start in range(puzzle.holes):
        for end in range(puzzle.holes):
            if puzzle.rules.obstruction(vacated(puzzle, start), end) != "class":
                kinds[canonical(puzzle, Pair(start, end))] = None
    return sorted(kinds)


def vacancies(puzzle: Puzzle) -> list[int]:
    """The vacancies, one of each kind."""
    return sorted({first_image(puzzle, hole) for hole in range(puzzle.holes)})


def canonical(puzzle: Puzzle, pair: Pair) -> Pair:
    """The least image of a problem under the symmetries of the board."""
    return min(Pair(image[pair.start], image[pair.finish]) for image in puzzle.board.symmetries)


def first_image(puzzle: Puzzle, hole: int) -> int:
    """The least image of a hole under the symmetries of the board."""
    return min(image[hole] for image in puzzle.board.symmetries)


def vacated(puzzle: Puzzle, hole: int) -> Position:
    """The full board without this peg."""
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def key(pair: Pair) -> str:
    """The name of a problem in the atlas."""
    return f"{pair.start}-{pair.finish}"


def key_anywhere(start: int) -> str:
    """The name of the problem whose last peg may end anywhere."""
    return f"{start}-{ANYWHERE}"
