"""Results of the atlas: fewest moves, solvability, difficulty, and best known solutions (atlas lines).

`python -m hoppers atlas` writes the results in compact form into data/atlas.json, which is part of the
program. Peg boards have one entry for each start and finish that the position class allows, up to symmetry,
and one for each start whose last peg may end anywhere. Other puzzles have one entry for each goal from each
classic start.

Atlas lines answer queries about positions on them for which no exact source has an answer. Each line is
replayed by the puzzle's rules before it is returned. On peg boards, the images of a line under the board's
symmetries are used, too.
"""

from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

import msgspec

from hoppers.core.model import Position, Step, cost_of, prebuild_decoder, steps_of
from hoppers.core.puzzle import Puzzle, cached_in_puzzle
from hoppers.runtime import paths

DATA = paths.DATA / "atlas.json"
VERSION = 2
ANYWHERE = "any"
"""Goal text for a single peg in any hole."""

State = Literal["proved", "found", "open", "impossible"]
Jumps = list[tuple[int, int]]
"""Origin and target of each step of a line."""


@prebuild_decoder
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


@prebuild_decoder
class Atlas(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Content of the data file."""

    version: Literal[2]
    boards: dict[str, dict[str, AtlasEntry]]
    """Puzzle id -> vacancy and finish (see `key`) -> result."""
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
        """Difficulty from 1 to 5, or None if the difficulty is not known.

        Grade 2 begins at 8 bits. With each further grade the chance of random play is 16 times smaller.
        """
        if self.difficulty_bits is None:
            return None
        return min(5, max(1, 2 + int((self.difficulty_bits - 8) // 4)))


@cache
def load_atlas() -> Atlas:
    """Return the content of the data file, read and checked on the first call."""
    return msgspec.json.decode(DATA.read_bytes(), type=Atlas)


class Pair(NamedTuple):
    """A problem of a peg board: the vacancy at the start and the finishing hole."""

    start: int
    finish: int


def canonical_pair(puzzle: Puzzle, pair: Pair) -> Pair:
    """Return the canonical form of a problem: its least image under the symmetries of the board."""
    return min(Pair(image[pair.start], image[pair.finish]) for image in puzzle.board.symmetries)


def first_image(puzzle: Puzzle, hole: int) -> int:
    """Return the least image of a hole under the symmetries of the board."""
    return min(image[hole] for image in puzzle.board.symmetries)


def vacated(puzzle: Puzzle, hole: int) -> Position:
    """Return the full board without the peg in `hole`."""
    return Position((1 << puzzle.holes) - 1 ^ 1 << hole)


def key(pair: Pair) -> str:
    """Return the atlas key of a problem."""
    return f"{pair.start}-{pair.finish}"


def key_anywhere(start: int) -> str:
    """Return the atlas key of the problem whose last peg may end anywhere."""
    return f"{start}-{ANYWHERE}"


def known_result(puzzle: Puzzle, start: str, goal: str) -> KnownResult | None:
    """Return the atlas result for a start and a goal of `puzzle`, or None if the atlas has no entry.

    Raises:
        PuzzleError: `start` or `goal` is not valid.
    """
    entries = load_atlas().boards.get(puzzle.id)
    cells = puzzle.cells(puzzle.parse(start).state)
    puzzle.parse_goal(goal)
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
    return key(canonical_pair(puzzle, Pair(vacancy, int(goal))))


def _result_of(entry: AtlasEntry) -> KnownResult:
    state: State = "proved" if entry.proved else "found"
    if entry.moves is None:
        state = "impossible" if entry.proved else "open"
    least = entry.moves or 0 if entry.proved else entry.least
    return KnownResult(
        state, entry.moves, least, entry.count, entry.unique, entry.difficulty_bits, entry.reason
    )


class AtlasSolution(NamedTuple):
    """The rest of an atlas line from one of its positions on."""

    jumps: Jumps
    moves: int
    """Number of moves left, for a position whose active piece is `active`."""
    least: int
    """Proved lower bound of the moves left, valid for the active piece `active` and for no active piece."""
    active: int


def known_line(puzzle: Puzzle, goal: str, position: Position) -> list[Step]:
    """Return the rest of the best atlas line through `position`, or an empty list if there is none."""
    known = _solutions_by_state(puzzle, goal).get(position.state)
    return [] if known is None else list(puzzle.replay(position, known.jumps))


def line_from_start(puzzle: Puzzle, goal: str, start: Position) -> list[Step]:
    """Return an atlas line that begins at `start`, or an empty list; no other line is replayed."""
    lines = [jumps for begin, jumps, _ in _lines(puzzle, goal) if begin == start]
    return list(puzzle.replay(start, lines[0])) if lines else []


def line_bounds(puzzle: Puzzle, goal: str, position: Position) -> tuple[int, int] | None:
    """Return the proved lower bound and the moves of the best atlas line through `position`, or None."""
    known = _solutions_by_state(puzzle, goal).get(position.state)
    if known is None:
        return None
    # With another active piece the first move may continue for free, so the bound is one move lower.
    least = known.least if position.active in (known.active, -1) else known.least - 1
    return least, cost_of(puzzle.replay(position, known.jumps))


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
    return steps_of([[int(hole) for hole in move.split("-")] for move in (entry.line or "").split(".")])


def _rests(puzzle: Puzzle, start: Position, jumps: Jumps, least: int) -> Iterator[tuple[int, AtlasSolution]]:
    """Yield each state on a line with the rest of the line from this state on."""
    steps = list(puzzle.replay(start, jumps))
    moves = cost_of(steps)
    yield start.state, AtlasSolution(jumps, moves, least, start.active)
    for number, step in enumerate(steps, 1):
        moves, least = moves - step.cost, least - step.cost
        yield step.after.state, AtlasSolution(jumps[number:], moves, least, step.after.active)
