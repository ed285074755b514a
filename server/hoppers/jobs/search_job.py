"""A search as a task: it counts and times its events, and stops at limits of nodes and time."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from hoppers.analysis.requests import ParsedSearch
from hoppers.core.events import (
    FINAL,
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
from hoppers.jobs.sessions import Queued, Totals
from hoppers.runtime.scheduler import Task

log = logging.getLogger(__name__)

INTERNAL = {"code": "internal", "message": "The search met a fault of the server, which has been logged."}
WORKER_LOST = {
    "code": "worker_lost",
    "message": "The machines that ran this search were lost one after the other, so it was given up.",
}

Read = Callable[..., ParsedSearch]
"""Function that parses the query of a request; it raises PuzzleError if the query is invalid."""


class SearchLimits(NamedTuple):
    """Limits of one search."""

    seconds: float
    """Longest running time, in seconds, without the time in the queue."""
    nodes: int
    """Most nodes."""


class Job(Task[Event]):
    """A task that runs a search, and stops the search at its limit of nodes or of running time."""

    def __init__(
        self,
        search_id: str,
        events: Callable[[Totals], Events],
        on_event: Callable[[Event | Queued, Totals], None],
        limits: SearchLimits,
        proved: Totals,
        client: str = "",
    ) -> None:
        """`events`: begins the search above the limits that are ruled out.

        `on_event`: called with each event and the counters after it, in a thread of the scheduler. `proved`:
        counters of the workers that ran the search before. `client`: see `Task.client`.
        """
        super().__init__(search_id, self._begin, client, proved.seconds)
        self._events, self._on_event, self._limits = events, on_event, limits
        self._next_progress = 0.0
        self._count_from(proved)

    def _begin(self) -> Events:
        """Begin the search, or begin it again after it was parked, which loses the limit being searched."""
        self._count_from(self._totals)
        return self._events(self._totals)

    def _count_from(self, totals: Totals) -> None:
        """Count the nodes and the time of the generator that begins now; `totals`: counters before it."""
        self._totals = totals._replace(nodes_of_limit=0)
        self._nodes_before, self._seconds_before_limit = totals.nodes, self.seconds
        self._has_begun = totals.nodes > 0  # time before the first limit is charged to no limit

    def step(self) -> None:
        """Run the search to its next event and report the event; stop at the limit of time or nodes."""
        event = self.next_value()
        if event is None:
            raise RuntimeError("the search has ended without a final event")
        self._report(event)
        totals, limits = self._totals, self._limits
        if self.seconds >= limits.seconds or totals.all_nodes >= limits.nodes:
            here = totals.all_nodes - self._nodes_before
            self._report(Stopped("limit", totals.limit, here, self.seconds))

    def fail(self) -> None:
        """Log the exception that is being handled, and send `Failed` without its details."""
        log.exception("the search %s failed", self.id)
        self._report(Failed(INTERNAL))

    def report_queued(self, ahead: int) -> None:
        """Send the place of the search in the queue, unless the search has ended or is paused."""
        if not (self.ended or self.paused):
            self._send(Queued(ahead))

    def _send(self, event: Event | Queued) -> None:
        self._on_event(event, self._totals)

    def _report(self, event: Event) -> None:
        """Count an event and send it; a final event ends the job.

        An `Exhausted` sent before, and all events after the end, are dropped. Progress beyond ten events a
        second is counted but not sent.
        """
        if self.ended or (isinstance(event, Exhausted) and event.limit <= self._totals.limit):
            return
        self._has_begun = self._has_begun or isinstance(event, Exhausted) or getattr(event, "nodes", 0) > 0
        event = self._timed(event)
        self._totals = self._totals.after(event, self.seconds)
        if isinstance(event, Exhausted) or not self._has_begun:
            self._seconds_before_limit = self.seconds
        if isinstance(event, Progress):
            if time.perf_counter() < self._next_progress:
                return
            self._next_progress = time.perf_counter() + 0.1
        self._send(event)
        if isinstance(event, FINAL):
            self.ended = True

    def _timed(self, event: Event) -> Event:
        """Return the event with its running time, and with total nodes that include those of earlier workers.

        `Progress`, `Exhausted` and `Solved` get the time of their limit, `Found`, `Unsolvable` and `Stopped`
        that of the search. Until a limit is ruled out or a node is counted, `Progress` has limit 0, no nodes,
        and the time of the search.
        """
        of_limit = self.seconds - self._seconds_before_limit
        match event:
            case Progress() if not self._has_begun:
                return Progress(0, 0, self.seconds)
            case Progress() | Exhausted():
                return replace(event, seconds=of_limit)
            case Solved(total_nodes=nodes):
                return replace(event, seconds=of_limit, total_nodes=self._nodes_before + nodes)
            case Unsolvable(total_nodes=nodes) | Stopped(total_nodes=nodes):
                return replace(event, seconds=self.seconds, total_nodes=self._nodes_before + nodes)
            case Found():
                return replace(event, seconds=self.seconds)
        return event


def events_after(search: ParsedSearch, proved: Totals) -> Events:
    """Return the events of a search above the limits that are ruled out."""
    question = search.question._replace(proved=proved.limit)
    fresh = search.fresh or proved.nodes > 0  # limits were sent; a known answer would not continue them
    return search._replace(question=question, fresh=fresh).events()
