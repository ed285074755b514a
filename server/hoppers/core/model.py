"""Positions, steps, problems and sources of exact answers."""

import random
from collections.abc import Callable
from typing import NamedTuple

DEAD = -1
"""Moves left where the goal is proved to be out of reach."""
UNKNOWN = -2
"""Moves left where a source cannot decide."""


class Words(NamedTuple):
    """A text in every language of the page."""

    en: str
    ja: str

    def __str__(self) -> str:
        """The English text, for programs."""
        return self.en


class Position(NamedTuple):
    """A packed state, and the hole the rules must remember beside it (see `rules`)."""

    state: int
    active: int = -1


class Step(NamedTuple):
    """The smallest change a player makes: one jump or slide. It starts a move if its cost is 1."""

    origin: int
    target: int
    after: Position
    cost: int


class Problem(NamedTuple):
    """A named start and goal, both as texts."""

    name: Words
    start: str
    goal: str


class RandomKind(NamedTuple):
    """One kind of random positions, such as easy ones. Drawing and counting compile nothing."""

    name: Words
    draw: Callable[[random.Random], str]
    size: Callable[[], int]
    """Number of positions to draw from."""


class LocalDistribution(NamedTuple):
    """Number of boards by fewest moves, of those that one table knows; no active peg."""

    counts: list[int]
    """Boards with 0, 1, 2, … moves left."""
    start: int
    """State from which they can be reached."""
    winning: bool
    """Whether they are all solvable boards of a problem, each once up to symmetry."""


class Source:
    """Exact answers for one puzzle and goal. Only `moves_left` and `can_list` have to be overridden."""

    is_complete = False
    """Whether every position is in a table, so that an answer costs microseconds."""

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN."""
        raise NotImplementedError

    def can_list(self, position: Position) -> bool:
        """Return whether all shortest solutions can be walked; finds them first where there is no table."""
        raise NotImplementedError

    def save(self, position: Position, left: int, states: list[int]) -> None:
        """Save a proof beyond this process: `left` moves along `states`, or DEAD and no states."""

    def learn(self, position: Position, left: int) -> None:
        """Remember in memory that a position has `left` moves left or is DEAD."""

    def next_step(self, position: Position) -> int | None:
        """Return the state after the next step of a known shortest solution, or None."""
        return None

    def distribution(self) -> list[int] | None:
        """Return the number of positions with 0, 1, 2, … moves left, or None without a complete table.

        Peg boards are counted without an active peg.
        """
        return None

    def local_distribution(self, position: Position) -> LocalDistribution | None:
        """Return the distribution of the table that contains a position, or None."""
        return None

    def progress(self, position: Position) -> float | None:
        """Return the progress, 0 to 1, of a background build that will answer for a position, or None."""
        return None


class UnknownSource(Source):
    """Source of a puzzle whose kernels are not compiled yet."""

    def moves_left(self, position: Position) -> int:
        """Return UNKNOWN."""
        return UNKNOWN

    def can_list(self, position: Position) -> bool:
        """Return False."""
        return False


def group_moves(steps: list[Step]) -> list[list[int]]:
    """Steps as moves: each move is the list of holes visited; free steps continue the move before."""
    moves: list[list[int]] = []
    for step in steps:
        if step.cost == 0 and moves and moves[-1][-1] == step.origin:
            moves[-1].append(step.target)
        else:
            moves.append([step.origin, step.target])
    return moves
