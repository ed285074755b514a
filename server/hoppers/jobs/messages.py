"""What server and workers say to each other: requests for searches, their events and counters."""

from dataclasses import dataclass
from typing import NamedTuple

from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable

FINAL = Solved, Unsolvable, Stopped, Failed
"""Types of the events that end a search."""


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
    """Settings of the searches of one process."""

    threads: int
    """Threads that run searches."""
    search_seconds: float
    """Largest running time of one search."""
    search_nodes: int
    """Largest number of nodes of one search."""


class SearchEvent(NamedTuple):
    """An event of a search."""

    search_id: str
    event: Event | Queued
    totals: Totals
    """Counters of the search, up to and including the event."""
