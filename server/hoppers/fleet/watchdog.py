"""What a server watches: that its players' searches still exist, that workers live, and who has to wait."""

import logging
import threading
import time
from collections.abc import Callable

from redis.exceptions import RedisError

from hoppers.fleet.delivered_events import Ledger
from hoppers.fleet.found_solutions import Ways
from hoppers.fleet.heartbeat import ROUND_SECONDS, Sign, after_look
from hoppers.fleet.search_records import PREFIX, Record, Records
from hoppers.jobs.messages import SearchRequest
from hoppers.jobs.service import EmitTo
from hoppers.runtime import metrics

log = logging.getLogger(__name__)

LOCK = f"{PREFIX}:watch"
LOCK_MILLISECONDS = 2_000
DELIVERED_AGAIN = 10
"""Rounds after which a search that nobody has begun is delivered once more, should Celery have lost it."""
PATIENCE_SECONDS = 3.0
"""For which Redis may be silent before players are told."""
SEARCH_LOST = {
    "code": "search_lost",
    "message": "The search was lost with a machine that stopped; please start it again.",
}


class Watch:
    """Looks after the searches of this server's players, and in turn with other servers after all workers."""

    def __init__(
        self, name: str, records: Records, deliver: Callable[[str], None], tell: EmitTo, ledger: Ledger
    ) -> None:
        """Nothing is watched before `run`. `name`: this server's."""
        self._name, self._records, self._deliver, self._tell = name, records, deliver, tell
        self._ledger, self._ways = ledger, Ways(records.redis)
        self.is_warm: Callable[[], bool] = lambda: True
        """Whether found ways can be checked: they wait until the rules are compiled."""
        self._held: dict[str, SearchRequest] = {}
        self._ended = set[str]()
        """Searches that have ended, of which the last event may not have been passed on."""
        self._signs: dict[str, Sign] = {}
        """Of every worker that has a search, as far as this server has looked."""
        self._waits: dict[str, int] = {}
        """Rounds for which a search has waited for a worker, as far as this server has seen."""
        self._heard = time.monotonic()
        self._stopped = threading.Event()

    def hold(self, id: str, order: SearchRequest, limit: int = -1) -> None:
        """Look after a search of a player who is connected here, and has its rows up to a limit."""
        self._held[id] = order
        self._ledger.begin(id, order.connection, limit)

    def release(self, holder: str) -> list[str]:
        """A connection is gone; returns what it held."""
        gone = [id for id, order in list(self._held.items()) if order.connection == holder]
        for id in gone:
            self._let_go(id)
        return gone

    def _let_go(self, id: str) -> SearchRequest | None:
        self._ledger.forget(id)
        self._ended.discard(id)
        return self._held.pop(id, None)

    def stop(self) -> None:
        """End after this round."""
        self._stopped.set()

    def run(self) -> None:
        """Make rounds until `stop`."""
        while not self._stopped.wait(ROUND_SECONDS):
            try:
                self._records.live(self._name)
                self._look_after_mine()
                if self._records.redis.set(LOCK, "1", nx=True, px=LOCK_MILLISECONDS):
                    self._look_after_all()
                    self._records.redis.delete(LOCK)
                if self.is_warm():
                    self._ways.learn()
                self._heard = time.monotonic()
            except RedisError as error:
                log.warning("Redis does not answer: %s", error)
                if time.monotonic() - self._heard > PATIENCE_SECONDS:
                    self._give_up(list(self._held))
            except Exception:
                log.exception("a round of the watch failed")

    def _look_after_mine(self) -> None:
        for id in list(self._held):
            record = self._records.read(id)
            if record is None and id in self._ended:
                self._let_go(id)
            elif record is None:
                self._give_up([id])
            elif record.ended:
                self._ended.add(id)
                if self._ledger.is_over(id):
                    self._let_go(id)

    def _give_up(self, ids: list[str]) -> None:
        """Send the failure of these searches to their players."""
        for id in ids:
            order = self._let_go(id)
            if order is not None:
                self._tell("failed", {"ticket": order.ticket, "error": SEARCH_LOST}, to=order.connection)

    def _look_after_all(self) -> None:
        waiting, found = 0, {id: self._records.read(id) for id in self._records.open()}
        workers = {record.worker for record in found.values() if record and record.worker}
        self._signs = {name: after_look(self._signs.get(name), self._records.sign(name)) for name in workers}
        for id, record in found.items():
            if record is None:
                self._records.forget(id)
            elif record.worker:
                self._look_after_worker(record)
            else:
                self._tell_place(record, waiting)
                waiting += 1

    def _look_after_worker(self, record: Record) -> None:
        """Hand a search of a lost worker to another."""
        self._waits.pop(record.id, None)
        sign = self._signs[record.worker]
        if sign.beat is None and self._records.claim(record.id, "", record.worker):
            log.warning(
                "the worker %s is lost, seen after %d looks; another takes %s over",
                record.worker,
                sign.looks,
                record.id,
            )
            metrics.HANDED_OVER.inc()
            metrics.SILENT_LOOKS.set(sign.looks)
            self._records.lose_place(record.id)
            self._deliver(record.id)

    def _tell_place(self, record: Record, ahead: int) -> None:
        """Say how many are ahead of one who waits, whenever that has changed."""
        rounds = self._waits[record.id] = self._waits.get(record.id, 0) + 1
        if rounds > 1 and self._records.place(record.id, ahead):
            fields = {"ticket": record.order.ticket, "ahead": ahead}
            self._records.send(record.id, "queued", fields, to=record.order.connection)
        if rounds % DELIVERED_AGAIN == 0:
            self._deliver(record.id)
