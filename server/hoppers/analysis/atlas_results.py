"""What the pages know of a problem before anything is computed: its par, whether it can be solved, how hard.

`python -m hoppers atlas` writes the results once more, in few bytes, into data/atlas.json, which is part of
the program. Peg boards have one entry for each start and finish up to symmetry that the position class
allows, and one for each start whose last peg may end anywhere; other puzzles one for each goal from a
classic start.
"""

from functools import cache
from typing import Literal, NamedTuple

import msgspec

from hoppers.analysis.problems import ANYWHERE, Pair, canonical, first_image, key, key_anywhere
from hoppers.analysis.requests import read_goal
from hoppers.core import schemas
from hoppers.core.puzzle import Puzzle
from hoppers.runtime import paths

DATA = paths.DATA / "atlas.json"
VERSION = 2
EASY, STEP, HARDEST = 8.0, 4.0, 5
"""Bits of luck below which a problem is of degree 1, bits that a degree more takes, and the last degree."""

State = Literal["proved", "found", "open", "impossible"]


@schemas.prebuild_decoder
class Known(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The results of a problem in few bytes."""

    proved: bool
    moves: int | None = None
    """Of the best solution known; None where there is none, or none is known."""
    least: int = 0
    """Where it is not proved: fewer moves than that are proved to be too few."""
    count: int | None = None
    unique: int | None = None
    luck: float | None = None
    reason: str | None = None
    line: str | None = None
    """The best line known, as in links: holes joined by '-', moves by '.'."""


@schemas.prebuild_decoder
class Atlas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file."""

    version: Literal[2]
    boards: dict[str, dict[str, Known]]
    """Id -> vacancy and finish (see `pairs.key`) -> what is known."""
    starts: dict[str, dict[str, Known]]
    """Id -> start and goal as texts, a space between -> what is known."""


class Par(NamedTuple):
    """What is known of a start and a goal."""

    state: State
    """'proved': `moves` are the fewest; 'found': a solution of `moves`; 'open': nothing is known."""
    moves: int | None = None
    least: int = 0
    """No solution has fewer moves than that."""
    ways: int | None = None
    """How many solutions have the fewest moves, where that is known."""
    unique: int | None = None
    luck: float | None = None
    reason: str | None = None
    """Why it is impossible: 'class', 'pagoda' or 'table'."""

    @property
    def degree(self) -> int | None:
        """The difficulty from 1 to 5: a degree is 4 bits of luck, so it makes the chance 16 times less."""
        if self.luck is None:
            return None
        return min(HARDEST, max(1, 2 + int((self.luck - EASY) // STEP)))


def par(puzzle: Puzzle, start: str, goal: str) -> Par | None:
    """What the atlas knows of a start and a goal of a puzzle; None where it has nothing to say.

    Raises:
        PuzzleError: start or goal mean nothing.
    """
    entries = published().boards.get(puzzle.id)
    cells = puzzle.cells(puzzle.parse(start).state)
    read_goal(puzzle, goal)
    if entries is None:
        other = published().starts.get(puzzle.id, {}).get(f"{start} {goal}")
        return None if other is None else _par(other)
    if cells.count(0) != 1 or ":" in start:
        return None
    known = entries.get(_key(puzzle, cells.index(0), goal))
    return Par("impossible", reason="class") if known is None else _par(known)


def _key(puzzle: Puzzle, vacancy: int, goal: str) -> str:
    if goal == ANYWHERE:
        return key_anywhere(first_image(puzzle, vacancy))
    return key(canonical(puzzle, Pair(vacancy, int(goal))))


def _par(known: Known) -> Par:
    state: State = "proved" if known.proved else "found"
    if known.moves is None:
        state = "impossible" if known.proved else "open"
    least = known.moves or 0 if known.proved else known.least
    return Par(state, known.moves, least, known.count, known.unique, known.luck, known.reason)


@cache
def published() -> Atlas:
    """The file, read and checked when it is first needed."""
    return msgspec.json.decode(DATA.read_bytes(), type=Atlas)
