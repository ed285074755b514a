"""Atlas results that pages show before anything is computed: fewest moves, solvability, difficulty.

`python -m hoppers atlas` writes them in compact form into data/atlas.json, which is part of the program.
Peg boards have one entry for each start and finish that the position class allows, up to symmetry, and one
for each start whose last peg may end anywhere. Other puzzles have one entry for each goal from each classic
start.
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
GRADE_2_BITS = 8.0  # difficulty from which on a problem has grade 2
BITS_PER_GRADE = 4.0  # one grade more makes the chance of random play 16 times smaller
MAX_GRADE = 5

State = Literal["proved", "found", "open", "impossible"]


@schemas.prebuild_decoder
class AtlasEntry(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"difficulty_bits": "luck"},
):
    """Atlas result of one problem, in the format of the data file."""

    proved: bool
    moves: int | None = None
    """Moves of the best known solution; None if no solution exists or none is known."""
    least: int = 0
    """Proved lower bound of the moves, where the result is not proved."""
    count: int | None = None
    unique: int | None = None
    difficulty_bits: float | None = None
    reason: str | None = None
    line: str | None = None
    """Best known solution, as in links: holes joined by '-', moves by '.'."""


@schemas.prebuild_decoder
class Atlas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file."""

    version: Literal[2]
    boards: dict[str, dict[str, AtlasEntry]]
    """Puzzle id -> vacancy and finish (see `problems.key`) -> result."""
    starts: dict[str, dict[str, AtlasEntry]]
    """Puzzle id -> start and goal as texts, joined by a space -> result."""


class KnownResult(NamedTuple):
    """Atlas result for a start and a goal."""

    state: State
    """'proved': `moves` are the fewest; 'found': a solution has `moves`; 'open': no solution is known;
    'impossible': it is proved that no solution exists."""
    moves: int | None = None
    least: int = 0
    """Proved lower bound of the moves."""
    solutions: int | None = None
    """Number of shortest solutions, if known."""
    unique: int | None = None
    """Number of shortest solutions up to symmetry, if known."""
    difficulty_bits: float | None = None
    reason: str | None = None
    """Proof that the problem is impossible: 'class', 'pagoda' or 'table'."""

    @property
    def grade(self) -> int | None:
        """Difficulty from 1 to 5, or None if the difficulty is not known."""
        if self.difficulty_bits is None:
            return None
        return min(MAX_GRADE, max(1, 2 + int((self.difficulty_bits - GRADE_2_BITS) // BITS_PER_GRADE)))


def known_result(puzzle: Puzzle, start: str, goal: str) -> KnownResult | None:
    """Return the atlas result for a start and a goal of `puzzle`, or None if the atlas has no entry.

    Raises:
        PuzzleError: `start` or `goal` is not valid.
    """
    entries = load_atlas().boards.get(puzzle.id)
    cells = puzzle.cells(puzzle.parse(start).state)
    read_goal(puzzle, goal)
    if entries is None:
        other = load_atlas().starts.get(puzzle.id, {}).get(f"{start} {goal}")
        return None if other is None else _result_of(other)
    if cells.count(0) != 1 or ":" in start:
        return None
    entry = entries.get(_key(puzzle, cells.index(0), goal))
    return KnownResult("impossible", reason="class") if entry is None else _result_of(entry)


def _key(puzzle: Puzzle, vacancy: int, goal: str) -> str:
    if goal == ANYWHERE:
        return key_anywhere(first_image(puzzle, vacancy))
    return key(canonical(puzzle, Pair(vacancy, int(goal))))


def _result_of(entry: AtlasEntry) -> KnownResult:
    state: State = "proved" if entry.proved else "found"
    if entry.moves is None:
        state = "impossible" if entry.proved else "open"
    least = entry.moves or 0 if entry.proved else entry.least
    return KnownResult(
        state, entry.moves, least, entry.count, entry.unique, entry.difficulty_bits, entry.reason
    )


@cache
def load_atlas() -> Atlas:
    """Return the content of the data file, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=Atlas)
