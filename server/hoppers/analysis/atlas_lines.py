"""The best lines known, from every position on them: what is shown where nothing is proved yet.

Every line is played again by the rules before anything is said of it, and so are its images, for a board that
is turned has the same solutions.
"""

import itertools
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from hoppers.analysis.atlas_results import Known, published
from hoppers.analysis.problems import ANYWHERE, vacated
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle

Legs = list[tuple[int, int]]


class Way(NamedTuple):
    """The rest of a line behind one of its positions."""

    legs: Legs
    moves: int
    """That are still to be started, if the piece that moved last is in hand."""
    least: int
    """Fewer are proved to be too few, with that piece in hand or none."""
    active: int


def way(puzzle: Puzzle, goal: str, position: Position) -> list[Step]:
    """The steps of the best line known on which a position lies; none where it lies on none."""
    known = _ways(puzzle, goal).get(position.state)
    return [] if known is None else list(_played(puzzle, position, known.legs))


def from_start(puzzle: Puzzle, goal: str, start: Position) -> list[Step]:
    """The same for a start alone: one line is played, not all of them."""
    lines = [legs for begun, legs, _ in _lines(puzzle, goal) if begun == start]
    return list(_played(puzzle, start, lines[0])) if lines else []


def bounds(puzzle: Puzzle, goal: str, position: Position) -> tuple[int, int] | None:
    """The fewest moves not ruled out, and those of the best line known; None where there is no line."""
    known = _ways(puzzle, goal).get(position.state)
    if known is None:
        return None
    least = known.least if position.active in (known.active, -1) else known.least - 1
    return least, sum(step.cost for step in _played(puzzle, position, known.legs))


@cache
def _ways(puzzle: Puzzle, goal: str) -> dict[int, Way]:
    """The rest of the best line through each state on a line to this goal."""
    best: dict[int, Way] = {}
    for start, legs, least in _lines(puzzle, goal):
        for state, found in _ways_along(puzzle, start, legs, least):
            known = best.get(state)
            if known is None or found.moves < known.moves:
                best[state] = found
    return best


def _lines(puzzle: Puzzle, goal: str) -> Iterator[tuple[Position, Legs, int]]:
    """Every image of a published line that leads to this goal: where it starts, its steps, and the bound."""
    for name, known in published().starts.get(puzzle.id, {}).items():
        start, _, end = name.partition(" ")
        if known.line is not None and end == goal:
            yield puzzle.parse(start), _legs(known), _least(known)
    for name, known in published().boards.get(puzzle.id, {}).items():
        start, _, end = name.partition("-")
        if known.line is None or (end == ANYWHERE) != (goal == ANYWHERE):
            continue
        for image in puzzle.board.symmetries:
            if end == ANYWHERE or str(image[int(end)]) == goal:
                legs = [(image[origin], image[target]) for origin, target in _legs(known)]
                yield vacated(puzzle, image[int(start)]), legs, _least(known)


def _least(known: Known) -> int:
    return (known.moves or 0) if known.proved else known.least


def _legs(known: Known) -> Legs:
    moves = [map(int, move.split("-")) for move in (known.line or "").split(".")]
    return [leg for move in moves for leg in itertools.pairwise(move)]


def _ways_along(puzzle: Puzzle, start: Position, legs: Legs, least: int) -> Iterator[tuple[int, Way]]:
    steps = list(_played(puzzle, start, legs))
    moves = sum(step.cost for step in steps)
    yield start.state, Way(legs, moves, least, start.active)
    for number, step in enumerate(steps, 1):
        moves, least = moves - step.cost, least - step.cost
        yield step.after.state, Way(legs[number:], moves, least, step.after.active)


def _played(puzzle: Puzzle, position: Position, legs: Legs) -> Iterator[Step]:
    """The steps, as the rules make them."""
    for leg in legs:
        step = next(step for step in puzzle.raw_steps(position) if (step.origin, step.target) == leg)
        yield step
        position = step.after
