"""The search service of a server in a fleet: it writes requests to Redis, and workers run the searches.

A thread delivers the events in the server's inbox, another sends heartbeats and checks the searches.
"""

import json
import logging
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from redis.exceptions import RedisError

from hoppers.analysis.requests import read_search
from hoppers.core.errors import Busy
from hoppers.core.events import Found
from hoppers.fleet.search_records import FINAL_NAMES, SearchRecord, SearchRecords, start_thread
from hoppers.fleet.watchdog import Watchdog
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.search_job import SearchHandle, events_after
from hoppers.jobs.service import EmitTo, check_race, unknown_ticket
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.table_method import learn

log = logging.getLogger(__name__)

CHECK_SECONDS = 0.5  # between two checks of one server
OUTAGE_SECONDS = 3.0  # of Redis, after which searches count as lost
SEARCH_LOST = {
    "code": "search_lost",
    "message": "The search was lost with a machine that stopped; please start it again.",
}


@contextmanager
def within_reach() -> Iterator[None]:
    """Turn errors of Redis in the context, or in the decorated function, into Busy."""
    try:
        yield
    except RedisError as error:
        log.warning("Redis does not answer: %s", error)
        sentence = "The machines that search cannot be reached at the moment; please try again soon."
        raise Busy(sentence, "unreachable") from error


