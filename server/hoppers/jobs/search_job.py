"""The two sides of one search: a job runs the search, and a handle sends its events to the player.

The job runs in the worker process, the handle stays in the server. In a fleet's worker, and in a server
without a worker process, both are in one process. A search ends with exactly one final event, or with none if
its player has left or its events cannot be sent.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hoppers.analysis.requests import ParsedSearch
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
    fields_of,
)
from hoppers.jobs.messages import Command, Queued, SearchEvent, SearchRequest, Totals, WorkerConfig
from hoppers.jobs.scheduler import Task
from hoppers.runtime import metrics
from hoppers.runtime.logging_config import pseudonym

log = logging.getLogger(__name__)

INTERNAL = {"code": "internal", "message": "The search met a fault of the server, which has been logged."}
WORKER_LOST = {
    "code": "worker_lost",
    "message": "The machines that ran this search were lost one after the other, so it was given up.",
}

FINAL = Solved, Unsolvable, Stopped, Failed

Emit = Callable[[str, dict[str, Any]], bool | None]
"""Function that sends an event, given by name and fields, to the player.

It returns False, and sends nothing, if the search has ended or another process has taken it over; otherwise
True or None. A handle calls it under the handle's lock, so the function must not call the search service.
"""

SentEvent = tuple[str, dict[str, Any]]
"""An event that was sent: its name and its fields."""

Read = Callable[..., ParsedSearch]
"""Function that parses the query of a request; it raises PuzzleError if the query is invalid."""

REQUESTED, AWAY = "requested", "away"
"""Reasons for a pause: the player's request, or a lost connection."""


class Job(Task):
    """A task that runs a search, and stops the search at its limit of nodes or of running time."""

    def __init__(
        self,
        search_id: str,
        events: Events,
        on_event: Callable[[SearchEvent], None],
        config: WorkerConfig,
        proved: Totals,
    ) -> None:
        """`proved`: counters of the workers that ran the search before."""
        super().__init__(search_id, events, on_event, proved.seconds)
        self._config, self._totals, self._nodes_before = config, proved, proved.nodes
        self._seconds_before_limit = self.seconds
        self._has_begun = proved.nodes > 0  # time before the first limit is charged to no limit
        self._next_progress = 0.0

    def run_slice(self, seconds: float) -> None:
        """Run for `seconds`, or until the search ends or is paused."""
        until = time.perf_counter() + seconds
        while not (self.ended or self.paused) and time.perf_counter() < until:
            self.step()

    def step(self) -> None:
        """Run the search to its next event and report the event; stop at the limit of time or nodes."""
        began = time.perf_counter()
        event = next(self.steps)
        self.seconds += time.perf_counter() - began
        self._report(event)
        totals, config = self._totals, self._config
        if self.seconds >= config.search_seconds or totals.all_nodes >= config.search_nodes:
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
        self.on_event(SearchEvent(self.id, event, self._totals))

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


