"""Data of the atlas: fewest moves, solvability, difficulty, and best known solutions (atlas lines).

`python -m tools.atlas` writes the results in compact form into data/atlas.json, which is part of the
program. Peg boards have one entry, up to symmetry, for each vacancy and goal hole that the position class
allows, and one for each vacancy with the goal `ANY_GOAL`. Other puzzles have one entry for each goal from
each classic start.

The bounds of problems that are not proved may improve while the program runs: see `KnownBounds`, which every
engine makes with these data.
"""

import itertools
from functools import cache
from typing import Literal

import msgspec

from hoppers.core.model import ANY_GOAL, DEAD_BOUND, Bounds, Position, ProblemKey, prebuild_decoder, steps_of
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.runtime import PACKAGE

DATA = PACKAGE / "data" / "atlas.json"
VERSION = 3


GRADE_BITS = (8, 12, 16, 20)
"""Difficulty in bits at which the grades 2 to 5 begin."""


@prebuild_decoder
class KnownResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Atlas result for a start and a goal, in the format of the data file."""

    proved: bool
    moves: int | None = None
    """Moves of the best known solution; None if no solution exists or none is known."""
    least: int = 0
    """Proved lower bound of the moves, where the result is not proved."""
    count: int | None = None
    """Number of shortest solutions, if known."""
    unique: int | None = None
    """Number of shortest solutions up to symmetry, if known."""
    solve_bits: float | None = None
    """-log2 of the chance that random play solves the problem (see `atlas.solve_bits`), of pegs if known."""
    fewest_bits: float | None = None
    """That for the fewest moves (see `analysis.fewest_bits`), of tiles, discs and the red peg if known."""
    reason: str | None = None
    """Proof that the problem is impossible: 'class', 'pagoda', 'levels', 'table'; None for other results."""
    line: str | None = None
    """Best known solution, as in links: holes joined by '-', moves by '.'; None if the atlas has none."""

    @property
    def state(self) -> Literal["proved", "found", "open", "impossible"]:
        """State of the result.

        'proved': `moves` are the fewest; 'found': a solution has `moves`; 'open': no solution is known;
        'impossible': it is proved that no solution exists.
        """
        if self.moves is None:
            return "impossible" if self.proved else "open"
        return "proved" if self.proved else "found"

    @property
    def lower_bound(self) -> int:
        """Proved lower bound of the moves; 0 if the problem is impossible."""
        return (self.moves or 0) if self.proved else self.least

    @property
    def bits(self) -> float | None:
        """Difficulty: the solve bits, or with tiles and discs, where random play need not end, the fewest."""
        return self.fewest_bits if self.solve_bits is None else self.solve_bits

    @property
    def grade(self) -> int | None:
        """Difficulty from 1 to 5, or None if the difficulty is not known.

        With each grade above 2 random play is 16 times less likely to succeed.
        """
        return None if self.bits is None else 1 + sum(self.bits >= least for least in GRADE_BITS)


@prebuild_decoder
class Atlas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file, data/atlas.json."""

    version: Literal[3]
    boards: dict[str, dict[str, KnownResult]]
    """Puzzle id -> vacancy and goal (see `key`) -> result."""
    starts: dict[str, dict[str, KnownResult]]
    """Puzzle id -> start and goal as texts, joined by a space -> result."""


@cache
def load_atlas() -> Atlas:
    """Return the content of the data file, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=Atlas)


def vacated(puzzle: Puzzle, hole: int) -> Position:
    """Return the full board without the peg in `hole`."""
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def key(puzzle: Puzzle, vacancy: int, goal: str) -> str:
    """Return the atlas key of a problem of a peg board: vacancy and goal of its least symmetric image.

    `goal`: a goal hole as a text, or `ANY_GOAL`.
    """
    images = puzzle.board.symmetries
    if goal == ANY_GOAL:
        return f"{min(image[vacancy] for image in images)}-{ANY_GOAL}"
    start, finish = min((image[vacancy], image[int(goal)]) for image in images)
    return f"{start}-{finish}"


@cached_in_puzzle
def atlas_lines(puzzle: Puzzle) -> dict[ProblemKey, Bounds]:
    """Return the atlas bounds of each problem, with the best known solution."""
    texts = [(name.split(" "), entry) for name, entry in load_atlas().starts.get(puzzle.id, {}).items()]
    pairs = [(name.split("-"), entry) for name, entry in load_atlas().boards.get(puzzle.id, {}).items()]
    problems = [
        *((puzzle.parse(start), goal, entry) for (start, goal), entry in texts),
        *((vacated(puzzle, int(start)), goal, entry) for (start, goal), entry in pairs),
    ]
    return {
        ProblemKey(puzzle.id, puzzle.parse_goal(goal), start): _bounds(entry)
        for start, goal, entry in problems
    }


def _bounds(entry: KnownResult) -> Bounds:
    """Return the bounds of an entry, with its line; without a line, no solution counts as known."""
    if entry.state == "impossible":
        return Bounds(DEAD_BOUND)
    moves = [] if entry.line is None else entry.line.split(".")
    steps = steps_of([[int(hole) for hole in move.split("-")] for move in moves])
    return Bounds(entry.lower_bound, entry.moves if steps else None, bytes(itertools.chain(*steps)))
