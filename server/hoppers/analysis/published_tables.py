"""Complete tables as files for other programs; the format is in docs/tables.md.

ANY_GOAL is reached where any other goal is, so its values are the least of theirs and are not in a file.
"""

import gzip
import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from hoppers.core.board import Permutation
from hoppers.core.model import ANY_GOAL
from hoppers.core.numbering import StateNumbering
from hoppers.core.puzzle import Puzzle

FORMAT = 1
MAX_SIZE = 1 << 21
"""Numbers of a table that is published. The next larger one would take as much room as all of them."""


class TablePart(NamedTuple):
    """A goal whose values are in a file, and the numbers of the states whose values they are."""

    goal: str
    numbers: Any


def publishable(puzzles: Iterable[Puzzle]) -> Iterator[Puzzle]:
    """Yield the puzzles whose tables are published."""
    for puzzle in puzzles:
        if puzzle.rules.numbering is not None and puzzle.rules.numbering.size <= MAX_SIZE:
            yield puzzle


def rules_of(puzzle: Puzzle) -> dict[str, Any]:
    """Return the rules of a puzzle as data, from which programs and pages can build its tables."""
    return {
        "puzzle": puzzle.id,
        "alphabet": puzzle.rules.alphabet,
        "rules": puzzle.rules.description,
        "symmetries": _symmetries(puzzle),
        "goals": [*puzzle.rules.goals],
    }


def table_file(puzzle: Puzzle) -> bytes:
    """Return the content of the file of a puzzle of an engine; the same for the same tables."""
    return gzip.compress(table_content(puzzle), 9, mtime=0)


def table_content(puzzle: Puzzle) -> bytes:
    """Return what `table_file` compresses."""
    numbering = puzzle.rules.numbering
    assert numbering is not None
    parts = [(section.goal, _values(puzzle, section)) for section in _parts(puzzle, numbering)]
    sections = [(goal, len(values)) for goal, values in parts]
    head = {"format": FORMAT, **rules_of(puzzle), "sections": sections}
    text = json.dumps(head, separators=(",", ":")).encode() + b"\n"
    return text + b"".join(values.tobytes() for _, values in parts)


def _parts(puzzle: Puzzle, numbering: StateNumbering) -> Iterator[TablePart]:
    """Yield the first of each set of goals that symmetries turn into each other."""
    found = set[str]()
    for goal in puzzle.rules.goals:
        if goal != ANY_GOAL and goal not in found:
            found |= {_goal_image(puzzle, image, goal) for image in _symmetries(puzzle)}
            yield TablePart(goal, _numbers(puzzle, numbering, goal))


def _values(puzzle: Puzzle, section: TablePart) -> Any:
    return puzzle.source(puzzle.parse_goal(section.goal)).moves_by_number()[section.numbers]


def _numbers(puzzle: Puzzle, numbering: StateNumbering, goal: str) -> Any:
    """Return the numbers of the states whose values are in the file, in order.

    They may reach the goal by their parities, and are the least of their images under the symmetries that
    keep the goal.
    """
    numbers = np.arange(numbering.size)
    numbers = numbers[numbering.may_reach(puzzle.parse_goal(goal), numbers)]
    for image in _symmetries(puzzle)[1:]:
        if _goal_image(puzzle, image, goal) == goal:
            numbers = numbers[numbering.image(image, numbers) >= numbers]
    return numbers


def _symmetries(puzzle: Puzzle) -> list[Permutation]:
    """Return the symmetries of the board that the rules have, too; the identity comes first."""
    goal = puzzle.parse_goal(None)
    return [image for image in puzzle.board.symmetries if puzzle.rules.goal_image(image, goal) is not None]


def _goal_image(puzzle: Puzzle, image: Permutation, goal: str) -> str:
    code = puzzle.rules.goal_image(image, puzzle.parse_goal(goal))
    return next(text for text, each in puzzle.rules.goals.items() if each == code)
