"""The sessions of one process, in memory."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from hoppers.core.events import FINAL, Event, Progress
from hoppers.jobs.sessions import Queued, SearchRequest, Session, SessionEvent, State, Totals, proved_by

MAX_ENDED = 256  # ended sessions in memory, for players who reconnect


@dataclass
class _Stored:
    """A session in memory, with its events except `Progress` and `Queued`, numbered from 1."""

    session: Session
    expires: float
    events: list[SessionEvent] = field(default_factory=list)


class MemorySessions:
    """The sessions of one process. Thread-safe. See `Sessions` for the methods."""

    def __init__(self, expiry_seconds: float) -> None:
        """`expiry_seconds`: time after which a session that is not renewed is deleted."""
        self._expiry, self._stored = expiry_seconds, dict[str, _Stored]()
        self._lock = threading.Lock()
        self.on_event: Callable[[SessionEvent], object] = lambda sent: None
        """Called with each new event, without the lock."""
        self.on_change: Callable[[str], None] = lambda id: None
        """Called after each change of the state of a session, and when it is gone, without the lock."""

    def create(self, id: str, session: Session) -> None:
        with self._lock:
            self._stored[id] = _Stored(session, time.monotonic() + self._expiry)

    def find(self, player: str, ticket: str) -> str | None:
        with self._lock:
            ids = [id for id, one in self._stored.items() if one.session.request.key == (player, ticket)]
        return ids[-1] if ids else None

    def check(self) -> None:
        """Do nothing: memory can be reached."""

    def read(self, id: str) -> Session | None:
        stored = self._stored.get(id)
        return None if stored is None else stored.session

    def open(self) -> dict[str, Session]:
        with self._lock:
            sessions = {id: stored.session for id, stored in self._stored.items()}
        return {id: session for id, session in sessions.items() if session.state != "over"}

    def open_beside(self, request: SearchRequest) -> dict[str, Session]:
        return {id: one for id, one in self.open().items() if one.request.has_owner_of(request)}

    def set_state(self, id: str, state: State) -> State | None:
        with self._lock:
            if (stored := self._stored.get(id)) is None:
                return None
            before = stored.session.state
            if before != "over":
                stored.session = replace(stored.session, state=state)
        self.on_change(id)
        return before

    def begin(self, id: str) -> Session | None:
        with self._lock:
            stored = self._stored.get(id)
            if stored is None or stored.session.state in ("parked", "over"):
                return None
            stored.session = replace(stored.session, starts=stored.session.starts + 1)
            return replace(stored.session, proved=proved_by(stored.events, stored.session.proved))

    def connect(self, id: str, connection: str) -> Session | None:
        with self._lock:
            if stored := self._stored.get(id):
                stored.session = replace(
                    stored.session, request=stored.session.request._replace(connection=connection)
                )
            return self.read(id)

    def renew(self, ids: Iterable[str]) -> list[str]:
        """Restart the expiry of sessions; return the ids of those that are gone. Delete expired sessions."""
        now, wanted = time.monotonic(), list(ids)
        with self._lock:
            for id in wanted:
                if stored := self._stored.get(id):
                    stored.expires = now + self._expiry
            ended = [id for id, stored in self._stored.items() if stored.session.state == "over"]
            expired = [id for id, stored in self._stored.items() if stored.expires < now]
        for id in {*expired, *ended[:-MAX_ENDED]}:
            self.delete(id)
        return [id for id in wanted if id not in self._stored]

    def delete(self, id: str) -> None:
        with self._lock:
            self._stored.pop(id, None)
        self.on_change(id)

    def append(self, id: str, event: Event | Queued, totals: Totals) -> bool:
        is_final = isinstance(event, FINAL)
        with self._lock:
            stored = self._stored.get(id)
            if stored is None or stored.session.state == "over":
                return False
            if isinstance(event, Progress | Queued):
                sent = SessionEvent(id, event, totals, 0)
            else:
                sent = SessionEvent(id, event, totals, len(stored.events) + 1)
                stored.events.append(sent)
            if is_final:
                stored.session = replace(stored.session, state="over")
        if is_final:
            self.on_change(id)  # first, because the reader of the event may delete the session
        self.on_event(sent)
        return not is_final

    def events(self, id: str) -> Sequence[SessionEvent]:
        return self.missed(id, 0)

    def missed(self, id: str, number: int) -> Sequence[SessionEvent]:
        """Return all events with higher numbers: `on_event` is called once for each."""
        with self._lock:
            stored = self._stored.get(id)
            return stored.events[number:] if stored else []
