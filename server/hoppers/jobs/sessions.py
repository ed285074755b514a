"""Sessions of searches: request, state and events of each search, stored while its player is interested.

A session expires unless the server of its player renews it. A search whose session is gone or over ends. So a
stop, a player who left and a lost server are one case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from hoppers.core.events import Event, Exhausted, Progress

PAUSED = "paused", "away", "parked"

State = Literal["run", "paused", "away", "parked", "over"]
"""State of a session.

"paused": by the player. "away": until the player, who has lost the connection, returns. "parked": paused or
away, and without a worker until it runs again. "over": ended.
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
    """Arguments of `parse_search`."""
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


class SessionEvent(NamedTuple):
    """An event of a session, and the counters of the search after it."""

    session: str
    event: Event | Queued
    totals: Totals
    number: int
    """Rises from event to event; 0 for `Progress` and `Queued`, which no later reader gets."""


@dataclass(frozen=True)
class Session:
    """A search as it is stored."""

    request: SearchRequest
    """With the player's present connection."""
    proved: Totals
    """Counters of the limits that were ruled out before the first event of the session."""
    starts: int = 0
    """Number of times that a worker has begun the search."""
    state: State = "run"

    @property
    def paused(self) -> bool:
        """Whether no worker may continue the search now."""
        return self.state in PAUSED


class Sessions(Protocol):
    """A store of sessions by id, in the memory of one process or in Redis.

    `SearchService.receive` is called with each new event, and `Runner.follow` after each change of a state:
    by the store in memory, or by threads that read Redis (see `fleet.followers`).
    """

    def check(self) -> None:
        """Raise Busy if the store takes no sessions."""

    def create(self, id: str, session: Session) -> None:
        """Store a session without events."""

    def find(self, player: str, ticket: str) -> str | None:
        """Return the id of the session that the player started last with `ticket`; None if it is gone."""

    def read(self, id: str) -> Session | None:
        """Return a session, which may be over; None if it is gone."""

    def open(self) -> dict[str, Session]:
        """Return the sessions that are not over, in order of arrival."""

    def open_beside(self, request: SearchRequest) -> dict[str, Session]:
        """Return those of `open` that have the player of `request` or come from its client.

        A start reads these alone, so it takes no longer if others search.
        """

    def set_state(self, id: str, state: State) -> State | None:
        """Set the state, unless the session is gone or over; return the state before, None if gone."""

    def begin(self, id: str) -> Session | None:
        """Count a start; return the session with the counters after its events.

        Return None if no worker has to run the search: the session is gone, over or parked.
        """

    def connect(self, id: str, connection: str) -> Session | None:
        """Replace the connection of the player; return the session afterwards, None if it is gone."""

    def renew(self, ids: Iterable[str]) -> list[str]:
        """Restart the expiry of sessions; return the ids of those that are gone."""

    def delete(self, id: str) -> None:
        """Delete a session."""

    def append(self, id: str, event: Event | Queued, totals: Totals) -> bool:
        """Append an event, unless the session is gone or over; a final event ends it.

        `totals`: counters of the search after the event. `Progress` and `Queued` are not kept.
        Return whether the session still wants events.
        """

    def events(self, id: str) -> Sequence[SessionEvent]:
        """Return the events of a session except `Progress` and `Queued`, up to the first final one."""

    def missed(self, id: str, number: int) -> Sequence[SessionEvent]:
        """Return the events after number `number` that the server of the player will not hear of again."""


def proved_by(events: Sequence[SessionEvent], before: Totals) -> Totals:
    """Return the counters after the highest limit that `events` rule out; without one, `before`."""
    rows = [sent.totals for sent in events if isinstance(sent.event, Exhausted)]
    return max(rows, key=lambda totals: totals.limit, default=before)
