"""Sessions of searches: request, state and events of each search, stored while its player is interested.

A session expires unless the server of its player renews it. A worker that finds a session gone or over ends
the search. So a stop, a player who left and a lost server are one case.
"""

import itertools
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, Protocol

from hoppers.core.events import Event, Exhausted, Progress
from hoppers.jobs.messages import FINAL, Queued, SearchRequest, Totals

MAX_ENDED = 256  # ended sessions in memory, for players who reconnect
PAUSED = "paused", "away", "parked"

State = Literal["run", "paused", "away", "parked", "over"]
"""State of a session.

"paused": by the player. "away": until the player, who has lost the connection, returns. "parked": paused or
away, and without a worker until it runs again. "over": ended.
"""


class Cursor(NamedTuple):
    """Place in the events of a session after which a reader continues."""

    event: str = "0"
    progress: str = "0"


class SessionEvent(NamedTuple):
    """An event of a session, the counters of the search after it, and the place behind it."""

    session: str
    event: Event | Queued
    totals: Totals
    cursor: Cursor


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
    """A store of sessions by id, in the memory of one process or in Redis."""

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

    def states(self, known: Mapping[str, State | None], seconds: float) -> dict[str, State | None]:
        """Wait, at most `seconds`, until a state differs from `known`; return the states. None: gone."""

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

    def give_back(self, id: str) -> None:
        """Take back a start that `begin` counted, because the worker ends the search in good order."""

    def append(self, id: str, event: Event | Queued, totals: Totals) -> bool:
        """Append an event, unless the session is gone or over; a final event ends it.

        `totals`: counters of the search after the event. Of `Progress` and `Queued` only the last is stored.
        Return whether the session still wants events.
        """

    def events(self, id: str) -> Sequence[SessionEvent]:
        """Return the events of a session except `Progress` and `Queued`, up to the first final one."""

    def follow(self, cursors: Mapping[str, Cursor], seconds: float) -> Sequence[SessionEvent]:
        """Wait, at most `seconds`, for events after the cursors of sessions, and return them.

        The events of a session are in order, except that `Progress` and `Queued` may be late.
        """


def proved_by(events: Sequence[SessionEvent], before: Totals) -> Totals:
    """Return the counters after the highest limit that `events` rule out; without one, `before`."""
    rows = [sent.totals for sent in events if isinstance(sent.event, Exhausted)]
    return max(rows, key=lambda totals: totals.limit, default=before)


@dataclass
class _Stored:
    """A session in memory. The number of an event is its place in `events`, that of progress counts up."""

    session: Session
    expires: float
    events: list[tuple[Event | Queued, Totals]] = field(default_factory=list)
    progress: tuple[Event | Queued, Totals] | None = None
    progress_number: int = 0


