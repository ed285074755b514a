"""Results of the atlas: fewest moves, solvability, difficulty, and best known solutions (atlas lines).

`python -m hoppers atlas` writes the results in compact form into data/atlas.json, which is part of the
program. Peg boards have one entry, up to symmetry, for each vacancy and goal hole that the position class
allows, and one for each vacancy with the goal `ANY_GOAL`. Other puzzles have one entry for each goal from
each classic start.

The bounds of problems that are not proved may improve while the program runs. These bounds, and those of the
positions on atlas lines, are in `Engine.bounds`. `known_bounds` and `bounds_on_lines` add them there.
"""

import itertools
from collections.abc import Iterator
from functools import cache
from typing import Literal

import msgspec

from hoppers.core.events import Event, Found
from hoppers.core.model import ANY_GOAL, Position, prebuild_decoder, steps_of
from hoppers.core.puzzle import Puzzle, Question, cached_in_puzzle, moves_of
from hoppers.runtime import PACKAGE
from hoppers.tablebase.bounds import Bounds, KnownBounds
from hoppers.tablebase.proved_answers import ProblemKey

DATA = PACKAGE / "data" / "atlas.json"
VERSION = 2
NO_SOLUTION = 1 << 30  # more moves than any solution has


@prebuild_decoder
class KnownResult(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    rename={"difficulty_bits": "luck"},
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
    difficulty_bits: float | None = None
    """Bits of luck that random play needs to solve the problem, if known; "luck" in the file and the API."""
    reason: str | None = None
    """Proof that the problem is impossible: 'class', 'pagoda' or 'table'; None for all other results."""
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
    def grade(self) -> int | None:
        """Difficulty from 1 to 5, or None if the difficulty is not known.

        Grade 2 begins at 8 bits. With each further grade random play is 16 times less likely to find a
        solution.
        """
        if self.difficulty_bits is None:
            return None
        return min(5, max(1, 2 + int((self.difficulty_bits - 8) // 4)))


@prebuild_decoder
class Atlas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file, data/atlas.json."""

    version: Literal[2]
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


def known_result(puzzle: Puzzle, start: str, goal: str) -> KnownResult | None:
    """Return the known result for a start and a goal, or None if the atlas does not cover this start.

    A goal hole that the position class rules out gives an impossible result with the reason 'class'. If the
    puzzle has an engine, an unproved result has the bounds of the engine, which may be better than those of
    the atlas. Its line is always that of the atlas.

    Raises:
        PuzzleError: `start` or `goal` is not valid.
    """
    entries, position, code = load_atlas().boards.get(puzzle.id), puzzle.parse(start), puzzle.parse_goal(goal)
    cells = puzzle.cells(position.state)
    if entries is None:
        return load_atlas().starts.get(puzzle.id, {}).get(f"{start} {goal}")
    if cells.count(0) != 1 or ":" in start:
        return None
    entry = entries.get(key(puzzle, cells.index(0), goal))
    if entry is None:
        return KnownResult(True, reason="class")
    if entry.proved or puzzle.engine is None:
        return entry
    bounds = known_bounds(puzzle).of(puzzle, code, position)  # at least as good as those of the atlas
    return msgspec.structs.replace(entry, proved=bounds.is_tight, moves=bounds.most, least=bounds.least)


@cached_in_puzzle
def known_bounds(puzzle: Puzzle) -> KnownBounds:
    """Return the bounds of the puzzle's engine, after adding those of the atlas."""
    bounds: KnownBounds = puzzle.engine.bounds
    bounds.add_atlas(puzzle, atlas_lines(puzzle))
    return bounds


@cached_in_puzzle
def bounds_on_lines(puzzle: Puzzle, goal: int) -> KnownBounds:
    """Return the bounds of the engine, after adding those of all positions on atlas lines to `goal`.

    Every line is replayed, which is too slow before the kernels are compiled.
    """
    bounds, goal_image = known_bounds(puzzle), puzzle.rules.goal_image
    ends = {goal_image(image, goal) for image in puzzle.board.symmetries}
    for _, line_goal, start in atlas_lines(puzzle):
        if line_goal in ends:
            bounds.spread(puzzle, line_goal, start)
    return bounds


def known_first(question: Question, events: Iterator[Event]) -> Iterator[Event]:
    """Yield the best known solution, unless it is proved shortest, and then `events`.

    A `Found` that is not shorter than the solution yielded last is left out.
    """
    puzzle, fewest = question.puzzle, NO_SOLUTION
    bounds = known_bounds(puzzle).of(puzzle, question.goal, question.root)
    if bounds.most is not None and not bounds.is_tight:
        steps = known_bounds(puzzle).line(puzzle, question.goal, question.root)
        fewest = question.spent + bounds.most
        yield Found(fewest, 0.0, moves_of(question, steps))
    for event in events:
        if not isinstance(event, Found):
            yield event
        elif event.limit < fewest:
            fewest = event.limit
            yield event


@cached_in_puzzle
def atlas_lines(puzzle: Puzzle) -> dict[ProblemKey, Bounds]:
    """Return the atlas bounds, with the best known solution, of each problem not proved impossible."""
    texts = [(name.split(" "), entry) for name, entry in load_atlas().starts.get(puzzle.id, {}).items()]
    pairs = [(name.split("-"), entry) for name, entry in load_atlas().boards.get(puzzle.id, {}).items()]
    problems = [
        *((puzzle.parse(start), goal, entry) for (start, goal), entry in texts),
        *((vacated(puzzle, int(start)), goal, entry) for (start, goal), entry in pairs),
    ]
    return {
        ProblemKey(puzzle.id, puzzle.parse_goal(goal), start): _bounds(entry)
        for start, goal, entry in problems
        if not (entry.proved and entry.moves is None)
    }


def _bounds(entry: KnownResult) -> Bounds:
    """Return the bounds of an entry, with its line; without a line, no solution counts as known."""
    moves = [] if entry.line is None else entry.line.split(".")
    steps = steps_of([[int(hole) for hole in move.split("-")] for move in moves])
    return Bounds(entry.lower_bound, entry.moves if steps else None, bytes(itertools.chain(*steps)))
