"""Engine for tests without an application, puzzles with other sources, and a store in memory."""

from dataclasses import replace

from hoppers import puzzles
from hoppers.core.model import Source
from hoppers.core.puzzle import Puzzle
from hoppers.tablebase.engine import Engine

ENGINE = Engine(puzzles.PUZZLES)
PUZZLES = ENGINE.puzzles
find = ENGINE.find

MANY_SIZES = 20


class MemoryStore:
    """Store of answers in memory that tests can read and corrupt."""

    def __init__(self) -> None:
        self.values: dict[str, bytes] = {}

    def get(self, name: str) -> bytes | None:
        return self.values.get(name)

    def put(self, name: str, value: bytes) -> None:
        self.values[name] = value


def one_of_each_kind() -> dict[str, Puzzle]:
    """Return all puzzles by id, but of a family of MANY_SIZES or more only the smallest and the largest."""
    sizes: dict[str, list[int]] = {}
    for puzzle in PUZZLES.values():
        sizes.setdefault(puzzle.family, []).append(puzzle.holes)
    return {
        puzzle.id: puzzle
        for puzzle in PUZZLES.values()
        if len(found := sizes[puzzle.family]) < MANY_SIZES or puzzle.holes in (min(found), max(found))
    }


def engine_of(puzzle: Puzzle) -> Engine:
    """Return the engine of a puzzle, with what puzzles do not use of it."""
    assert isinstance(puzzle.owner, Engine)
    return puzzle.owner


def with_source(puzzle: Puzzle, source: Source) -> Puzzle:
    """Return the puzzle with one source of answers for every goal."""
    return replace(puzzle, solving=puzzle.solving._replace(open_source=lambda puzzle, goal: source))