class MemorySessions:
    """The sessions of one process. Thread-safe. See `Sessions` for the methods."""

    def __init__(self, expiry_seconds: float) -> None:
        """`expiry_seconds`: time after which a session that is not renewed is deleted."""
        self._expiry, self._stored = expiry_seconds, dict[str, _Stored]()
        self._changed = threading.Condition()

    def create(self, id: str, session: Session) -> None:
        """Store a session without events."""
        with self._changed:
            self._stored[id] = _Stored(session, time.monotonic() + self._expiry)

    def find(self, player: str, ticket: str) -> str | None:
        """Return the id of the player's last session with `ticket`."""
        with self._changed:
            ids = [id for id, one in self._stored.items() if one.session.request.key == (player, ticket)]
        return ids[-1] if ids else None

    def check(self) -> None:
        """Do nothing: memory can be reached."""

    def read(self, id: str) -> Session | None:
        """Return a session, or None."""
        stored = self._stored.get(id)
        return None if stored is None else stored.session

    def open(self) -> dict[str, Session]:
        """Return the sessions that are not over."""
        with self._changed:
            sessions = {id: stored.session for id, stored in self._stored.items()}
        return {id: session for id, session in sessions.items() if session.state != "over"}

    def open_beside(self, request: SearchRequest) -> dict[str, Session]:
        """Return the sessions that are not over, of the player or the client of `request`."""
        return {id: one for id, one in self.open().items() if one.request.has_owner_of(request)}

    def states(self, known: Mapping[str, State | None], seconds: float) -> dict[str, State | None]:
        """Wait until a state differs from `known`; return the states."""

        def states() -> dict[str, State | None]:
            found = {id: self.read(id) for id in known}
            return {id: None if session is None else session.state for id, session in found.items()}

        with self._changed:
            self._changed.wait_for(lambda: states() != known, seconds)
            return states()

    def set_state(self, id: str, state: State) -> State | None:
        """Set the state; return the state before."""
        with self._changed:
            if (stored := self._stored.get(id)) is None:
                return None
            before = stored.session.state
            if before != "over":
                stored.session = replace(stored.session, state=state)
                self._changed.notify_all()
            return before

    def begin(self, id: str) -> Session | None:
        """Count a start; return the session with the counters after its events."""
        with self._changed:
            stored = self._stored.get(id)
            if stored is None or stored.session.state in ("parked", "over"):
                return None
            stored.session = replace(stored.session, starts=stored.session.starts + 1)
            return replace(stored.session, proved=proved_by(self.events(id), stored.session.proved))

    def give_back(self, id: str) -> None:
        """Take back a start."""
        with self._changed:
            if stored := self._stored.get(id):
                stored.session = replace(stored.session, starts=stored.session.starts - 1)

    def connect(self, id: str, connection: str) -> Session | None:
        """Replace the connection of the player; return the session."""
        with self._changed:
            if stored := self._stored.get(id):
                stored.session = replace(
                    stored.session, request=stored.session.request._replace(connection=connection)
                )
            return self.read(id)

    def renew(self, ids: Iterable[str]) -> list[str]:
        """Restart the expiry of sessions; return the ids of those that are gone. Delete expired sessions."""
        now, wanted = time.monotonic(), list(ids)
        with self._changed:
            for id in wanted:
                if stored := self._stored.get(id):
                    stored.expires = now + self._expiry
            ended = [id for id, stored in self._stored.items() if stored.session.state == "over"]
            expired = [id for id, stored in self._stored.items() if stored.expires < now]
            for id in {*expired, *ended[:-MAX_ENDED]}:
                del self._stored[id]
            if expired:
                self._changed.notify_all()
        return [id for id in wanted if id not in self._stored]

    def delete(self, id: str) -> None:
        """Delete a session."""
        with self._changed:
            self._stored.pop(id, None)
            self._changed.notify_all()

    def append(self, id: str, event: Event | Queued, totals: Totals) -> bool:
        """Append an event; return whether the session still wants events."""
        with self._changed:
            stored = self._stored.get(id)
            if stored is None or stored.session.state == "over":
                return False
            if isinstance(event, Progress | Queued):
                stored.progress, stored.progress_number = (event, totals), stored.progress_number + 1
            else:
                stored.events.append((event, totals))
            if isinstance(event, FINAL):
                stored.session = replace(stored.session, state="over")
            self._changed.notify_all()
            return not isinstance(event, FINAL)

    def events(self, id: str) -> Sequence[SessionEvent]:
        """Return the events of a session except `Progress` and `Queued`."""
        with self._changed:
            stored = self._stored.get(id)
            return self._rows(id, stored, Cursor()) if stored else []

    def follow(self, cursors: Mapping[str, Cursor], seconds: float) -> Sequence[SessionEvent]:
        """Wait for events after the cursors of sessions, and return them."""

        def found() -> list[SessionEvent]:
            return list(itertools.chain.from_iterable(self._after(*item) for item in cursors.items()))

        with self._changed:
            self._changed.wait_for(found, seconds)
            return found()

    def _after(self, id: str, cursor: Cursor) -> list[SessionEvent]:
        if (stored := self._stored.get(id)) is None:
            return []
        events = self._rows(id, stored, cursor)
        if stored.progress is not None and int(cursor.progress) < stored.progress_number:
            at = Cursor(str(len(stored.events)), str(stored.progress_number))
            events.append(SessionEvent(id, *stored.progress, at))
        return events

    def _rows(self, id: str, stored: _Stored, cursor: Cursor) -> list[SessionEvent]:
        first = int(cursor.event)
        return [
            SessionEvent(id, event, totals, Cursor(str(number + 1), cursor.progress))
            for number, (event, totals) in enumerate(stored.events[first:], first)
        ]
