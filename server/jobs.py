"""Searches that share the machine, a few milliseconds each in turn.

A search is a generator of events, so it can be left between any two of them. A few worker threads advance
the running searches round robin; the compiled part of a search holds no interpreter lock. Whatever happens,
a search ends with exactly one final event, or with none if its owner has gone.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from .errors import PuzzleError
from .search.events import Event, Exhausted, Failed, Progress, Solved, Stopped, Unsolvable

log = logging.getLogger(__name__)

TURN_SECONDS = 0.02
PROGRESS_SECONDS = 0.1
"""Least time between two `Progress` events of one search."""
MOST_IN_RACE = 4

INTERNAL = {"code": "internal", "message": "The search met a fault of the server, which has been logged."}

Emit = Callable[[str, dict[str, Any]], None]
"""Takes an event's name and its fields; must not block."""


class Busy(Exception):
    """The server runs as many searches as it can."""

    code = "busy"


class RaceFull(PuzzleError):
    """Four searches are running under this race already."""

    code = "race_full"


class Limits(NamedTuple):
    """What one search may use: seconds of its own running time, and nodes."""

    seconds: float
    nodes: int


class Job:
    """One search: who asked for it, how far it is, and whether its last event has been sent."""

    def __init__(
        self,
        owner: str,
        ticket: str,
        events: Generator[Event, None, None],
        emit: Emit,
        limits: Limits,
        race: str = "",
        proved: int = 0,
    ) -> None:
        """Nothing runs yet. `proved`: the number of moves known to be too few from the outset."""
        self.owner, self.ticket, self.race = owner, ticket, race
        self.ended = False
        self._events, self._emit, self._limits = events, emit, limits
        self._lock = threading.Lock()  # held while an event is sent, so that none follows the last
        self._proved = proved
        self._seconds = self._seconds_before_limit = 0.0
        self._nodes = self._nodes_of_limit = 0
        self._next_progress = 0.0

    def take_turn(self, seconds: float) -> None:
        """Search on for about so long, or to the end. Only one thread may do so at a time."""
        until = time.perf_counter() + seconds
        while not self.ended and time.perf_counter() < until:
            event = self._next_event()
            with self._lock:
                self._tell(event)
                if self._seconds >= self._limits.seconds or self._total_nodes() >= self._limits.nodes:
                    self._tell(self._stopped("limit"))

    def stop(self, reason: str) -> None:
        """Send `Stopped`, unless the search has ended. Returns at once, even in the middle of a turn."""
        with self._lock:
            self._tell(self._stopped(reason))

    def mute(self) -> None:
        """End without an event."""
        with self._lock:
            self.ended = True

    def close(self) -> None:
        """Release what the search holds; not while it takes a turn."""
        self._events.close()

    def _next_event(self) -> Event:
        began = time.perf_counter()
        try:
            return next(self._events)
        except Exception:
            log.exception("the search %r of %s failed", self.ticket, self.owner)
            return Failed(INTERNAL)
        finally:
            self._seconds += time.perf_counter() - began

    def _tell(self, event: Event) -> None:
        """Count the event and send it if it is due."""
        if self.ended:
            return
        event = self._timed(event)
        self._count(event)
        if isinstance(event, Progress):
            if time.perf_counter() < self._next_progress:
                return
            self._next_progress = time.perf_counter() + PROGRESS_SECONDS
        self.ended = not isinstance(event, Progress | Exhausted)
        self._emit(type(event).__name__.lower(), {"ticket": self.ticket, **asdict(event)})

    def _timed(self, event: Event) -> Event:
        """The event with the time for which this search ran, without its waiting for other searches."""
        match event:
            case Progress() | Exhausted() | Solved():
                return replace(event, seconds=self._seconds - self._seconds_before_limit)
            case Unsolvable():
                return replace(event, seconds=self._seconds)
        return event

    def _count(self, event: Event) -> None:
        match event:
            case Progress(nodes=nodes):
                self._nodes_of_limit = nodes
            case Exhausted(limit=limit, nodes=nodes):
                self._proved = limit
                self._nodes, self._nodes_of_limit = self._nodes + nodes, 0
                self._seconds_before_limit = self._seconds

    def _total_nodes(self) -> int:
        return self._nodes + self._nodes_of_limit

    def _stopped(self, reason: str) -> Stopped:
        return Stopped(reason, self._proved, self._total_nodes(), self._seconds)


class Jobs:
    """The running searches, at most `most` of them, and the threads that advance them."""

    def __init__(self, workers: int, most: int) -> None:
        """Start the worker threads; they wait for work until `close`."""
        self._most = most
        self._running: dict[tuple[str, str], Job] = {}
        self._waiting: deque[Job] = deque()
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
            if len(self._running) - len(replaced) >= self._most:
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
        if job in self._waiting:
            self._waiting.remove(job)
            job.close()

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
            else:
                self._waiting.append(job)
                self._changed.notify()
