"""Watchdog thread of a server: notices lost searches and lost workers, and reports queue places.

Redis deletes the heartbeat of a worker that has missed several, so no clocks of different machines are
compared. A server notices the loss with its next check.
"""

import logging
import threading
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from hoppers.fleet.optional_state import FoundSolutions
from hoppers.fleet.pubsub import DeliveredEvents
from hoppers.fleet.search_records import PREFIX, SearchRecord, SearchRecords
from hoppers.jobs.search_job import Read
from hoppers.jobs.service import EmitTo
from hoppers.runtime import metrics

log = logging.getLogger(__name__)

LOCK = f"{PREFIX}:watch"
CHECK_SECONDS = 0.5  # least time between two checks of one server
SEARCH_LOST = {
    "code": "search_lost",
    "message": "The search was lost with a machine that stopped; please start it again.",
}


Heartbeat = tuple[str | None, int]
"""Number of a worker's last heartbeat (None: the worker is lost), and of the checks since it was new."""


def after_check(before: Heartbeat, beat: str | None) -> Heartbeat:
    """Return the state after one more check, which has read the heartbeat `beat`; None: there was none."""
    last, checks = before
    return (beat, checks + 1) if beat in (None, last) else (beat, 0)


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
        """`name`: of this server. `deliver`: sends a search id to a worker. `is_warm`: see `Fleet`."""
        self._name, self._records, self._read = name, records, read
        self._deliver, self._emit, self._is_warm = deliver, emit, is_warm
        self._delivered, self._found_solutions = delivered, FoundSolutions(records.redis)
        self._heartbeats: dict[str, Heartbeat] = {}
        """Heartbeat of every worker that runs a search, as far as this server has checked."""
        self._waits: dict[str, int] = {}
        """Checks for which a search has waited for a worker, as far as this server has checked."""
        self._last_contact = time.monotonic()
        self._stopped = threading.Event()

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
                if time.monotonic() - self._last_contact > 3.0:  # a shorter outage costs no search
                    self._report_lost(self._delivered.ids())
            except Exception:
                log.exception("a check of the watchdog failed")

    def _check_own_searches(self) -> None:
        for id in self._delivered.ids():
            record = self._records.read(id)
            if record is None:
                self._report_lost([id])
            elif record.ended and self._delivered.is_complete(id):
                self._delivered.remove(id)

    def _report_lost(self, ids: list[str]) -> None:
        """Send the error `search_lost` to the connections of these searches, and stop checking them."""
        for id in ids:
            receiver = self._delivered.remove(id)
            if receiver is not None and not receiver.ended:
                self._emit("failed", {"ticket": receiver.ticket, "error": SEARCH_LOST}, receiver.connection)

    def _check_all_searches(self) -> None:
        waiting, found = 0, {id: self._records.read(id) for id in self._records.open()}
        workers = {record.worker for record in found.values() if record and record.worker}
        self._heartbeats = {
            name: after_check(self._heartbeats.get(name, (None, 0)), self._records.heartbeat(name))
            for name in workers
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
        beat, checks = self._heartbeats[record.worker]
        if beat is None and self._records.claim(record.id, "", record.worker):
            message = "worker %s lost after %d checks; delivering search %s again"
            log.warning(message, record.worker, checks, record.id)
            metrics.HANDED_OVER.inc()
            metrics.SILENT_CHECKS.set(checks)
            self._records.clear_queue_place(record.id)
            self._deliver(record.id)

    def _report_place(self, record: SearchRecord, ahead: int) -> None:
        """Publish the number of searches ahead of a waiting search whenever this number has changed.

        Every tenth check, deliver the search again, in case Celery has lost it.
        """
        checks = self._waits[record.id] = self._waits.get(record.id, 0) + 1
        if checks > 1 and self._records.set_queue_place(record.id, ahead):
            fields = {"ticket": record.request.ticket, "ahead": ahead}
            self._records.publish(record.id, "queued", fields, to=record.request.connection)
        if checks % 10 == 0:
            self._deliver(record.id)
