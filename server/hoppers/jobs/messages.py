"""Messages between the server and its worker process, and the requests of clients for searches.

The server first sends the settings (`WorkerConfig`), then commands: tuples of a name (see `Command`) and
arguments. The worker sends events. Messages are pickled, so a function in a message must be defined at the
top level of a module.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable
from hoppers.runtime.logging_config import SHORT
from hoppers.runtime.process_tuning import NICE

FINAL = Solved, Unsolvable, Stopped, Failed
"""Types of the events that end a search."""

Function = Callable[..., Generator[object, None, object]]
"""Function of a build: a generator function at the top level of a module.

Its first argument is the engine of the process. The function yields progress (a float from 0 to 1) or other
values, and returns a result.
"""


class SearchRequest(NamedTuple):
    """A search that a client has requested."""

    player: str
    """Id of the player across connections; `connection` for a client that sends no secret."""
    connection: str
    ticket: str
    """Name of the search, chosen by the client."""
    race: str
    """Name of a race; a player's searches in one race run side by side. Empty: no race."""
    query: dict[str, object]
    """Arguments of `read_search`."""
    client: str = ""
    """Network address whose turns the search takes, as all limits count it; '' for the program itself."""

    @property
    def key(self) -> tuple[str, str]:
        """Player and ticket, which identify a running search."""
        return self.player, self.ticket

    def has_owner_of(self, other: "SearchRequest") -> bool:
        """Return whether `other` has the same player or comes from the same client."""
        return self.player == other.player or self.client == other.client

    def is_rival(self, other: "SearchRequest") -> bool:
        """Return whether `other`, which must be of the same player, is in the same race with another ticket.

        A search without a race has no rivals.
        """
        return bool(self.race) and self.race == other.race and self.ticket != other.ticket


@dataclass(frozen=True)
class Queued:
    """Event of a search that waits in the queue, behind `ahead` others."""

    ahead: int


class Totals(NamedTuple):
    """Counters of one search: the limits ruled out, the nodes and the running time."""

    limit: int = -1
    """Highest limit ruled out; -1 for none."""
    nodes: int = 0
    """Nodes of all limits ruled out."""
    nodes_of_limit: int = 0
    """Nodes of the limit that is being searched."""
    seconds: float = 0.0
    """Running time of the search itself, without waiting for other searches."""

    def after(self, event: Event, seconds: float) -> "Totals":
        """Return the counters after an event. `seconds`: running time of the search until the event."""
        match event:
            case Progress(nodes=nodes):
                return self._replace(nodes_of_limit=nodes, seconds=seconds)
            case Exhausted(limit=limit, nodes=nodes):
                return Totals(limit, self.nodes + nodes, 0, seconds)
        return self._replace(seconds=seconds)

    @property
    def all_nodes(self) -> int:
        """Nodes of all limits ruled out and of the limit that is being searched."""
        return self.nodes + self.nodes_of_limit


class WorkerConfig(NamedTuple):
    """Settings of a worker: the first message to a worker process."""

    threads: int = 0
    """Threads that run searches; 0 for a process that only runs builds."""
    search_seconds: float = 0
    """Largest running time of one search."""
    search_nodes: int = 0
    """Largest number of nodes of one search."""
    answers_bytes: int = 0
    """Largest size of the store of proved answers on disk; 0 for no store."""
    log: str = SHORT
    """Format of the log of a worker process (see `logging_config.configuration`)."""
    nice: int = NICE
    """Number that a worker process adds to its nice value; 19 gives the lowest priority.

    With 5 instead of 19, the median response of the server under high load took half as long again, although
    the server never needs more than one core.
    """


Command = Literal["start_search", "start_build", "stop", "pause", "resume", "set_idle"]
"""Name of a command to a worker: the name of the method of `SearchWorker` that executes the command."""


class Executor(Protocol):
    """What executes commands: a worker process, or a `SearchWorker` of this process."""

    def execute(self, command: Command, *arguments: object) -> None:
        """Execute a command, or send it to the process that executes it."""


class Heartbeat(NamedTuple):
    """Message that a worker process sends every `HEARTBEAT_SECONDS`, whatever its other threads do."""


HEARTBEAT_SECONDS = 0.5


class SearchEvent(NamedTuple):
    """Message with an event of a search."""

    search_id: str
    event: Event | Queued
    totals: Totals
    """Counters of the search, up to and including the event."""


class BuildValues(NamedTuple):
    """Message with what a build has yielded in one slice: of successive floats only the last."""

    build_id: str
    values: list[object]


class BuildResult(NamedTuple):
    """Message with the result of a build."""

    build_id: str
    result: object


class BuildFault(NamedTuple):
    """Message that a build has failed: its traceback, or `worker_process.LOST`."""

    build_id: str
    text: str


BuildEvent = BuildValues | BuildResult | BuildFault
Message = SearchEvent | BuildEvent | Heartbeat
"""Message of a worker process."""
