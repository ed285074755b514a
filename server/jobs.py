"""Searches that share the machine, a few milliseconds each in turn.

A search is a generator of events, so it can be left between any two of them. A few worker threads advance
the running searches round robin; the compiled part of a search holds no interpreter lock. A paused search
stands aside: it waits for no turn and costs no time.
"""

import logging
import threading
from collections import deque

from .errors import PuzzleError
from .job import Job

log = logging.getLogger(__name__)

TURN_SECONDS = 0.02
MOST_IN_RACE = 4


class Busy(Exception):
    """The server runs as many searches as it can."""

    code = "busy"


class RaceFull(PuzzleError):
    """Four searches are running under this race already."""

    code = "race_full"


class Jobs:
    """The running searches, at most `most` of them, and the threads that advance them."""

    def __init__(self, workers: int, most: int) -> None:
        """Start the worker threads; they wait for work until `close`."""
        self._most = most
        self._running: dict[tuple[str, str], Job] = {}
        self._waiting: deque[Job] = deque()
        self._aside: list[Job] = []
        """Paused searches, the one paused longest first."""
        self._closed = False
        self._changed = threading.Condition()
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
                raise Busy(f"The server runs {self._most} searches, its most; please try again in a moment.")
            for other in replaced:
                other.stop("replaced")
                self._forget(other)
            self._running[job.owner, job.ticket] = job
            self._waiting.appendleft(job)  # its first turn comes at once: most searches need no other
            self._changed.notify()

    def stop(self, owner: str, ticket: str) -> None:
        """Stop a search if it runs; its `Stopped` is sent before this returns."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is not None:
                job.stop("asked")
                self._forget(job)

    def pause(self, owner: str, ticket: str) -> None:
        """Let a search stand aside if it runs; nothing is sent of it after this returns."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is None:
                return
            job.pause()
            if job in self._waiting:
                self._waiting.remove(job)
                self._aside.append(job)

    def resume(self, owner: str, ticket: str) -> None:
        """Let a paused search wait for its turns again."""
        with self._changed:
            job = self._running.get((owner, ticket))
            if job is None:
                return
            job.resume()
            if job in self._aside:
                self._aside.remove(job)
                self._waiting.append(job)
                self._changed.notify()

    def drop(self, owner: str) -> None:
        """End all searches of an owner who has gone, without a word."""
        with self._changed:
            for job in [job for job in self._running.values() if job.owner == owner]:
                job.mute()
                self._forget(job)

    def close(self) -> None:
        """End the worker threads, each after its turn; wait for that a second at most."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in self._threads:
            thread.join(timeout=1)

    def _forget(self, job: Job) -> None:
        """Let go of an ended job; one that is taking its turn is closed by its worker instead."""
        if self._running.get((job.owner, job.ticket)) is job:
            del self._running[job.owner, job.ticket]
        for places in (self._waiting, self._aside):
            if job in places:
                places.remove(job)
                job.close()

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

    def _next_job(self) -> Job | None:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            return None if self._closed else self._waiting.popleft()

    def _put_back(self, job: Job) -> None:
        with self._changed:
            if job.ended:
                self._forget(job)
                job.close()
            elif job.paused:
                self._aside.append(job)
            else:
                self._waiting.append(job)
                self._changed.notify()