class SearchHandle:
    """The player's side of a search: sends the events to the player in order, and stores them for replay.

    Progress and places in the queue are not stored. A lock is held while an event is sent, so that no event
    follows the final one. `request` has the player's present connection. Thread-safe.

    If `emit` returns False or fails for a new event, the search ends as by `drop`. An error of `emit` passes
    through.
    """

    def __init__(
        self,
        search_id: str,
        request: SearchRequest,
        emit: Emit,
        read: Read,
        sent: Sequence[SentEvent] = (),
        on_end: Callable[["SearchHandle"], None] = lambda handle: None,
    ) -> None:
        """`emit`: sends an event to the player's connection. `read`: parses the query of the request.

        `sent`: events of the search that other processes have sent. `on_end`: called when the search has
        ended; it must not wait for a lock under which the handle is used.

        Raises:
            PuzzleError: the query is invalid.
        """
        self.id, self.request = search_id, request
        self.search = read(**request.query)
        self.ended = self.dropped = self.queued = False
        """`dropped`: the search has ended without a final event. `queued`: the search waits in the queue."""
        rows = [fields for name, fields in sent if name == "exhausted"]
        proved = max((row["limit"] for row in rows), default=-1)
        self.totals = Totals(
            self.search.question._replace(proved=proved).first_limit - 1,
            sum(row["nodes"] for row in rows),
            seconds=float(sum(row["seconds"] for row in rows)),
        )
        self.lost_workers = 0
        self.execute: Callable[..., None] | None = None
        """Function that sends a `Command` to the worker of the search; None until the search is submitted."""
        self._emit, self._sent, self._on_end = emit, list(sent), on_end
        self._pauses: set[str] = set()
        self._away_until = 0.0
        """Time at which the search ends if its player is still away."""
        self._deferred: list[tuple[Event, Totals]] = []
        """Events that arrived during a pause."""
        self._lock = threading.RLock()

    @property
    def paused(self) -> bool:
        """Whether the search is paused, for any reason."""
        return bool(self._pauses)

    @property
    def is_away(self) -> bool:
        """Whether the search is paused because its player has lost the connection."""
        return AWAY in self._pauses

    def submit(self, execute: Callable[..., None]) -> None:
        """Start the search, or continue it after the limits ruled out, in the worker of `execute`.

        An ended search is ignored, and a paused search stays paused. Deferred events are dropped, because
        this worker repeats them.
        """
        with self._lock:
            if not self.ended:
                self.execute = execute
                self._deferred.clear()
                execute("start_search", self.id, self.request.query, self.totals._replace(nodes_of_limit=0))
                if self._pauses:
                    execute("pause", self.id)

    def send(self, event: Event | Queued, totals: Totals) -> None:
        """Send an event to the player. During a pause, defer it, or drop it if it is `Progress` or `Queued`.

        `totals`: counters of the search, up to and including the event.
        """
        with self._lock:
            if not self._pauses:
                self._deliver(event, totals)
            elif not isinstance(event, Progress | Queued):
                self._deferred.append((event, totals))

    def stop(self, reason: str) -> None:
        """Send `Stopped` and end the search at once, unless it has ended.

        `reason`: "asked" (the player stopped the search or, in a fleet, has left for good) or "replaced"
        (another search needs its place).
        """
        with self._lock:
            totals = self.totals
            self._deliver(Stopped(reason, totals.limit, totals.all_nodes, totals.seconds), totals)

    def fail(self, error: dict[str, str]) -> None:
        """Send `Failed` and end the search at once, unless it has ended."""
        with self._lock:
            self._deliver(Failed(error), self.totals)

    def drop(self) -> None:
        """End the search here without a final event; in a fleet, another worker may continue it."""
        with self._lock:
            if not self.ended:
                self._end(dropped=True)

    def leave(self, seconds: float) -> None:
        """Pause the search, which has lost its connection, for a grace period of `seconds`.

        A further call during the period may shorten it, but not extend it.
        """
        until = time.monotonic() + seconds
        if not self.is_away or until < self._away_until:
            self._away_until = until
            self.pause(AWAY)

    def end_grace(self) -> None:
        """Drop the search if its grace period is over and its player has not returned."""
        with self._lock:
            if self.is_away and time.monotonic() >= self._away_until and not self.ended:
                metrics.SEARCHES_ENDED.labels("left").inc()
                self.drop()

    def pause(self, reason: str) -> None:
        """Run no further slice, and send no event of the worker, until `resume` ends the last pause."""
        with self._lock:
            self._pauses.add(reason)
            self.queued = False
            self._command("pause")

    def resume(self, reason: str) -> None:
        """End the pause for `reason`; if no pause is left, send deferred events and continue."""
        with self._lock:
            self._pauses.discard(reason)
            while self._deferred and not self._pauses:
                self._deliver(*self._deferred.pop(0))
            if not (self._pauses or self.ended):
                self._command("resume")

    def redirect(self, connection: str, emit: Emit, limit: int, replay: Emit | None = None) -> None:
        """Send the events after `limit` (see `events_after`) to a new connection; end the pause AWAY.

        `emit`: sends events to the new connection. `replay`: sends the stored events; None: `emit` does.
        """
        with self._lock:
            self.request, self._emit = self.request._replace(connection=connection), emit
            for name, fields in events_after(self._sent, limit):
                (replay or emit)(name, fields)
            self.resume(AWAY)

    def _command(self, command: Command) -> None:
        if self.execute is not None:
            self.execute(command, self.id)

    def _end(self, dropped: bool) -> None:
        self.ended, self.dropped = True, dropped
        self._command("stop")
        self._on_end(self)

    def _deliver(self, event: Event | Queued, totals: Totals) -> None:
        if self.ended:
            return
        self.queued = isinstance(event, Queued)
        if not self.queued:  # a place in the queue may arrive late, with older counters
            self.totals = totals
        if isinstance(event, Stopped) and not self._has_proofs():
            event = replace(event, limit=-1)
        name, fields = type(event).__name__.lower(), {"ticket": self.request.ticket, **fields_of(event)}
        if not isinstance(event, Progress | Queued):
            self._sent.append((name, fields))
        is_final = isinstance(event, FINAL)
        is_sent = False
        try:
            is_sent = self._emit(name, fields) is not False
        finally:
            if is_final and is_sent:  # else another worker has taken the search over, and records its end
                self._record(name, event)
            if is_final or not is_sent:
                self._end(dropped=not is_sent)

    def _has_proofs(self) -> bool:
        """Return whether no event that was sent is marked as not proved."""
        return all(fields.get("proved", True) for _, fields in self._sent)

    def _record(self, name: str, event: object) -> None:
        """Record the end of the search in the metrics and the log."""
        nodes, seconds = getattr(event, "total_nodes", self.totals.all_nodes), self.totals.seconds
        metrics.SEARCHES_ENDED.labels(name).inc()
        metrics.NODES.inc(nodes)
        metrics.SEARCH_SECONDS.observe(seconds)
        details = {
            "ticket": self.request.ticket,
            "owner": pseudonym(self.request.player),
            **self.search.subject,
            "outcome": getattr(event, "reason", name),
            "seconds": round(seconds, 3),
            "nodes": nodes,
        }
        log.info("search ended: %s", details, extra=details)


def events_after(sent: list[SentEvent], limit: int) -> list[SentEvent]:
    """Return the events after the last `exhausted` whose limit is at most `limit`; all if there is none."""
    rows = [number for number, (name, _) in enumerate(sent) if name == "exhausted"]
    known = [number for number in rows if sent[number][1]["limit"] <= limit]
    return sent[known[-1] + 1 if known else 0 :]
