"""The small values everything is said in: positions, steps, problems, and who knows exact answers."""

import random
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

DEAD = -1
"""Answer of an exact source: proved, the goal cannot be reached."""
UNKNOWN = -2
"""Answer of an exact source: not decided."""


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


class Deal(NamedTuple):
    """Random positions of one kind: a name, how to draw one, and how many there are to draw from."""

    name: Words
    draw: Callable[[random.Random], str]
    size: Callable[[], int]
    """Both compile nothing, so that a server which has just started deals at once."""


class Source(Protocol):
    """Something that knows the exact number of moves left."""

    def moves_left(self, position: Position) -> int:
        """The fewest moves still to be started, or `DEAD`, or `UNKNOWN`."""
        ...

    def can_list(self, position: Position) -> bool:
        """Whether all shortest solutions can be walked; finds them first where there is no table."""
        ...


@runtime_checkable
class Keeping(Protocol):
    """A source that keeps what searches prove beyond the process."""

    def keep(self, position: Position, left: int, line: list[int]) -> None:
        """Keep that a position has so many moves left, along these states, or that it is DEAD."""
        ...


@runtime_checkable
class Leading(Protocol):
    """A source that keeps solutions, where it is costly to grade every step."""

    def lead(self, position: Position) -> int | None:
        """The state behind the next step of a shortest solution; None where none is kept."""
        ...


@runtime_checkable
class Complete(Protocol):
    """A source that knows every position, so that they can be counted."""

    def distribution(self) -> list[int]:
        """How many positions have 0, 1, 2, … moves left; with pegs, boards that have none in hand."""
        ...


class Around(NamedTuple):
    """How many boards with none in hand have 0, 1, 2, … moves left, of those that a source knows of."""

    counts: list[int]
    start: int
    """The state from which they arise."""
    winning: bool
    """Whether they are all the boards of a problem that lead to its end, each once up to symmetry."""


@runtime_checkable
class Charted(Protocol):
    """A source that knows many positions, though not all."""

    def around(self, position: Position) -> Around | None:
        """Those of the table or closure that holds this one; None where none does."""
        ...


@runtime_checkable
class Preparing(Protocol):
    """A source that may not know yet, while it works on it in the background."""

    def preparation(self, position: Position) -> float | None:
        """How far the work that will answer for the position is, 0 to 1; None where none is going on."""
        ...


@runtime_checkable
class Learning(Protocol):
    """A source that keeps what searches prove."""

    def learn(self, position: Position, left: int) -> None:
        """Know from now on the fewest moves of a position, or that it is `DEAD`."""
        ...


def group_moves(steps: list[Step]) -> list[list[int]]:
    """Steps as moves: each move is the list of holes visited; free steps continue the move before."""
    moves: list[list[int]] = []
    for step in steps:
        if step.cost == 0 and moves and moves[-1][-1] == step.origin:
            moves[-1].append(step.target)
        else:
            moves.append([step.origin, step.target])
    return moves
