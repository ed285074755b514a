"""What a search says while it runs: any number of `Progress`, `Found`, `Exhausted`, then one other."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Progress:
    """The limit being searched and the nodes entered under it so far."""

    limit: int
    nodes: int
    seconds: float


@dataclass(frozen=True)
class Found:
    """A solution of `limit` moves, not proved to be shortest: the search goes on."""

    limit: int
    seconds: float
    moves: list[list[int]]


@dataclass(frozen=True)
class Exhausted:
    """A proof: no solution has `limit` moves or fewer. `nodes` and `cut` count this limit alone."""

    limit: int
    nodes: int
    cut: int
    seconds: float


@dataclass(frozen=True)
class Solved:
    """A shortest solution; `nodes` and `seconds` are of this limit alone.

    `count`: how many shortest solutions there are, if that was asked.
    """

    limit: int
    nodes: int
    seconds: float
    moves: list[list[int]]
    count: int | None
    total_nodes: int


@dataclass(frozen=True)
class Unsolvable:
    """A proof that there is no solution; `reason` is a code, worded by the page."""

    reason: str
    total_nodes: int
    seconds: float


@dataclass(frozen=True)
class Stopped:
    """The search ended early. `limit` is the highest one exhausted, so a bound on the result."""

    reason: str
    limit: int
    total_nodes: int
    seconds: float


@dataclass(frozen=True)
class Failed:
    """The search met a fault of ours; `error` is {"code", "message"} without details."""

    error: dict[str, str]


Event = Progress | Found | Exhausted | Solved | Unsolvable | Stopped | Failed


Marks = tuple[tuple[int, tuple[int, ...]], ...]
"""Holes to show, in groups, each with the number that belongs to it: moves it still costs, or its weight."""


@dataclass(frozen=True)
class Visit:
    """One event of a search that is watched position by position.

    `kind`: "enter" (and go deeper), "limit" or "bound" (left, because that many moves or that bound exceed
    the limit), "back" (the last step taken straight back), "seen" (left, because it was searched before with
    as many moves left, and in vain), "lost" (as "seen", and no number of moves would do), "fatal" (left out:
    it takes what is needed), "solved", "leave" (all steps tried), "end" (of the limit), "line" (a position of
    the line with which a recording begins), or at the root a code of `Puzzle.obstruction`. `entered`: whether
    it counts as a node. `bound`: moves that it proves are still to be started. `marks`: what shows it.
    """

    kind: str
    limit: int
    depth: int
    origin: int
    target: int
    state: int
    active: int
    spent: int
    bound: int
    entered: bool
    marks: Marks = ()


class Events(Protocol):
    """What a search says, as it says it."""

    def __next__(self) -> Event:
        """The next event."""
        ...

    def close(self) -> None:
        """Give the search up."""
        ...
