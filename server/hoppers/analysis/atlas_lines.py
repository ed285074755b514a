"""Best known solutions of the atlas (atlas lines), looked up by any position on one of them.

Atlas lines answer queries for which no exact source has an answer. Each line is replayed by the puzzle's
rules before it is returned. The images of a line under the board's symmetries are used, too.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

from hoppers.analysis.atlas_results import AtlasEntry, load_atlas
from hoppers.analysis.problems import ANYWHERE, vacated
from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Puzzle, cached_in_puzzle

Jumps = list[tuple[int, int]]
"""Origin and target of each step of a line."""


class AtlasSolution(NamedTuple):
    """The rest of an atlas line from one of its positions on."""

    jumps: Jumps
    moves: int
    """Number of moves left, for a position whose active piece is `active`."""
    least: int
    """Proved lower bound of the moves left, valid for the active piece `active` and for no active piece."""
    active: int


def known_solution(puzzle: Puzzle, goal: str, position: Position) -> list[Step]:
    """Return the rest of the best atlas line through `position`, or an empty list if there is none."""
    known = _solutions_by_state(puzzle, goal).get(position.state)
    return [] if known is None else list(_replay(puzzle, position, known.jumps))


def from_start(puzzle: Puzzle, goal: str, start: Position) -> list[Step]:
    """Return an atlas line that begins at `start`, or an empty list; no other line is replayed."""
    lines = [jumps for begin, jumps, _ in _lines(puzzle, goal) if begin == start]
    return list(_replay(puzzle, start, lines[0])) if lines else []


def bounds(puzzle: Puzzle, goal: str, position: Position) -> tuple[int, int] | None:
    """Return the proved lower bound and the moves of the best atlas line through `position`, or None."""
    known = _solutions_by_state(puzzle, goal).get(position.state)
    if known is None:
        return None
    # With another active piece the first move may continue for free, so the bound is one move lower.
    least = known.least if position.active in (known.active, -1) else known.least - 1
    return least, sum(step.cost for step in _replay(puzzle, position, known.jumps))


@cached_in_puzzle
def _solutions_by_state(puzzle: Puzzle, goal: str) -> dict[int, AtlasSolution]:
    """Return, for each state on an atlas line to `goal`, the rest of the best line through it."""
    best: dict[int, AtlasSolution] = {}
    for start, jumps, least in _lines(puzzle, goal):
        for state, found in _rests(puzzle, start, jumps, least):
            known = best.get(state)
            if known is None or found.moves < known.moves:
                best[state] = found
    return best


def _lines(puzzle: Puzzle, goal: str) -> Iterator[tuple[Position, Jumps, int]]:
    """Yield start, jumps and lower bound of each image of an atlas line that leads to `goal`."""
    for name, entry in load_atlas().starts.get(puzzle.id, {}).items():
        start, _, end = name.partition(" ")
        if entry.line is not None and end == goal:
            yield puzzle.parse(start), _jumps(entry), _least(entry)
    for name, entry in load_atlas().boards.get(puzzle.id, {}).items():
        start, _, end = name.partition("-")
        if entry.line is None or (end == ANYWHERE) != (goal == ANYWHERE):
            continue
        for image in puzzle.board.symmetries:
            if end == ANYWHERE or str(image[int(end)]) == goal:
                jumps = [(image[origin], image[target]) for origin, target in _jumps(entry)]
                yield vacated(puzzle, image[int(start)]), jumps, _least(entry)


def _least(entry: AtlasEntry) -> int:
    return (entry.moves or 0) if entry.proved else entry.least


def _jumps(entry: AtlasEntry) -> Jumps:
    moves = [map(int, move.split("-")) for move in (entry.line or "").split(".")]
    return [jump for move in moves for jump in itertools.pairwise(move)]


def _rests(puzzle: Puzzle, start: Position, jumps: Jumps, least: int) -> Iterator[tuple[int, AtlasSolution]]:
    """Yield each state on a line with the rest of the line from this state on."""
    steps = list(_replay(puzzle, start, jumps))
    moves = sum(step.cost for step in steps)
    yield start.state, AtlasSolution(jumps, moves, least, start.active)
    for number, step in enumerate(steps, 1):
        moves, least = moves - step.cost, least - step.cost
        yield step.after.state, AtlasSolution(jumps[number:], moves, least, step.after.active)


def _replay(puzzle: Puzzle, position: Position, jumps: Jumps) -> Iterator[Step]:
    """Yield the steps of a line as the puzzle's rules make them."""
    for jump in jumps:
        step = next(step for step in puzzle.legal_steps(position) if (step.origin, step.target) == jump)
        yield step
        position = step.after
