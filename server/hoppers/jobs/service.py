"""The search service, called by the Socket.IO channel: admission, delivery of events, and lost connections.

The searches themselves are sessions (see `sessions.py`). Alone, a server stores them in memory and runs them
in its own threads; in a fleet they are in Redis, and any worker runs them. One thread renews the sessions of
the players who are connected to this server.
"""

import logging
import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from hoppers.analysis.requests import ParsedSearch
from hoppers.core.errors import Busy, PuzzleError, quoted
from hoppers.core.events import FINAL, Event, Exhausted, Progress, Stopped, fields_of
from hoppers.core.puzzle import Question
from hoppers.jobs.search_job import Read
from hoppers.jobs.sessions import (
    Queued,
    SearchRequest,
    Session,
    SessionEvent,
    Sessions,
    State,
    Totals,
    proved_by,
)
from hoppers.runtime import metrics
from hoppers.runtime.logging_config import pseudonym

log = logging.getLogger(__name__)

MAX_IN_RACE = 4
CHECK_SECONDS = 0.5  # between two renewals of the sessions of this server

EmitTo = Callable[[str, dict[str, object], str], None]
"""Function that sends an event, given by name and fields, to a connection.

It must neither block nor call the search service.
"""


@dataclass
class Followed:
    """A session whose events go to a connection of this server."""

    request: SearchRequest
    search: ParsedSearch
    totals: Totals
    """Counters of the search, after the last event that was sent."""
    number: int = 0
    """Number of the last event that was sent (see `SessionEvent`)."""
    paused: bool = False
    place: int | None = None
    """Number of searches ahead in the queue, as last sent; None if none was sent."""

    def stopped(self, reason: str) -> Stopped:
        """Return the event that ends the search now."""
        totals = self.totals
        return Stopped(reason, totals.limit, totals.all_nodes, totals.seconds)


