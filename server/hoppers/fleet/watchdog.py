"""Watchdog thread of a server: notices lost searches and lost workers, and reports queue places.

Redis deletes the heartbeat of a worker that has missed several, so no clocks of different machines are
compared. A server notices the loss with its next check.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from redis.exceptions import RedisError

from hoppers.fleet.found_solutions import FoundSolutions
from hoppers.fleet.pubsub import DeliveredEvents
from hoppers.fleet.search_records import PREFIX, SearchRecord, SearchRecords
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.search_job import INTERNAL, Read
from hoppers.jobs.service import EmitTo
from hoppers.runtime import metrics

log = logging.getLogger(__name__)

LOCK = f"{PREFIX}:watch"
CHECK_SECONDS = 0.5  # least time between two checks of one server
REDELIVERY_CHECKS = 10  # checks after which a waiting search is delivered again, in case Celery lost it
OUTAGE_SECONDS = 3.0  # time without Redis after which clients receive the error `search_lost`
SEARCH_LOST = {
    "code": "search_lost",
    "message": "The search was lost with a machine that stopped; please start it again.",
}


class Heartbeat(NamedTuple):
    """State of a worker's heartbeat, as one server sees it."""

    beat: str | None
    """Number of the last heartbeat; None: the worker is lost."""
    checks: int
    """Number of checks since the last new heartbeat."""


def after_check(before: Heartbeat | None, beat: str | None) -> Heartbeat:
    """Return the state after one more check, which has read the heartbeat `beat`; None: there was none."""
    if beat is not None and (before is None or before.beat != beat):
        return Heartbeat(beat, 0)
    return Heartbeat(beat, 1 if before is None else before.checks + 1)


class Watchdog:
    """Periodic checks of the searches of this server; one server at a time also checks all workers."""

    def __init__(
        self,
        name: str,
        records: SearchRecords,
        read: Read,
        deliver: Callable[[str], None],
        emit: EmitTo,
        delivered: DeliveredEvents,
        is_warm: Callable[[], bool] = lambda: True,
    ) -> None:
        """Prepare the checks, which begin with `run`.

        Args:
            name: name of this server.
            records: records of all searches.
            read: parses the query of a request.
            deliver: sends a search id to a worker.
            emit: sends an event to a connection of this server.
            delivered: the rows that this server has delivered.
            is_warm: returns whether the kernels that replay found solutions are compiled.
        """
        self._name, self._records, self._read = name, records, read
        self._deliver, self._emit, self._is_warm = deliver, emit, is_warm
        self._delivered, self._found_solutions = delivered, FoundSolutions(records.redis)
        self._requests: dict[str, SearchRequest] = {}
        """Search id -> request, for the searches of this server's connections."""
        self._ended = set[str]()
        """Ids of ended searches whose final event may not have been delivered."""
        self._heartbeats: dict[str, Heartbeat] = {}
        """State of every worker that runs a search, as far as this server has checked."""
        self._waits: dict[str, int] = {}
        """Checks for which a search has waited for a worker, as far as this server has checked."""
        self._last_contact = time.monotonic()
        self._stopped = threading.Event()

    def add(self, id: str, request: SearchRequest, limit: int = -1) -> None:
        """Begin to check a search. Its connection is on this server and has the rows up to `limit`."""
        self._requests[id] = request
        self._delivered.add(id, request.connection, limit)

    def remove_connection(self, connection: str) -> list[str]:
        """Stop checking the searches of a closed connection; return their ids."""
        removed = [id for id, request in list(self._requests.items()) if request.connection == connection]
        for id in removed:
            self._remove(id)
        return removed

    def _remove(self, id: str) -> SearchRequest | None:
        self._delivered.remove(id)
        self._ended.discard(id)
        return self._requests.pop(id, None)

    def fail(self, id: str) -> None:
        """Send `failed` for a search one of whose events cannot be delivered, and stop the search."""
        request = self._requests.get(id)
        if request is not None:
            try:
                self._emit("failed", {"ticket": request.ticket, "error": INTERNAL}, request.connection)
            finally:
                self._records.command(id, expected_connection=request.connection, stop="asked")

    def stop(self) -> None:
        """Make `run` return after its current check."""
        self._stopped.set()

    def run(self) -> None:
        """Send heartbeats and check searches every `CHECK_SECONDS` until `stop` is called.

        Of all servers only the holder of LOCK checks all searches; the others check their own.
        """
        while not self._stopped.wait(CHECK_SECONDS):
            try:
                self._records.send_heartbeat(self._name)
                self._check_own_searches()
                if self._records.redis.set(LOCK, "1", nx=True, px=2_000):
                    self._check_all_searches()
                    self._records.redis.delete(LOCK)
                if self._is_warm():
                    self._found_solutions.read_new(self._read)
                self._last_contact = time.monotonic()
            except RedisError as error:
                log.warning("Redis does not respond: %s", error)
                if time.monotonic() - self._last_contact > OUTAGE_SECONDS:
                    self._report_lost(list(self._requests))
            except Exception:
                log.exception("a check of the watchdog failed")

    def _check_own_searches(self) -> None:
        for id in list(self._requests):
            record = self._records.read(id)
            if record is None and id in self._ended:
                self._remove(id)
            elif record is None:
                self._report_lost([id])
            elif record.ended:
                self._ended.add(id)
                if self._delivered.is_complete(id):
                    self._remove(id)

    def _report_lost(self, ids: list[str]) -> None:
        """Send the error `search_lost` to the connections of these searches, and stop checking them."""
        for id in ids:
            request = self._remove(id)
            if request is not None:
                self._emit("failed", {"ticket": request.ticket, "error": SEARCH_LOST}, request.connection)

    def _check_all_searches(self) -> None:
        waiting, found = 0, {id: self._records.read(id) for id in self._records.open()}
        workers = {record.worker for record in found.values() if record and record.worker}
        self._heartbeats = {
            name: after_check(self._heartbeats.get(name), self._records.heartbeat(name)) for name in workers
        }
        for id, record in found.items():
            if record is None:
                self._records.delete(id)
            elif record.worker:
                self._check_worker(record)
            else:
                self._report_place(record, waiting)
                waiting += 1

    def _check_worker(self, record: SearchRecord) -> None:
        """Deliver a search again if its worker is lost."""
        self._waits.pop(record.id, None)
        heartbeat = self._heartbeats[record.worker]
        if heartbeat.beat is None and self._records.claim(record.id, "", record.worker):
            log.warning(
                "worker %s lost after %d checks; delivering search %s again",
                record.worker,
                heartbeat.checks,
                record.id,
            )
            metrics.HANDED_OVER.inc()
            metrics.SILENT_CHECKS.set(heartbeat.checks)
            self._records.clear_queue_place(record.id)
            self._deliver(record.id)

    def _report_place(self, record: SearchRecord, ahead: int) -> None:
        """Publish the number of searches ahead of a waiting search whenever this number has changed.

        Every `REDELIVERY_CHECKS` checks, deliver the search again.
        """
        checks = self._waits[record.id] = self._waits.get(record.id, 0) + 1
        if checks > 1 and self._records.set_queue_place(record.id, ahead):
            fields = {"ticket": record.request.ticket, "ahead": ahead}
            self._records.publish(record.id, "queued", fields, to=record.request.connection)
        if checks % REDELIVERY_CHECKS == 0:
            self._deliver(record.id)
