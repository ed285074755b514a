"""Runs searches as tasks of the engine's scheduler, and stores their events in the sessions."""

import logging
import threading
from collections.abc import Callable
from functools import partial

from hoppers.analysis.requests import ParsedSearch, parse_search
from hoppers.core.errors import Busy
from hoppers.core.events import Event, Failed, Progress
from hoppers.jobs.search_job import INTERNAL, WORKER_LOST, Job, Read, SearchLimits, events_after
from hoppers.jobs.sessions import PAUSED, Queued, Session, Sessions, State, Totals
from hoppers.runtime import metrics
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)

MAX_STARTS = 4  # workers that may be lost with one search before it fails


class Runner:
    """The searches that this process runs: a server without a fleet, or a worker of a fleet. Thread-safe."""

    def __init__(
        self,
        sessions: Sessions,
        engine: Engine,
        limits: SearchLimits,
        *,
        is_compiled: Callable[[str], bool] = lambda puzzle_id: True,
        read: Read | None = None,
    ) -> None:
        """`is_compiled`: returns whether searches of a puzzle may start (see `start_waiting`).

        `read`: parses the requests of sessions; by default `parse_search`.
        """
        self._sessions, self._limits, self._is_compiled = sessions, limits, is_compiled
        self._read: Read = read or partial(parse_search, engine)
        self.states: dict[str, State] = {}
        """State of each search that runs here, as the scheduler knows it."""
        self.waiting: dict[str, ParsedSearch] = {}
        """Searches that wait for the compilation of their kernels."""
        self.broken: set[str] = set()
        """Searches that ended here because the store failed: they have to be submitted again."""
        self.changed = threading.Condition(threading.RLock())
        """Guards this object; notified after each change of these three."""
        self._scheduler = engine.scheduler

    def submit(self, id: str, search: ParsedSearch | None = None) -> None:
        """Run a search once its kernels are compiled; meanwhile its player sees empty progress.

        `search`: its request, if it has been parsed already. Raise Busy if the store fails.
        """
        session = self._sessions.read(id)
        search = search or self._parsed(id, session)
        if session is None or search is None:
            return
        if self._is_compiled(search.question.puzzle.id):
            self._run(id, search)
        elif search.needs_no_kernel:  # a table has the answer
            totals = session.proved
            for event in search.events():
                totals = totals.after(event, 0.0)
                self._sessions.append(id, event, totals)
        else:
            with self.changed:
                self.waiting[id] = search
            self._sessions.append(id, Progress(0, 0, 0.0), session.proved)

    def start_waiting(self) -> None:
        """Submit again the searches whose kernels were not compiled."""
        with self.changed:
            waiting, self.waiting = self.waiting, {}
        for id, search in waiting.items():
            self.submit(id, search)

    def follow(self, id: str) -> None:
        """Adapt a search to the state of its session, or end it if that is gone. Ignore an unknown search."""
        with self.changed:
            if id not in self.states:
                return
            session = self._sessions.read(id)
            state = None if session is None else session.state
            if state is None or state == "over":
                self.end(id)
            elif state != self.states[id]:
                self.states[id] = state
                (self._scheduler.pause if state in PAUSED else self._scheduler.resume)(id)
        if state is None:
            metrics.SEARCHES_ENDED.labels("left").inc()

    def end(self, id: str) -> bool:
        """End a search without an event; return whether it ran here."""
        with self.changed:
            ran = self.states.pop(id, None) is not None
            self.changed.notify_all()
        self._scheduler.stop(id)
        return ran

    def close(self) -> None:
        """End all searches, each after its current slice."""
        with self.changed:
            self.waiting.clear()
            self.broken.clear()
        for id in list(self.states):
            self.end(id)

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused searches."""
        return self._scheduler.counts(list(self.states))

    def _parsed(self, id: str, session: Session | None) -> ParsedSearch | None:
        """Return the parsed request of a session; None if there is none, or after sending `Failed`."""
        if session is None:
            return None
        try:
            return self._read(**session.request.query)
        except Exception:
            log.exception("the search %s could not be started", id)
            self._sessions.append(id, Failed(INTERNAL), session.proved)
            return None

    def _run(self, id: str, search: ParsedSearch) -> None:
        """Start a search after the limits ruled out; after `MAX_STARTS` lost workers it fails."""
        session = self._sessions.begin(id)
        if session is None:
            return
        if session.starts > MAX_STARTS:
            self._sessions.append(id, Failed(WORKER_LOST), session.proved)
            return
        events, store = partial(events_after, search), partial(self._store, id)
        job = Job(id, events, store, self._limits, session.proved, session.request.client)
        with self.changed:
            self.states[id] = "run"
            self._scheduler.start(job)
            self.changed.notify_all()
        self.follow(id)  # it may have been paused or ended before

    def _store(self, id: str, event: Event | Queued, totals: Totals) -> None:
        """Store an event of a search; end the search if it is final or no client waits for it."""
        if id not in self.states:
            return
        try:
            is_wanted = self._sessions.append(id, event, totals)
        except Busy as error:
            log.warning("an event of search %s could not be stored: %s", id, error)
            with self.changed:
                self.broken.add(id)
            is_wanted = False
        if not is_wanted and id in self.states:
            self.end(id)
