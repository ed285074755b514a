"""Checks of all searches of a fleet: lost workers and queue places. One server at a time checks.

Redis deletes the heartbeat of a worker that renews it too late, so no clocks of different machines are
compared. The first check after the deletion finds the worker lost.
"""

import logging
from contextlib import suppress

from redis.exceptions import LockNotOwnedError

from hoppers.fleet.search_records import PREFIX, SearchRecord, SearchRecords
from hoppers.runtime import metrics

log = logging.getLogger(__name__)

LOCK = f"{PREFIX}:watch"
LOCK_SECONDS = 2  # after which another server checks if this one has died

Heartbeat = tuple[str | None, int]
"""A worker's last heartbeat (None: the worker is lost), and the number of checks that found no newer one."""


def after_check(before: Heartbeat, beat: str | None) -> Heartbeat:
    """Return the state of a worker after one more check, which read the heartbeat `beat` (None: expired)."""
    last, checks = before
    return (beat, checks + 1) if beat in (None, last) else (beat, 0)


class Watchdog:
    """Checks of all searches, with the results of this server's earlier checks."""

    def __init__(self, records: SearchRecords) -> None:
        self._records = records
        self._heartbeats: dict[str, Heartbeat] = {}
        """Heartbeat of every worker that runs a search."""
        self._waiting: set[str] = set()
        """Searches that waited for a worker at the last check."""

    def check(self) -> None:
        """Check all searches, unless another server does so now. Errors of Redis pass through."""
        lock = self._records.redis.lock(LOCK, timeout=LOCK_SECONDS)
        if lock.acquire(blocking=False):
            self._check()
            with suppress(LockNotOwnedError):  # it expired, and may be another server's by now
                lock.release()

    def _check(self) -> None:
        found = {id: self._records.read(id) for id in self._records.open()}
        workers = {record.worker for record in found.values() if record and record.worker}
        self._heartbeats = {
            name: after_check(self._heartbeats.get(name, (None, 0)), self._records.heartbeat(name))
            for name in workers
        }
        waiting: list[str] = []
        for id, record in found.items():
            if record is None:
                self._records.delete(id)
            elif record.worker:
                self._check_worker(record)
            else:
                if id in self._waiting and record.place != str(len(waiting)):
                    self._records.set_place(record, len(waiting))
                waiting.append(id)
        self._waiting = set(waiting)

    def _check_worker(self, record: SearchRecord) -> None:
        """Make a search wait for another worker if its worker is lost."""
        beat, checks = self._heartbeats[record.worker]
        if beat is None and self._records.claim(record.id, "", record.worker, is_lost=True):
            message = "worker %s lost after %d checks; search %s waits for another worker"
            log.warning(message, record.worker, checks, record.id)
            metrics.HANDED_OVER.inc()
            metrics.SILENT_CHECKS.set(checks)
