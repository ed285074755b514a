"""Whose turn it is: so many searches share the workers, the others wait in a queue and know their place.

A search moves up when another ends, is paused, or has had its share; it then goes to the end of the queue.
No turn is locked here: whoever uses them sees to that.
"""

import time
from collections import deque
from contextlib import AbstractContextManager
from threading import Lock
from typing import Any

from hoppers.jobs.search_job import Job

SHARING = 8
"""Searches that take turns at one worker; with more, all would crawl."""
SHARE_SECONDS = 2.0
"""Running time after which a search goes to the end of the queue, if there is one."""
PLACES_SECONDS = 0.2
"""Least time between two rounds of telling all who wait where they stand."""


class Turns:
    """The searches that wait for a turn, and those that wait to be let among them."""

    def __init__(self, workers: int) -> None:
        """Nobody waits."""
        self._most_sharing = workers * SHARING
        self._new: deque[Job] = deque()
        self._waiting: deque[Job] = deque()
        self._queue: deque[Job] = deque()
        self._shares: dict[Job, float] = {}
        """Of those that take turns: the running time at which each has had its share."""
        self._told: dict[Job, int] = {}
        """Of those in the queue: the place that each was told."""

    def __bool__(self) -> bool:
        return bool(self._new or self._waiting)

    @property
    def queued(self) -> int:
        """How many wait to be let among those that share."""
        return len(self._queue)

    def begin(self, job: Job) -> None:
        """Give a new search its first turn before all old ones: most searches need no other."""
        self._new.append(job)

    def next(self) -> Job:
        """The search whose turn it is; it is out of all lists until it is given back or withdrawn."""
        return (self._new or self._waiting).popleft()

    def give_back(self, job: Job) -> None:
        """After its turn it waits for the next, if it is among those that share and has some share left."""
        if job in self._shares and (job.seconds < self._shares[job] or not self._queue):
            self._waiting.append(job)
        else:
            self.enter(job)

    def enter(self, job: Job) -> None:
        """Let a search queue up, behind all others."""
        self._shares.pop(job, None)
        self._queue.append(job)
        self._move_up()

    def withdraw(self, job: Job) -> bool:
        """Forget a search; returns whether it waited here, rather than being in the middle of its turn."""
        waited = False
        for places in (self._new, self._waiting, self._queue):
            if job in places:
                places.remove(job)
                waited = True
        self._shares.pop(job, None)
        self._told.pop(job, None)
        self._move_up()
        return waited

    def _move_up(self) -> None:
        """Let searches share while there is room."""
        while self._queue and len(self._shares) < self._most_sharing:
            job = self._queue.popleft()
            self._told.pop(job, None)
            self._shares[job] = job.seconds + SHARE_SECONDS
            self._waiting.append(job)

    def news(self) -> list[tuple[Job, int]]:
        """Who in the queue is to be told how many are ahead, for that has changed; it counts as told."""
        news = [(job, place) for place, job in enumerate(self._queue) if self._told.get(job) != place]
        self._told.update(news)
        return news


class Places:
    """Tells those in the queue how many are ahead, now and then."""

    def __init__(self, turns: Turns, lock: AbstractContextManager[Any]) -> None:
        """`lock`: of the turns. It is not held while somebody is told: others would have to wait for it."""
        self._turns, self._lock = turns, lock
        self._telling = Lock()
        self._next = 0.0

    def tell(self) -> None:
        """Tell whose place has changed, unless that was done a moment ago."""
        if not self._telling.acquire(blocking=False):
            return  # somebody is at it
        try:
            if time.monotonic() >= self._next:
                self._tell()
        finally:
            self._telling.release()

    def _tell(self) -> None:
        with self._lock:
            news = self._turns.news()
        for job, place in news:
            job.tell_queued(place)
        if news:
            self._next = time.monotonic() + PLACES_SECONDS
