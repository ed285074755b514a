"""One search as events that are counted, timed and sent; it can be paused between any two of them.

Whatever happens, a search ends with exactly one final event, or with none if its owner has gone.
"""

import logging
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from .search.events import Event, Exhausted, Failed, Found, Progress, Solved, Stopped, Unsolvable

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.1
"""Least time between two `Progress` events of one search."""

INTERNAL = {"code": "internal", "message": "The search met a fault of the server, which has been logged."}

Emit = Callable[[str, dict[str, Any]], None]
"""Takes an event's name and its fields; must neither block nor call back."""


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
        self.ended = self.paused = False
        self._held: Event | None = None
        self._events, self._emit, self._limits = events, emit, limits
        self._lock = threading.Lock()  # held while an event is sent, so that none follows the last
        self._proved = proved
        self._seconds = self._seconds_before_limit = 0.0
        self._nodes = self._nodes_of_limit = 0
        self._next_progress = 0.0

    def take_turn(self, seconds: float) -> None:
        """Search on for about so long, or to the end. Only one thread may do so at a time."""
        until = time.perf_counter() + seconds
        while not (self.ended or self.paused) and time.perf_counter() < until:
            event = self._held or self._next_event()
            with self._lock:
                if self.paused:
                    self._held = event
                    return
                self._held = None
                self._tell(event)
                if self._seconds >= self._limits.seconds or self._total_nodes() >= self._limits.nodes:
                    self._tell(self._stopped("limit"))

    def stop(self, reason: str) -> None:
        """Send `Stopped`, unless the search has ended. Returns at once, even in the middle of a turn."""
        with self._lock:
            self._tell(self._stopped(reason))

    def pause(self) -> None:
        """Send nothing until `resume`; what a turn under way still finds is held back, not lost."""
        with self._lock:
            self.paused = True

    def resume(self) -> None:
        """Go on in the next turn where it was left."""
        with self._lock:
            self.paused = False

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
        self.ended = isinstance(event, Solved | Unsolvable | Stopped | Failed)
        self._emit(type(event).__name__.lower(), {"ticket": self.ticket, **asdict(event)})

    def _timed(self, event: Event) -> Event:
        """The event with the time for which this search ran, without its waiting for other searches."""
        match event:
            case Progress() | Exhausted() | Solved():
                return replace(event, seconds=self._seconds - self._seconds_before_limit)
            case Found() | Unsolvable():
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
