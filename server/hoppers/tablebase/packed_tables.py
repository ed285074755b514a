"""Complete tables in small files, which come with the program.

They are written from the tables of an engine and read with numpy alone. The format is in docs/tables.md;
`static/tables` reads it, too. ANY_GOAL is reached where any other goal is, so its values are the least of
theirs and are not stored.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.model import ANY_GOAL, NO_SOLUTION
from hoppers.core.numbering import StateNumbering
from hoppers.core.puzzle import Puzzle
from hoppers.runtime import PACKAGE

FOLDER = PACKAGE / "data" / "tables"
FORMAT = 1
MAX_SIZE = 1 << 21
"""Numbers of a table that is packed. The next larger one would take as much room as all of them."""


class PackedSection(NamedTuple):
    """A goal whose values are stored, and the numbers of the states whose values they are."""

    goal: str
    numbers: Any


def is_packable(puzzle: Puzzle) -> bool:
    """Return whether the table of a puzzle is packed."""
    return puzzle.rules.numbering is not None and puzzle.rules.numbering.size <= MAX_SIZE


def packable(puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Yield the puzzles whose tables are packed."""
    return filter(is_packable, puzzles)


def is_packed(puzzle: Puzzle) -> bool:
    """Return whether the program comes with the table of a puzzle."""
    return is_packable(puzzle) and path_of(puzzle).exists()


def path_of(puzzle: Puzzle, folder: Path = FOLDER) -> Path:
    """Return the path of a puzzle's packed table, which exists if the puzzle `is_packable`."""
    return folder / f"{puzzle.id}.gz"


def packed(puzzle: Puzzle) -> bytes:
    """Return the content of the file of a puzzle of an engine; the same for the same tables."""
    parts = [(section, _values(puzzle, section)) for section in _sections(puzzle)]
    head = {
        "format": FORMAT,
        "puzzle": puzzle.id,
        "alphabet": puzzle.rules.alphabet,
        "rules": puzzle.rules.description,
        "symmetries": _symmetries(puzzle),
        "goals": [*puzzle.rules.goals],
        "sections": [(section.goal, len(values)) for section, values in parts],
    }
    text = json.dumps(head, separators=(",", ":")).encode() + b"\n"
    return text + b"".join(values.tobytes() for _, values in parts)


def write(puzzle: Puzzle, folder: Path = FOLDER) -> int:
    """Write the file of a puzzle of an engine; return its size in bytes."""
    data = gzip.compress(packed(puzzle), 9, mtime=0)
    return path_of(puzzle, folder).write_bytes(data)


class PackedTable:
    """The complete table of one puzzle, read from its file."""

    def __init__(self, puzzle: Puzzle, data: bytes | None = None) -> None:
        """`data`: content of the file; None reads the one that comes with the program.

        Raises:
            FileNotFoundError: the puzzle has no packed table.
            ValueError: the content is not of this puzzle, or of another format.
        """
        text = gzip.decompress(path_of(puzzle).read_bytes()) if data is None else data
        head, _, values = text.partition(b"\n")
        fields = json.loads(head)
        if (fields["format"], fields["puzzle"]) != (FORMAT, puzzle.id):
            raise ValueError(f"this is no table of {puzzle.id} in format {FORMAT}")
        self._puzzle = puzzle
        self._values: dict[str, Any] = {}
        self._unpacked: dict[str, Any] = {}
        place = 0
        for goal, length in fields["sections"]:
            self._values[goal] = np.frombuffer(values, np.uint8, length, place)
            place += length

    def moves(self, goal: str) -> Any:
        """Return the fewest moves to a goal (uint8, by number of the state; NO_SOLUTION if there is none)."""
        if goal == ANY_GOAL:
            return np.minimum.reduce([self.moves(end) for end in self._puzzle.rules.goals if end != ANY_GOAL])
        for image in _symmetries(self._puzzle):
            stored = _goal_image(self._puzzle, image, goal)
            if stored in self._values:
                numbering = numbering_of(self._puzzle)
                return self._moves_of(stored)[numbering.image(image, np.arange(numbering.size))]
        raise KeyError(goal)

    def _moves_of(self, goal: str) -> Any:
        """Return the values of a stored goal, unpacked at the first call."""
        if goal not in self._unpacked:
            numbering, numbers = numbering_of(self._puzzle), _numbers(self._puzzle, goal)
            moves = np.full(numbering.size, NO_SOLUTION, np.uint8)
            for image in _symmetries_of(self._puzzle, goal):
                moves[numbering.image(image, numbers)] = self._values[goal]
            self._unpacked[goal] = moves
        return self._unpacked[goal]


def _sections(puzzle: Puzzle) -> Iterator[PackedSection]:
    """Yield the first of each set of goals that symmetries turn into each other."""
    found = set[str]()
    for goal in puzzle.rules.goals:
        if goal != ANY_GOAL and goal not in found:
            found |= {_goal_image(puzzle, image, goal) for image in _symmetries(puzzle)}
            yield PackedSection(goal, _numbers(puzzle, goal))


def _values(puzzle: Puzzle, section: PackedSection) -> Any:
    moves = puzzle.source(puzzle.parse_goal(section.goal)).moves_by_number()
    if moves is None:
        raise ValueError(f"{puzzle.id} has no complete table")
    return moves[section.numbers]


def _numbers(puzzle: Puzzle, goal: str) -> Any:
    """Return the numbers of the states whose values are stored, in order.

    They may reach the goal by their parities, and are the least of their images under the symmetries that
    keep the goal.
    """
    numbering = numbering_of(puzzle)
    numbers = np.arange(numbering.size)
    numbers = numbers[numbering.may_reach(puzzle.parse_goal(goal), numbers)]
    for image in _symmetries_of(puzzle, goal)[1:]:
        numbers = numbers[numbering.image(image, numbers) >= numbers]
    return numbers


def numbering_of(puzzle: Puzzle) -> StateNumbering:
    """Return the numbers of a puzzle's states; raise a ValueError if they have none."""
    if puzzle.rules.numbering is None:
        raise ValueError(f"the states of {puzzle.id} have no numbers")
    return puzzle.rules.numbering


def _symmetries(puzzle: Puzzle) -> list[Permutation]:
    """Return the symmetries of the board that the rules have, too; the identity comes first."""
    goal = puzzle.parse_goal(None)
    return [image for image in puzzle.board.symmetries if puzzle.rules.goal_image(image, goal) is not None]


def _symmetries_of(puzzle: Puzzle, goal: str) -> list[Permutation]:
    return [image for image in _symmetries(puzzle) if _goal_image(puzzle, image, goal) == goal]


def _goal_image(puzzle: Puzzle, image: Permutation, goal: str) -> str:
    code = puzzle.rules.goal_image(image, puzzle.parse_goal(goal))
    return next(text for text, each in puzzle.rules.goals.items() if each == code)
