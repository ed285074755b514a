"""The servers of a fleet: they put searches into Redis, pass wishes on, and watch over all that is under way.

Every server watches its own players' searches; one of them at a time watches the workers.
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
from hoppers.core.errors import Busy, RaceFull, UnknownTicket
from hoppers.fleet.celery_app import celery_app, deliver
from hoppers.fleet.event_subscription import EventSubscription
from hoppers.fleet.search_records import Record, Records
from hoppers.fleet.watchdog import Watch
from hoppers.jobs.scheduler import MOST_IN_RACE
from hoppers.jobs.search_job import Limits, told_after
from hoppers.jobs.service import Order, Tell, Unreachable, job_of

log = logging.getLogger(__name__)

MOST_SILENCE = 0.5
"""Seconds for which a search waits until this server hears what others say."""
REPLACING_SECONDS = 1.0
"""For how long a new search waits until the one it replaces has ended."""


class Fleet:
    """Searches that run elsewhere."""

    def __init__(
        self,
        url: str,
        tell: Tell,
        events: EventSubscription,
        most: int,
        limits: Limits,
        rejoin_seconds: float,
        is_warm: Callable[[], bool] = lambda: True,
    ) -> None:
        """Begin to watch.

        `tell`: send an event to a connection of this server. `events`: events of searches.
        `is_warm`: whether all rules are compiled, by which found ways are checked.
        """
        self._records, self._celery = Records(url, rejoin_seconds), celery_app(url)
        self._events, events.read_up = events, self._records.told
        self._tell, self._most, self._limits = tell, most, limits
        self._name = f"server-{secrets.token_hex(8)}"
        self._watch = Watch(self._name, self._records, partial(deliver, self._celery), tell, events.ledger)
        self._watch.is_warm = is_warm
        threading.Thread(target=self._watch.run, name="watch", daemon=True).start()

    def start(self, order: Order) -> None:
        """See `Searches`."""
        read_search(**order.asked)
        if not self._events.listening.wait(MOST_SILENCE):
            raise unreachable("nothing would be heard of a search")
        with within_reach():
            self._start(order)

    def _start(self, order: Order) -> None:
        mine = self._records.of(order.owner)
        beside = [other for other in mine if _run_side_by_side(other.order, order)]
        if len(beside) >= MOST_IN_RACE:
            raise RaceFull(f"{MOST_IN_RACE} searches run under the race {order.race!r} already")
        replaced = [other for other in mine if other not in beside]
        if len(self._records.open()) - len(replaced) >= self._most and not self._make_room(order.owner):
            raise Busy(f"The servers run {self._most} searches, their most; please try again in a moment.")
        for other in replaced:
            self._end(other, "replaced")
        self._wait_until_ended(replaced)
        id = uuid.uuid4().hex
        self._watch.hold(id, order)
        self._records.create(id, order, self._name)
        deliver(self._celery, id)

    def stop(self, owner: str, ticket: str) -> None:
        """See `Searches`."""
        with within_reach():
            waiting = self._records.stop(owner, ticket, "asked")
            if waiting and (record := self._records.read(waiting)):
                self._end(record, "asked")

    def pause(self, owner: str, ticket: str) -> None:
        """See `Searches`."""
        self._wish(owner, ticket, asked="1")

    def resume(self, owner: str, ticket: str) -> None:
        """See `Searches`."""
        self._wish(owner, ticket, asked="")

    def rejoin(self, owner: str, ticket: str, limit: int, holder: str) -> None:
        """See `Searches`."""
        with within_reach():
            self._rejoin(owner, ticket, limit, holder)

    def _rejoin(self, owner: str, ticket: str, limit: int, holder: str) -> None:
        record = self._records.find(owner, ticket)
        if record is None:
            raise UnknownTicket(f"There is no search with the ticket {ticket!r} to go on with")
        self._watch.hold(record.id, record.order._replace(holder=holder), limit)
        self._records.wish(record.id, holder=holder, server=self._name, away="", replay=str(limit))
        now = self._records.read(record.id)
        if now is not None and now.ended and self._records.attend(record.id):
            for name, fields in told_after(self._records.told(record.id), limit):
                self._tell(name, fields, to=holder)

    def leave(self, holder: str, returns: bool) -> None:
        """See `Searches`."""
        for id in self._watch.release(holder):
            try:
                if returns:
                    self._records.wish(id, away="1")
                else:
                    self._records.wish(id, stop="asked")
            except RedisError as error:
                log.warning("a search goes on though its player has left: %s", error)

    def counts(self) -> dict[str, int]:
        """How many searches of the fleet take turns, queue up, and stand aside."""
        try:
            records = list(filter(None, map(self._records.read, self._records.open())))
        except RedisError:
            return {}
        queued = sum(not record.worker for record in records)
        paused = sum(bool(record.worker and record.is_aside) for record in records)
        return {"running": len(records) - queued - paused, "queued": queued, "paused": paused}

    def close(self) -> None:
        """See `Searches`."""
        self._watch.stop()
        self._events.close()

    def _wish(self, owner: str, ticket: str, **wishes: str) -> None:
        with within_reach():
            record = self._records.find(owner, ticket)
            if record is not None and not record.ended:
                self._records.wish(record.id, **wishes)

    def _end(self, record: Record, reason: str) -> None:
        """Have a search stopped; one that no worker has begun is ended here."""
        if record.ended:
            return
        if not self._records.claim(record.id, self._name):
            return self._records.wish(record.id, stop=reason)
        emit = self._records.emitter(record.id, self._name, record.order.holder)
        job_of(record.order, emit, self._limits, self._records.told(record.id)).stop(reason)

    def _wait_until_ended(self, records: list[Record]) -> None:
        """Let their last events go before the first of another."""
        until = time.monotonic() + REPLACING_SECONDS
        for record in records:
            while time.monotonic() < until:
                now = self._records.read(record.id)
                if now is None or now.ended:
                    break
                time.sleep(0.005)

    def _make_room(self, owner: str) -> bool:
        """End the oldest paused search of another owner; returns whether there is one."""
        for id in self._records.open():
            record = self._records.read(id)
            if record and record.order.owner != owner and record.is_aside:
                self._end(record, "replaced")
                return True
        return False


@contextmanager
def within_reach() -> Iterator[None]:
    """Say it in words where Redis does not answer.

    Raises:
        Unreachable: it does not.
    """
    try:
        yield
    except (RedisError, OperationalError) as error:
        raise unreachable(error) from error


def unreachable(error: object) -> Unreachable:
    """The error as players are told of it."""
    log.warning("Redis does not answer: %s", error)
    return Unreachable("The machines that search cannot be reached at the moment; please try again soon.")


def _run_side_by_side(other: Order, order: Order) -> bool:
    return bool(order.race) and other.race == order.race and other.ticket != order.ticket