class Fleet:
    """The search service of a fleet, whose workers run the searches.

    It has the methods of `LocalSearches` except `start_waiting`. `start`, `stop`, `pause`, `resume` and
    `rejoin` also raise Busy if Redis does not answer.
    """

    def __init__(
        self,
        engine: Engine,
        url: str,
        emit: EmitTo,
        max_searches: int,
        rejoin_seconds: float,
        is_warm: Callable[[], bool],
    ) -> None:
        """Start the threads. `url`: address of Redis. `max_searches`: most searches at once in the fleet.

        `rejoin_seconds`: time for which the events of a search that this server ends are stored. `is_warm`:
        returns whether the kernels that replay found solutions are compiled.
        """
        self._read, self._records = partial(read_search, engine), SearchRecords(url, rejoin_seconds)
        self._emit, self._max_searches, self._is_warm = emit, max_searches, is_warm
        self._name = f"server-{secrets.token_hex(8)}"
        self._receivers: dict[str, tuple[str, str]] = {}
        """Connection and ticket of each search whose events go to a connection of this server, by id."""
        self._lock = threading.Lock()  # guards changes of `_receivers`
        self._last_event = self._last_solution = "0"
        self._watchdog = Watchdog(self._records)
        self._last_contact = time.monotonic()
        self._closed = threading.Event()
        start_thread("deliver", self._deliver_events, self._closed)
        start_thread("check", self._check, self._closed)

    @within_reach()
    def start(self, request: SearchRequest) -> None:
        """Start a search; see `LocalSearches`."""
        self._read(**request.query)
        mine = self._records.of(request.player)
        check_race(request, [other.request for other in mine])
        replaced = [other for other in mine if not request.is_rival(other.request)]
        is_full = len(self._records.open()) - len(replaced) >= self._max_searches
        if is_full and not self._make_room(request.player):
            raise Busy(
                f"The servers run {self._max_searches} searches, their most; please try again in a moment."
            )
        for other in replaced:
            self._end(other, "replaced")
        self._wait_until_ended(replaced)
        id = uuid.uuid4().hex
        with self._lock:  # no event is delivered, and no check made, before the receiver is known
            self._records.create(id, request, self._name)
            self._receivers[id] = request.connection, request.ticket

    @within_reach()
    def stop(self, player: str, ticket: str) -> None:
        """Request the stop of a search, if it runs; end it at once if it still waits for a worker."""
        if record := self._records.find(player, ticket):
            self._end(record, "asked")

    def pause(self, player: str, ticket: str) -> None:
        """Request the pause of a search, if it runs or waits."""
        self._command(player, ticket, paused="1")

    def resume(self, player: str, ticket: str) -> None:
        """Request the end of the pause of a search, if its player has paused it."""
        self._command(player, ticket, paused="")

    @within_reach()
    def rejoin(self, player: str, ticket: str, limit: int, connection: str) -> None:
        """Send missed and later events of a search to another connection; see `LocalSearches`.

        If the search has not ended, its worker sends the missed events.
        """
        record = self._records.find(player, ticket)
        if record is None:
            raise unknown_ticket(ticket)
        with self._lock:
            self._receivers[record.id] = connection, ticket
        self._records.command(record.id, connection=connection, server=self._name, away="", replay=str(limit))
        now = self._records.read(record.id)
        if now and now.ended and "replay" in now.commands and self._remove_receivers([record.id]):
            for name, fields in events_after(self._records.sent_events(record.id), limit):
                self._emit(name, fields, connection)

    def leave(self, connection: str, returns: bool) -> None:
        """Request a grace period for the searches of a lost connection if `returns`, otherwise their stop.

        A failure of Redis is only logged.
        """
        command = {"away": "1"} if returns else {"stop": "asked"}
        left = [id for id, (receiver, _) in self._searches() if receiver == connection]
        for id in self._remove_receivers(left):
            try:
                self._records.command(id, expected_connection=connection, **command)
            except RedisError as error:
                log.warning("a search continues although its player has left: %s", error)

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches of the fleet, or {} without Redis."""
        try:
            records = list(filter(None, map(self._records.read, self._records.open())))
        except RedisError:
            return {}
        queued = sum(not record.worker for record in records)
        paused = sum(bool(record.worker and record.is_paused) for record in records)
        return {"running": len(records) - queued - paused, "queued": queued, "paused": paused}

    def close(self) -> None:
        """Make the threads end within some two seconds, without waiting for them."""
        self._closed.set()

    @within_reach()
    def _command(self, player: str, ticket: str, **commands: str) -> None:
        record = self._records.find(player, ticket)
        if record is not None and not record.ended:
            self._records.command(record.id, **commands)

    def _end(self, record: SearchRecord, reason: str) -> None:
        """Request the stop of a search; if no worker has claimed the search, end it here."""
        if record.ended:
            return
        if not self._records.claim(record.id, self._name):
            return self._records.command(record.id, stop=reason)
        emit = self._records.emitter(record, self._name)
        handle = SearchHandle(
            record.id, record.request, emit, self._read, self._records.sent_events(record.id)
        )
        handle.stop(reason)
        if handle.dropped:  # claimed by another process meanwhile
            self._records.command(record.id, stop=reason)

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
        """End the oldest paused search of another player; return whether there was one.

        If a worker has the search, only the command is sent; the worker ends the search soon afterwards.
        """
        for id in self._records.open():
            record = self._records.read(id)
            if record and record.request.player != player and record.is_paused:
                self._end(record, "replaced")
                return True
        return False

    def _searches(self) -> list[tuple[str, tuple[str, str]]]:
        with self._lock:
            return list(self._receivers.items())

    def _remove_receivers(self, ids: list[str]) -> dict[str, tuple[str, str]]:
        """Remove and return the receivers of the searches `ids`, to which no further event is then sent."""
        with self._lock:
            return {id: self._receivers.pop(id) for id in ids if id in self._receivers}

    def _deliver_events(self) -> None:
        """Send the next events in the inbox whose connections still receive the events of their searches."""
        for number, text in self._records.read_inbox(self._name, self._last_event):
            self._last_event = number
            id, connection, name, fields = json.loads(text)
            with self._lock:
                receives = self._receivers.get(id, ("", ""))[0] == connection
                if receives and name in FINAL_NAMES:
                    del self._receivers[id]
            if receives:
                self._emit(name, fields, connection)

    def _check(self) -> None:
        """Send a heartbeat, report lost searches, run the watchdog, read found solutions, and wait.

        Raises:
            RedisError: Redis does not answer; after `OUTAGE_SECONDS` all searches are reported as lost.
        """
        try:
            self._records.send_heartbeat(self._name)
            self._report_lost([id for id, _ in self._searches() if self._records.read(id) is None])
            self._watchdog.check()
            if self._is_warm():
                self._use_solutions()
            self._last_contact = time.monotonic()
        except RedisError:
            if time.monotonic() - self._last_contact > OUTAGE_SECONDS:
                self._report_lost([id for id, _ in self._searches()])
            raise
        self._closed.wait(CHECK_SECONDS)

    def _use_solutions(self) -> None:
        """Pass solutions of workers that no call has read yet to the hints of their puzzles.

        The first call begins with the oldest stored solution. A call reads at most ten, because each is
        replayed by the rules, which takes some milliseconds. A solution that does not begin with the
        question's first step is ignored. An invalid one is logged.
        """
        for number, entry in self._records.read_solutions(self._last_solution):
            self._last_solution = number
            try:
                question = self._read(**json.loads(entry["query"])).question
                moves, first = json.loads(entry["moves"]), question.first
                if first is None or [first.origin, first.target] == moves[0][:2]:
                    learn(question, Found(len(moves), 0.0, moves))
            except (LookupError, TypeError, ValueError):
                log.warning("ignoring an invalid solution found by a worker: %.200s", entry, exc_info=True)

    def _report_lost(self, ids: list[str]) -> None:
        for connection, ticket in self._remove_receivers(ids).values():
            self._emit("failed", {"ticket": ticket, "error": SEARCH_LOST}, connection)
