"""Sequences of integers in the format of the OEIS: positions by moves, and records by length of a row.

`data/oeis.json` says which of them the OEIS has, as far as that has been looked up.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from hoppers.analysis.record_data import load_book
from hoppers.core.model import ANY_GOAL, NO_SOLUTION
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.core.texts import Text
from hoppers.runtime import PACKAGE
from hoppers.tablebase.array_source import has_array_table

DATA = PACKAGE / "data" / "oeis.json"
FEWEST_TERMS = 5
"""Boards of different length that make a sequence."""
COMMAND = "python -m hoppers data FOLDER"


class IntegerSequence(NamedTuple):
    """A sequence and what it counts."""

    name: str
    """Name of its file, without the ending."""
    title: Text
    first: int
    """Index of the first term."""
    terms: list[int]

    @property
    def oeis(self) -> str | None:
        """Number in the OEIS, such as A000045, whose terms are the same; None: not checked against it."""
        return _oeis_numbers().get(self.name)


@cache
def _oeis_numbers() -> dict[str, str]:
    numbers: dict[str, str] = json.loads(DATA.read_text(encoding="utf-8"))
    return numbers


def sequences(puzzles: Iterable[Puzzle]) -> list[IntegerSequence]:
    """Return all sequences, those by moves for the boards of the gallery that have a small table."""
    counted = [puzzle for puzzle in puzzles if puzzle.gallery.featured and has_array_table(puzzle)]
    return [*map(_positions_by_moves, counted), *_records_by_length()]


@cached_in_puzzle
def _positions_by_moves(puzzle: Puzzle) -> IntegerSequence:
    assert puzzle.rules.numbering is not None
    moves = puzzle.rules.numbering.fewest_moves(puzzle.parse_goal(None))
    terms: list[int] = np.bincount(moves[moves != NO_SOLUTION]).tolist()
    counted = Text("Positions of {puzzle} that need n moves to the goal {goal}")
    if puzzle.rules.multi_step_moves:
        counted = Text("Positions of {puzzle} that need n moves to the goal {goal}, without an active peg")
    title = counted._replace(values={"puzzle": puzzle.texts.title, "goal": puzzle.goal})
    return IntegerSequence(f"positions-{puzzle.id}", title, 0, terms)


def _records_by_length() -> Iterator[IntegerSequence]:
    """Yield, for boards that differ in length alone, the most moves to any goal, and how many need them."""
    series: dict[str, dict[int, str]] = {}
    for board in load_book().boards:
        if parts := re.fullmatch(r"(.+?)-(\d+)(-.+)?", board):
            series.setdefault(f"{parts[1]}-n{parts[3] or ''}", {})[int(parts[2])] = board
    for name, boards in series.items():
        first = min(boards)
        if len(boards) < FEWEST_TERMS or sorted(boards) != [*range(first, first + len(boards))]:
            continue
        records = [load_book().boards[boards[length]].goals[ANY_GOAL] for length in sorted(boards)]
        most = Text(
            "Most moves that a position of {boards} needs, of those that can be solved", {"boards": name}
        )
        yield IntegerSequence(f"farthest-{name}", most, first, [each.moves for each in records])
        count = Text("Positions of {boards} that need the most moves", {"boards": name})
        yield IntegerSequence(f"farthest-count-{name}", count, first, [each.count for each in records])


def as_b_file(sequence: IntegerSequence) -> bytes:
    """Return a sequence as a b-file: comments, then index and term on a line each."""
    known = f"OEIS {sequence.oeis}" if sequence.oeis else "not checked against the OEIS"
    head = [f"# {sequence.title}", f"# {known}; made by {COMMAND}; CC0-1.0"]
    lines = [f"{number} {term}" for number, term in enumerate(sequence.terms, sequence.first)]
    return "\n".join([*head, *lines, ""]).encode()
