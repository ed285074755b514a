"""Messages between the server and its worker process, and the search request that they carry.

All of them are pickled, so functions in them must be at the top of a module.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from hoppers.core.events import Event, Exhausted, Progress

Function = Callable[..., Generator[Any, None, Any]]
"""A generator function of a module whose first parameter is the engine of the process that runs it.

It yields progress from 0 to 1, or events, and returns a result.
"""


class SearchRequest(NamedTuple):
    """A search as a client asked for it."""

    player: str
    """Identifies a player across connections; equal to `connection` for a client without a secret."""
    connection: str
    ticket: str
    """The client's own name for the search."""
    race: str
    """Searches of one player under the same race run side by side; empty for none."""
    query: dict[str, Any]
    """Arguments of `read_search`."""


class SearchLimits(NamedTuple):
    """Budget of one search: seconds of its own running time, and nodes."""

    seconds: float
    nodes: int


@dataclass(frozen=True)
class Queued:
    """The search waits in the queue, behind `ahead` others."""

    ahead: int


@dataclass
class Totals:
    """Counters of one search: what it has proved and what that cost."""

    limit: int = -1
    """Highest limit ruled out."""
    nodes: int = 0
    """Nodes of all limits ruled out."""
    nodes_of_limit: int = 0
    """Nodes of the limit that is being searched."""
    seconds: float = 0.0
    """Running time of the search itself, without waiting for other searches."""

    def add(self, event: Event, seconds: float) -> None:
        """Count an event. `seconds`: running time of the search when it arose."""
        self.seconds = seconds
        match event:
            case Progress(nodes=nodes):
                self.nodes_of_limit = nodes
            case Exhausted(limit=limit, nodes=nodes):
                self.limit, self.nodes, self.nodes_of_limit = limit, self.nodes + nodes, 0

    @property
    def all_nodes(self) -> int:
        """Nodes of all limits."""
        return self.nodes + self.nodes_of_limit

    def proved(self) -> "Totals":
        """Return the counters from which another worker can continue: the limit under way starts again."""
        return replace(self, nodes_of_limit=0)


class Configure(NamedTuple):
    """First message to a worker process."""

    threads: int
    """Threads that run searches; 0 for a process that only runs builds."""
    limits: SearchLimits
    answers_bytes: int
    """Size of the store of proved answers on disk; 0 for none."""
    low_priority: bool = True


class StartSearch(NamedTuple):
    """Run a search, from the first limit that is not proved."""

    search_id: str
    query: dict[str, Any]
    """Arguments of `read_search`."""
    proved: Totals


class StopSearch(NamedTuple):
    """Stop a search. No event of the search follows that the server would still send."""

    search_id: str


class PauseSearch(NamedTuple):
    """Run no further slice of a search until `ResumeSearch`."""

    search_id: str


class ResumeSearch(NamedTuple):
    """Continue a paused search."""

    search_id: str


class StartBuild(NamedTuple):
    """Run a generator function."""

    build_id: int
    function: Function
    arguments: tuple[Any, ...]


class CancelBuild(NamedTuple):
    """Close the generator of a build."""

    build_id: int


class SetPriority(NamedTuple):
    """Run with idle priority while the server is under high load."""

    idle: bool


class SearchEvent(NamedTuple):
    """An event of a search."""

    search_id: str
    event: Event | Queued
    seconds: float
    """Running time of the search until the event."""


class BuildProgress(NamedTuple):
    """The values that a build has yielded in one slice; of the floats only the last."""

    build_id: int
    values: list[Any]


class BuildFinished(NamedTuple):
    """The end of a build: its result, or a traceback if it failed."""

    build_id: int
    result: Any
    fault: str = ""