class SearchService:
    """The search service of one server, alone or in a fleet. Thread-safe.

    All methods that a client calls raise Busy if the store of sessions does not answer.
    """

    def __init__(
        self,
        sessions: Sessions,
        submit: Callable[[str, ParsedSearch | None], object],
        emit: EmitTo,
        max_searches: int,
        *,
        read: Read,
        learn: Callable[[Question, Event], object] | None = None,
        on_close: Iterable[Callable[[], None]] = (),
    ) -> None:
        """Start the thread. `submit`: has the session with this id run, whose parsed request may be given.

        `max_searches`: most searches of one client that have not ended. `learn`: stores what, if anything, an
        event proves, before it is sent; None if this process runs the searches, which learn themselves.
        `on_close`: functions that `close` calls.
        """
        self._sessions, self._submit, self._emit = sessions, submit, emit
        self._max_searches, self._read, self._learn = max_searches, read, learn
        self._followed: dict[str, Followed] = {}
        self._lock = threading.RLock()  # guards `_followed`; held while an event is sent
        self._admission = threading.Lock()
        self._closed, self._on_close = threading.Event(), on_close
        threading.Thread(target=self._renew_sessions, name="sessions", daemon=True).start()

    def start(self, request: SearchRequest) -> None:
        """Start a search. It replaces the player's other searches, except its rivals (see `is_rival`).

        If the client has too many searches, it also replaces its oldest paused search of another player.

        Raises:
            Busy: the client has too many searches, and no search of another player is paused.
            PuzzleError: too many searches of the race run, or the query is invalid.
        """
        search = self._read(**request.query)
        totals = Totals(search.question.first_limit - 1)
        with self._admission:
            for id in self._replaced_by(request, self._sessions.open_beside(request)):
                self._end(id, "replaced")
            self._begin(uuid.uuid4().hex, Followed(request, search, totals))

    def stop(self, player: str, ticket: str) -> None:
        """Stop a search if it has not ended; a connected player has `Stopped` when this method returns.

        Raises:
            PuzzleError: the search is not known; `pause` and `resume` raise it, too.
        """
        self._end(self._find(player, ticket), "asked")

    def pause(self, player: str, ticket: str) -> None:
        """Pause a search if it has not ended; no event is sent until it is resumed."""
        id = self._find(player, ticket)
        self._set_paused(id, True)
        self._suspend(id, "paused")

    def resume(self, player: str, ticket: str) -> None:
        """Continue a search if its player has paused it."""
        self._continue(self._find(player, ticket))

    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send missed events of a search, and all later ones, to a new connection of its player.

        `limit`: highest limit whose event `Exhausted` the client has; the events after it are sent, or all
        events if there is none up to `limit`. A search that its player has paused stays paused.

        Raises:
            PuzzleError: the search is not known any more.
        """
        id = self._sessions.find(player, ticket)
        session = self._sessions.connect(id, connection) if id else None
        if id is None or session is None:
            raise unknown(ticket)
        events = self._sessions.events(id)
        rows = [sent for sent in events if isinstance(sent.event, Exhausted) and sent.event.limit <= limit]
        request, totals = session.request, proved_by(rows, session.proved)
        search = self._read(**request.query)
        number = rows[-1].number if rows else 0
        paused = session.state in ("paused", "parked")
        joined = Followed(request, search, totals, number, paused)
        with self._lock:
            before = self._followed.get(id)
            self._followed[id] = joined
            if before is not None and before.place is not None and not paused:
                joined.place = before.place
                self._send(joined, Queued(before.place))
            self._catch_up(id)
        if session.state == "away":
            self._continue(id)

    def receive(self, sent: SessionEvent) -> bool:
        """Learn from an event of a session and send it, unless that has been done before.

        Return False if the session is not followed, or paused: then it is still to be sent.
        """
        id, event = sent.session, sent.event
        if (followed := self._followed.get(id)) is None:
            return False
        is_repeated = self._is_repeated(event, followed.totals.limit)
        if not is_repeated:
            self._learn_from(followed, event)
        with self._lock:
            if self._followed.get(id) is not followed or followed.paused:
                return False
            if sent.number:
                is_repeated = is_repeated or sent.number <= followed.number
                followed.number = max(sent.number, followed.number)
            if is_repeated or (isinstance(event, Queued) and event.ahead == followed.place):
                return True
            event = self._note(followed, sent)
            if isinstance(event, FINAL):
                del self._followed[id]
            is_sent = self._send(followed, event)
        is_final, request = isinstance(event, FINAL), followed.request
        if is_final:
            self._record(followed, event)
        if not is_sent or (is_final and request.connection == request.player):  # who cannot reconnect
            self._forget(id)
        return True

    def numbers(self) -> dict[str, int]:
        """Return the numbers of the events sent last, by session, without paused searches."""
        with self._lock:
            return {id: one.number for id, one in self._followed.items() if not one.paused}

    def leave(self, connection: str, returns: bool) -> None:
        """Suspend the searches of a lost connection until they expire, or end them without an event.

        `returns`: whether the player may come back over another connection. A failure is only logged: the
        sessions are not renewed any more.
        """
        with self._lock:
            left = [id for id, one in self._followed.items() if one.request.connection == connection]
            for id in left:
                del self._followed[id]
        try:
            for id in left:
                self._leave(id, connection, returns)
        except Busy as error:
            log.warning("a search continues until it expires, although its player has left: %s", error)

    def is_reachable(self) -> bool:
        """Return whether the store of sessions takes new ones."""
        try:
            self._sessions.check()
        except Busy:
            return False
        return True

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches, or {} if they cannot be read."""
        try:
            sessions = self._sessions.open()
        except Busy:
            return {}
        queued = {id for id, one in list(self._followed.items()) if one.place is not None}
        paused = sum(session.paused for session in sessions.values())
        waiting = sum(
            (id in queued or not session.starts) and not session.paused for id, session in sessions.items()
        )
        return {"running": len(sessions) - waiting - paused, "queued": waiting, "paused": paused}

    def close(self) -> None:
        """Call the functions `on_close`, and make the thread end soon, without waiting for it."""
        self._closed.set()
        for act in self._on_close:
            act()

    def _replaced_by(self, request: SearchRequest, sessions: dict[str, Session]) -> list[str]:
        """Return the searches that `request` replaces; raise Busy or PuzzleError as `start` does."""
        mine = {id: one for id, one in sessions.items() if one.request.player == request.player}
        rivals = [id for id, one in mine.items() if request.is_rival(one.request)]
        if len(rivals) >= MAX_IN_RACE:
            sentence = f"{MAX_IN_RACE} searches run under the race {request.race!r} already"
            raise PuzzleError(sentence, "race_full")
        replaced = [id for id in mine if id not in rivals]
        of_client = [id for id, one in sessions.items() if one.request.client == request.client]
        if len(of_client) - len(replaced) < self._max_searches:
            return replaced
        paused = [id for id in of_client if sessions[id].paused and id not in mine]
        if not paused:
            raise Busy(f"Your network runs {self._max_searches} searches, its most; stop one of them first.")
        return [*replaced, paused[0]]

    def _begin(self, id: str, followed: Followed) -> None:
        """Store a session, follow it, and have it run."""
        self._store(id, followed)
        with self._lock:
            self._followed[id] = followed
        try:
            self._submit(id, followed.search)
        except Busy:
            with self._lock:
                self._followed.pop(id, None)
            raise

    def _begin_again(self, id: str, lost: Followed) -> None:
        """Store a lost session anew and have it run, unless its search has ended meanwhile."""
        self._store(id, lost)
        with self._lock:
            is_followed = self._followed.get(id) is lost
            lost.number = 0
        if is_followed:
            self._submit(id, lost.search)
        else:
            self._sessions.delete(id)

    def _store(self, id: str, followed: Followed) -> None:
        proved = followed.totals._replace(nodes_of_limit=0)
        self._sessions.create(id, Session(followed.request, proved))
        if followed.paused:
            self._sessions.set_state(id, "paused")

    def _find(self, player: str, ticket: str) -> str:
        """Return the id of a search; raise a PuzzleError if it is not known any more, or never was."""
        key = player, ticket
        followed = next((id for id, one in list(self._followed.items()) if one.request.key == key), None)
        if id := followed or self._sessions.find(player, ticket):
            return id
        raise unknown(ticket)

    def _end(self, id: str, reason: str) -> None:
        """End a search that has not ended with `Stopped`."""
        with self._lock:
            followed = self._followed.pop(id, None)
            if followed is not None:
                event = followed.stopped(reason)
                self._send(followed, event)
        if followed is None:
            session = self._sessions.read(id)
            if session is None or session.state == "over":
                return
            totals = proved_by(self._sessions.events(id), session.proved)
            self._sessions.append(id, Stopped(reason, totals.limit, totals.nodes, totals.seconds), totals)
            return
        self._record(followed, event)
        try:
            self._sessions.append(id, event, followed.totals)
        except Busy as error:
            log.warning("a stopped search runs until its session expires: %s", error)

    def _set_paused(self, id: str, paused: bool) -> None:
        with self._lock:
            if followed := self._followed.get(id):
                followed.paused, followed.place = paused, None
                if not paused:
                    self._catch_up(id)

    def _catch_up(self, id: str) -> None:
        """Send the events of a session that were not sent before. The caller holds the lock."""
        for sent in self._sessions.missed(id, self._followed[id].number):
            self.receive(sent)

    def _suspend(self, id: str, state: State) -> None:
        """Set the state "paused" or "away" of a running search; any other state stays."""
        before = self._sessions.set_state(id, state)
        if before not in (None, "run", "over") and not (before == "away" and state == "paused"):
            self._sessions.set_state(id, before)

    def _continue(self, id: str) -> None:
        self._set_paused(id, False)
        if self._sessions.set_state(id, "run") == "parked":
            self._submit(id, None)

    def _leave(self, id: str, connection: str, returns: bool) -> None:
        def is_left() -> bool:
            session = self._sessions.read(id)
            return session is not None and session.request.connection == connection

        if not is_left():  # the player has returned already
            return
        if not returns:
            return self._sessions.delete(id)
        self._suspend(id, "away")
        if not is_left():  # `rejoin` may have read the state before
            self._continue(id)

    def _renew_sessions(self) -> None:
        while not self._closed.wait(CHECK_SECONDS):
            try:
                self._check()
            except Busy as error:
                log.warning("%s", error)
            except Exception:
                log.exception("the sessions of searches were not renewed")

    def _is_repeated(self, event: Event | Queued, limit: int) -> bool:
        """Return whether a worker that has taken the search over repeats what was sent before."""
        return isinstance(event, Exhausted | Progress) and event.limit <= limit and event.limit > 0

    def _note(self, followed: Followed, sent: SessionEvent) -> Event | Queued:
        """Note what an event says about its search, and return the event to send.

        A server that does not follow the search may have stopped it: the worker may have added a row after
        that server had counted them, so the counters of this one are used.
        """
        event = sent.event
        followed.place = event.ahead if isinstance(event, Queued) else None
        if isinstance(event, Stopped) and event.reason in ("asked", "replaced"):
            return followed.stopped(event.reason)
        if not isinstance(event, Queued):  # a place in the queue may come late, with older counters
            followed.totals = sent.totals
        return event

    def _send(self, followed: Followed, event: Event | Queued) -> bool:
        """Send an event to the player; return False if that fails. The caller holds the lock."""
        if isinstance(event, Stopped) and not followed.search.is_sound:
            event = replace(event, limit=-1)  # the limits searched are not ruled out
        name, fields = type(event).__name__.lower(), {"ticket": followed.request.ticket, **fields_of(event)}
        try:
            self._emit(name, fields, followed.request.connection)
        except Exception:
            log.exception("an event of the search %r could not be sent", followed.request.ticket)
            return False
        return True

    def _forget(self, id: str) -> None:
        """Delete a session that no client can read any more."""
        with self._lock:
            self._followed.pop(id, None)
        self._sessions.delete(id)

    def _learn_from(self, followed: Followed, event: Event | Queued) -> None:
        """Store what an event proves; log a failure. A method that is wrong on purpose proves nothing.

        To check a solution takes kernels, which this process may not have loaded yet.
        """
        if self._learn is None:
            return
        search = followed.search
        may_learn = search.is_sound and search.question.puzzle.is_compiled
        if isinstance(event, Progress | Queued) or not may_learn:
            return
        try:
            self._learn(search.question, event)
        except Exception:
            log.exception("what a search of %s has proved could not be stored", search.question.puzzle.id)

    def _record(self, followed: Followed, event: Event | Queued) -> None:
        """Record the end of a search in the metrics and the log."""
        name, totals = type(event).__name__.lower(), followed.totals
        nodes = getattr(event, "total_nodes", totals.all_nodes)
        metrics.SEARCHES_ENDED.labels(name).inc()
        metrics.NODES.inc(nodes)
        metrics.SEARCH_SECONDS.observe(totals.seconds)
        details = {
            "ticket": followed.request.ticket,
            "owner": pseudonym(followed.request.player),
            **followed.search.subject,
            "outcome": getattr(event, "reason", name),
            "seconds": round(totals.seconds, 3),
            "nodes": nodes,
        }
        log.info("search ended: %s", details, extra=details)

    def _check(self) -> None:
        """Renew the sessions of this server, and begin lost ones again."""
        with self._lock:
            followed = dict(self._followed)
        for id in self._sessions.renew(followed):
            if self._followed.get(id) is (lost := followed[id]):
                log.warning("search %s was lost and goes on after limit %d", id, lost.totals.limit)
                self._begin_again(id, lost)


def unknown(ticket: str) -> PuzzleError:
    """Return the error about a ticket with which no search is known."""
    return PuzzleError("There is no search with the ticket {ticket}", "unknown_ticket", ticket=quoted(ticket))
