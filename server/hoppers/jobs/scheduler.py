"""Searches that share the machine, a few milliseconds each in turn.

A search is a generator of events, so it can be left between any two of them. A few worker threads advance
the running searches in turn; the compiled part of a search holds no interpreter lock. A paused search stands
aside: it waits for no turn and costs no time. So does one whose player has lost the connection.
"""

import logging
import threading
import time
from collections import OrderedDict

from hoppers.core.errors import Busy, RaceFull, UnknownTicket
from hoppers.jobs.absences import Absences
from hoppers.jobs.search_job import ASKED, AWAY, Emit, Job
from hoppers.jobs.turns import Places, Turns

log = logging.getLogger(__name__)

TURN_SECONDS = 0.02
MOST_IN_RACE = 4
MOST_ENDED = 256
"""Ended searches kept for players who lost the connection before the last event."""


class Jobs:
    """The running searches, at most `most` of them, and the threads that advance them."""

    def __init__(self, workers: int, most: int, patience: float = 0) -> None:
        """Start the worker threads; they wait for work until `close`.

        `patience`: for how many seconds a search is kept whose player is away.
        """
        self._most, self._patience = most, patience
        self._running: dict[tuple[str, str], Job] = {}
        self._turns = Turns(workers)
        self._aside: list[Job] = []
        """Paused searches, the one paused longest first."""
        self._ended: OrderedDict[tuple[str, str], tuple[float, Job]] = OrderedDict()
        self._absences = Absences(patience, self._give_up)
        self._closed = False
        self._changed = threading.Condition()
        self._places = Places(self._turns, self._changed)
        self._threads = [
            threading.Thread(target=self._work, name=f"search-{number}", daemon=True)
            for number in range(workers)
        ]
        for thread in self._threads:
            thread.start()

    def start(self, job: Job) -> None:
        """Run the job; it replaces its owner's others, except those of the same race.

        Raises:
            Busy: there are too many searches of other owners.
            RaceFull: the race has as many searches as it may.
        """
        with self._changed:
            mine = [other for other in self._running.values() if other.owner == job.owner]
            beside = [
                other for other in mine if job.race and other.race == job.race and other.ticket != job.ticket
            ]
            replaced = [other for other in mine if other not in beside]
            if len(beside) >= MOST_IN_RACE:
                raise RaceFull(f"{MOST_IN_RACE} searches run under the race {job.race!r} already")
            if len(self._running) - len(replaced) >= self._most and not self._make_room(job.owner):
                raise self._busy()
            for other in replaced:
                other.stop("replaced")
                self._forget(other)
            self._running[job.owner, job.ticket] = job
            self._turns.begin(job)
            self._changed.notify()

    def refuse(self, owner: str) -> None:
        """Refuse a new search of this owner at once where `start` would, waiting for nobody.

        Raises:
            Busy: nothing can make room for it.
        """
        running = list(self._running.values())
        if len(running) >= self._most and not self._aside and all(job.owner != owner for job in running):
            raise self._busy()

    def _busy(self) -> Busy:
        return Busy(f"The server runs {self._most} searches, its most; please try again in a moment.")

    def stop(self, owner: str, ticket: str, reason: str = "asked") -> None:
        """Stop a search if it runs; its `Stopped` is sent before this returns."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is not None:
                job.stop(reason)
                self._forget(job)

    def pause(self, owner: str, ticket: str) -> None:
        """Let a search stand aside if it runs; nothing is sent of it after this returns."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is not None:
                self._set_aside(job, ASKED)

    def resume(self, owner: str, ticket: str, why: str = ASKED) -> None:
        """Let a search wait for its turns again that stood aside for this reason."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is not None:
                job.resume(why)
                self._take_up(job)

    def rejoin(
        self, owner: str, ticket: str, limit: int, holder: str, emit: Emit, again: Emit | None = None
    ) -> None:
        """Tell a player who is back what it missed behind this limit, and go on.

        `again`: how to tell what was told before, where that is not the same.

        Raises:
            UnknownTicket: there is no such search any more.
        """
        with self._changed:
            _, ended = self._ended.get((owner, ticket), (0.0, None))
            job = self._running.get((owner, ticket), ended)
            if job is None:
                raise UnknownTicket(f"There is no search with the ticket {ticket!r} to go on with")
            job.rejoin(holder, emit, limit, again or emit)
            self._take_up(job)

    def leave(self, holder: str) -> None:
        """A connection is gone: keep its searches for a while, standing aside."""
        with self._changed:
            for job in [job for job in self._running.values() if job.holder == holder and not job.is_away]:
                self._set_aside(job, AWAY)
                self._absences.begin(job, holder)

    def drop(self, holder: str) -> None:
        """End all searches of a connection that nobody will come back to, without a word."""
        with self._changed:
            for job in [job for job in self._running.values() if job.holder == holder]:
                job.mute()
                self._forget(job)

    def counts(self) -> dict[str, int]:
        """How many searches take turns, queue up, and stand aside."""
        with self._changed:
            paused = sum(job.paused for job in self._running.values())
            queued = self._turns.queued
            return {"running": len(self._running) - paused - queued, "queued": queued, "paused": paused}

    def discard(self, owner: str, ticket: str) -> None:
        """End a search without a word."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is not None:
                job.mute()
                self._forget(job)

    def close(self) -> None:
        """End the worker threads, each after its turn; wait for that a second at most."""
        self._absences.close()
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=1)

    def _set_aside(self, job: Job, why: str) -> None:
        job.pause(why)
        if self._turns.withdraw(job):
            self._aside.append(job)
            self._changed.notify_all()

    def _take_up(self, job: Job) -> None:
        """Let a search that stands aside wait for its turns again, unless it is still paused."""
        if job in self._aside and not job.paused:
            self._aside.remove(job)
            self._turns.enter(job)
            self._changed.notify()

    def _give_up(self, job: Job, holder: str) -> None:
        """End a search whose player has not come back."""
        with self._changed:
            if job.holder == holder and job.is_away and not job.ended:
                job.mute()
                self._forget(job)

    def _forget(self, job: Job) -> None:
        """Let go of an ended job; one that is taking its turn is closed by its worker instead."""
        if self._running.get((job.owner, job.ticket)) is job:
            del self._running[job.owner, job.ticket]
            self._remember(job)
        if self._turns.withdraw(job):
            job.close()
        elif job in self._aside:
            self._aside.remove(job)
            job.close()
        self._changed.notify_all()  # another may have moved up

    def _remember(self, job: Job) -> None:
        """Keep an ended search for a while, if its owner may come back with another connection."""
        now = time.monotonic()
        if job.holder != job.owner and not job.muted:
            self._ended[job.owner, job.ticket] = now, job
        while self._ended and (
            len(self._ended) > MOST_ENDED or next(iter(self._ended.values()))[0] < now - self._patience
        ):
            self._ended.popitem(last=False)

    def _make_room(self, owner: str) -> bool:
        """End the search of another owner that has been paused longest; returns whether there is one."""
        for job in self._aside:
            if job.owner != owner:
                job.stop("replaced")
                self._forget(job)
                return True
        return False

    def _work(self) -> None:
        while (job := self._next_job()) is not None:
            try:
                job.take_turn(TURN_SECONDS)
            except Exception:
                log.exception("an event of the search %r of %s could not be sent", job.ticket, job.owner)
                job.mute()
            self._put_back(job)
            self._places.tell()

    def _next_job(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._turns or self._closed)
            return None if self._closed else self._turns.next()

    def _put_back(self, job: Job) -> None:
        """After its turn."""
        with self._changed:
            if job.ended:
                self._forget(job)
                job.close()
            elif job.paused:
                self._turns.withdraw(job)
                self._aside.append(job)
            else:
                self._turns.give_back(job)
            self._changed.notify_all()
