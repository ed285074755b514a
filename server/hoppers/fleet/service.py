"""The search service of a server in a fleet: it writes requests to Redis, and workers run the searches.

Every server checks the searches of its own connections; one server at a time checks the workers.
"""

import logging
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from hoppers.analysis.requests import read_search
from hoppers.core.errors import Busy, UnknownTicket
from hoppers.fleet.celery_app import celery_app, deliver
from hoppers.fleet.pubsub import DeliveredEvents, EventSubscription, Receiver
from hoppers.fleet.search_records import SearchRecord, SearchRecords
from hoppers.fleet.watchdog import Watchdog
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.search_job import INTERNAL, SearchHandle, events_after
from hoppers.jobs.service import EmitTo, Unreachable, check_race
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


@contextmanager
def within_reach() -> Iterator[None]:
    """Return a context manager, also a decorator, that turns errors of Redis and Celery into Unreachable.

    Raises:
        Unreachable: Redis does not answer.
    """
    try:
        yield
    except (RedisError, OperationalError) as error:
        log.warning("Redis does not answer: %s", error)
        raise Unreachable(
            "The machines that search cannot be reached at the moment; please try again soon."
        ) from error


class Fleet:
    """The search service of a fleet, whose workers run the searches; see `SearchService`."""

    def __init__(
        self,
        engine: Engine,
        url: str,
        emit: EmitTo,
        max_searches: int,
        rejoin_seconds: float,
        is_warm: Callable[[], bool],
    ) -> None:
        """Start the watchdog thread and the subscription to events. `url`: address of Redis.

        `max_searches`: largest number of searches at once in the fleet. `rejoin_seconds`: time for which a
        search of a lost connection is kept. `is_warm`: returns whether the kernels that replay found
        solutions are compiled.
        """
        self._read = partial(read_search, engine)
        self._records, self._celery = SearchRecords(url, rejoin_seconds), celery_app(url)
        self._emit, self._max_searches = emit, max_searches
        self._name = f"server-{secrets.token_hex(8)}"
        self._delivered, send = DeliveredEvents(), partial(deliver, self._celery)
        self._watchdog = Watchdog(self._name, self._records, self._read, send, emit, self._delivered, is_warm)
        sent_events = self._records.sent_events
        self._events = EventSubscription(url, emit, self._delivered, sent_events, self._fail)
        threading.Thread(target=self._watchdog.run, name="watch", daemon=True).start()
        self._events.start()

    @within_reach()
    def start(self, request: SearchRequest) -> None:
        """Start a search; see `SearchService`."""
        self._read(**request.query)
        if not self._events.listening.wait(timeout=0.5):
            raise RedisError("no event of a search would arrive")
        mine = self._records.of(request.player)
        check_race(request, [other.request for other in mine])
        replaced = [other for other in mine if not request.is_rival(other.request)]
        if len(self._records.open()) - len(replaced) >= self._max_searches and not self._make_room(
            request.player
        ):
            raise Busy(
                f"The servers run {self._max_searches} searches, their most; please try again in a moment."
            )
        for other in replaced:
            self._end(other, "replaced")
        self._wait_until_ended(replaced)
        id = uuid.uuid4().hex
        self._delivered.add(id, request.connection, request.ticket)
        self._records.create(id, request, self._name)
        deliver(self._celery, id)

    @within_reach()
    def stop(self, player: str, ticket: str) -> None:
        """Stop a search if it runs."""
        waiting = self._records.stop(player, ticket, "asked")
        if waiting and (record := self._records.read(waiting)):
            self._end(record, "asked")

    def pause(self, player: str, ticket: str) -> None:
        """Pause a search if it runs."""
        self._command(player, ticket, paused="1")

    def resume(self, player: str, ticket: str) -> None:
        """Continue a paused search."""
        self._command(player, ticket, paused="")

    @within_reach()
    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send missed events to another connection and continue; see `SearchService`."""
        record = self._records.find(player, ticket)
        if record is None:
            raise UnknownTicket(f"There is no search with the ticket {ticket!r} to go on with")
        self._delivered.add(record.id, connection, ticket, limit)
        self._records.command(record.id, connection=connection, server=self._name, away="", replay=str(limit))
        now = self._records.read(record.id)
        if now is not None and now.ended and self._records.read_for_worker(record.id):
            self._delivered.end(record.id)
            for name, fields in events_after(self._records.sent_events(record.id), limit):
                self._emit(name, fields, connection)

    def leave(self, connection: str, returns: bool) -> None:
        """Pause the searches of a lost connection, or stop them; see `SearchService`."""
        command = {"away": "1"} if returns else {"stop": "asked"}
        for id in self._delivered.remove_connection(connection):
            try:
                self._records.command(id, expected_connection=connection, **command)
            except RedisError as error:
                log.warning("a search continues although its player has left: %s", error)

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches of the fleet; empty without Redis."""
        try:
            records = list(filter(None, map(self._records.read, self._records.open())))
        except RedisError:
            return {}
        queued = sum(not record.worker for record in records)
        paused = sum(bool(record.worker and record.is_paused) for record in records)
        return {"running": len(records) - queued - paused, "queued": queued, "paused": paused}

    def close(self) -> None:
        """Stop the watchdog thread and the subscription to events."""
        self._watchdog.stop()
        self._events.close()

    @within_reach()
    def _command(self, player: str, ticket: str, **commands: str) -> None:
        record = self._records.find(player, ticket)
        if record is not None and not record.ended:
            self._records.command(record.id, **commands)

    def _fail(self, id: str, receiver: Receiver) -> None:
        """Send `failed` for a search one of whose events cannot be delivered, and stop the search."""
        try:
            self._emit("failed", {"ticket": receiver.ticket, "error": INTERNAL}, receiver.connection)
        finally:
            # any reason will do: no event is delivered after `failed`
            self._records.command(id, expected_connection=receiver.connection, stop="asked")

    def _end(self, record: SearchRecord, reason: str) -> None:
        """Request the stop of a search; if no worker has claimed the search, end it here."""
        if record.ended:
            return
        if not self._records.claim(record.id, self._name):
            return self._records.command(record.id, stop=reason)
        emit = self._records.emitter(record.id, self._name, record.request.connection)
        handle = SearchHandle(
            record.id, record.request, emit, self._read, self._records.sent_events(record.id)
        )
        handle.stop(reason)

    def _wait_until_ended(self, records: list[SearchRecord]) -> None:
        """Wait up to a second for the final events of searches, so that events of a new search come later."""
        until = time.monotonic() + 1.0
        for record in records:
            while time.monotonic() < until:
                now = self._records.read(record.id)
                if now is None or now.ended:
                    break
                time.sleep(0.005)

    def _make_room(self, player: str) -> bool:
        """End the oldest paused search of another player; return whether there is one."""
        for id in self._records.open():
            record = self._records.read(id)
            if record and record.request.player != player and record.is_paused:
                self._end(record, "replaced")
                return True
        return False
