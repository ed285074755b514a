"""One search as events that are counted, timed and sent; it can be paused between any two of them.

Whatever happens, a search ends with exactly one final event, or with none if its owner has gone. All but
progress is kept, so that whoever lost the connection is told what it missed, in order and once. (long: one
search from its first event to its last.)
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from hoppers.core.events import (
    Event,
    Events,
    Exhausted,
    Failed,
    Found,
    Progress,
    Solved,
    Stopped,
    Unsolvable,
)
from hoppers.runtime import metrics
from hoppers.runtime.logging_config import pseudonym

log = logging.getLogger(__name__)

PROGRESS_SECONDS = 0.1
"""Least time between two `Progress` events of one search."""

INTERNAL = {"code": "internal", "message": "The search met a fault of the server, which has been logged."}

Emit = Callable[[str, dict[str, Any]], None]
"""Takes an event's name and its fields; must neither block nor call back."""

Told = tuple[str, dict[str, Any]]
"""An event that was sent: its name and its fields."""

ASKED, AWAY = "asked", "away"
"""Why a search is paused: its owner wants it so, or nobody would hear of it."""


@dataclass(frozen=True)
class Queued:
    """The search waits until others have had their share; `ahead` more come before it."""

    ahead: int


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
        events: Events,
        emit: Emit,
        limits: Limits,
        race: str = "",
        proved: int = 0,
        holder: str = "",
        told: Sequence[Told] = (),
    ) -> None:
        """Nothing runs yet. `proved`: the number of moves known to be too few from the outset.

        `holder`: who hears of it, if not the owner. `told`: by a process that is gone, of the same search.
        """
        self.owner, self.ticket, self.race, self.holder = owner, ticket, race, holder or owner
        self.subject: dict[str, str] = {}
        """What it searches, in the words of the log."""
        self.ended = self.muted = False
        self._pauses: set[str] = set()
        self._told = list(told)
        self._held: Event | None = None
        self._events, self._emit, self._limits = events, emit, limits
        self._lock = threading.Lock()  # held while an event is sent, so that none follows the last
        self._proved = proved
        rows = [fields for name, fields in told if name == "exhausted"]
        self._seconds = self._seconds_before_limit = float(sum(fields["seconds"] for fields in rows))
        self._nodes = self._nodes_before = int(sum(fields["nodes"] for fields in rows))
        self._nodes_of_limit, self._next_progress = 0, 0.0
        self._has_begun = bool(rows)  # what goes before the first limit is told as limit 0
        self._clock: Callable[[], float] = getattr(events, "running_time", time.perf_counter)
        self._at_hand: Callable[[], bool] = getattr(events, "at_hand", bool)

    def take_turn(self, seconds: float) -> None:
        """Search on for about so long, or to the end. Only one thread may do so at a time."""
        until = time.perf_counter() + seconds
        while not (self.ended or self.paused) and (time.perf_counter() < until or self._at_hand()):
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

    @property
    def paused(self) -> bool:
        """Whether it stands aside, for whatever reason."""
        return bool(self._pauses)

    @property
    def is_over(self) -> bool:
        """Whether it has ended, and its last event has been sent."""
        with self._lock:
            return self.ended

    @property
    def is_away(self) -> bool:
        """Whether it stands aside because nobody would hear of it."""
        return AWAY in self._pauses

    @property
    def seconds(self) -> float:
        """For how long the search itself has run."""
        return self._seconds

    def fail(self, error: dict[str, Any]) -> None:
        """Send `Failed`, unless the search has ended."""
        with self._lock:
            self._tell(Failed(error))

    def pause(self, why: str = ASKED) -> None:
        """Send nothing until `resume`; what a turn under way still finds is held back, not lost."""
        with self._lock:
            self._pauses.add(why)

    def resume(self, why: str = ASKED) -> None:
        """Go on in the next turn where it was left, unless it is paused for another reason, too."""
        with self._lock:
            self._pauses.discard(why)

    def rejoin(self, holder: str, emit: Emit, limit: int, again: Emit) -> None:
        """Tell another connection what came behind the row of this limit, and by `emit` all that follows."""
        with self._lock:
            self.holder, self._emit = holder, emit
            for name, fields in told_after(self._told, limit):
                again(name, fields)
            self._pauses.discard(AWAY)

    def tell_queued(self, ahead: int) -> None:
        """Say that the search has to wait for its turns."""
        with self._lock:
            if self.ended or self.paused:
                return
            try:
                self._emit("queued", {"ticket": self.ticket, "ahead": ahead})
            except Exception:  # what cannot be told is found out in the next turn
                log.exception("the place of the search %r in the queue could not be sent", self.ticket)

    def mute(self) -> None:
        """End without an event."""
        with self._lock:
            if not self.ended:
                metrics.SEARCHES_ENDED.labels("left").inc()
            self.ended = self.muted = True

    def close(self) -> None:
        """Release what the search holds; not while it takes a turn."""
        self._events.close()

    def _next_event(self) -> Event:
        began = self._clock()
        try:
            return next(self._events)
        except Exception:
            log.exception("the search %r of %s failed", self.ticket, self.owner)
            return Failed(INTERNAL)
        finally:
            self._seconds += self._clock() - began

    def _tell(self, event: Event) -> None:
        """Count the event and send it if it is due."""
        if self.ended or (isinstance(event, Exhausted) and event.limit <= self._proved):
            return
        self._has_begun = self._has_begun or isinstance(event, Exhausted) or getattr(event, "nodes", 0) > 0
        event = self._timed(event)
        self._count(event)
        if isinstance(event, Progress):
            if time.perf_counter() < self._next_progress:
                return
            self._next_progress = time.perf_counter() + PROGRESS_SECONDS
        self.ended = isinstance(event, Solved | Unsolvable | Stopped | Failed)
        if self.ended:
            self._record(event)
        name, fields = type(event).__name__.lower(), {"ticket": self.ticket, **asdict(event)}
        if not isinstance(event, Progress):
            self._told.append((name, fields))
        self._emit(name, fields)

    def _record(self, event: Event) -> None:
        """Count and log how the search ended."""
        name, nodes = type(event).__name__.lower(), getattr(event, "total_nodes", self._total_nodes())
        metrics.SEARCHES_ENDED.labels(name).inc()
        metrics.NODES.inc(nodes)
        metrics.SEARCH_SECONDS.observe(self._seconds)
        told = {
            "ticket": self.ticket,
            "owner": pseudonym(self.owner),
            **self.subject,
            "outcome": getattr(event, "reason", name),
            "seconds": round(self._seconds, 3),
            "nodes": nodes,
        }
        log.info("search ended: %s", told, extra=told)

    def _timed(self, event: Event) -> Event:
        """The event with the time for which this search ran, without its waiting for other searches.

        What was told before it was taken over counts as well.
        """
        match event:
            case Progress() if not self._has_begun:
                return Progress(0, 0, self._seconds)
            case Progress() | Exhausted():
                return replace(event, seconds=self._seconds - self._seconds_before_limit)
            case Solved(total_nodes=nodes):
                seconds = self._seconds - self._seconds_before_limit
                return replace(event, seconds=seconds, total_nodes=self._nodes_before + nodes)
            case Unsolvable(total_nodes=nodes):
                return replace(event, seconds=self._seconds, total_nodes=self._nodes_before + nodes)
            case Found():
                return replace(event, seconds=self._seconds)
        return event

    def _count(self, event: Event) -> None:
        match event:
            case Progress() | Found() if not self._has_begun:
                self._seconds_before_limit = self._seconds  # no limit is charged with it
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


def told_after(told: list[Told], limit: int) -> list[Told]:
    """What was told behind the last row of at most this limit."""
    rows = [number for number, (name, _) in enumerate(told) if name == "exhausted"]
    known = [number for number in rows if told[number][1]["limit"] <= limit]
    return told[known[-1] + 1 if known else 0 :]
