"""The worker's side of the sessions: starts their searches in a worker, and stores the events.

One thread follows the states of the sessions, and passes pauses and ends on to the worker.
"""

import logging
import threading
import time
from collections.abc import Callable

from hoppers.core.errors import Busy
from hoppers.core.events import Failed, Progress
from hoppers.jobs.messages import FINAL, SearchEvent
from hoppers.jobs.search_job import WORKER_LOST, Read
from hoppers.jobs.sessions import PAUSED, Session, Sessions, State
from hoppers.jobs.worker import SearchWorker
from hoppers.runtime import metrics

log = logging.getLogger(__name__)

MAX_STARTS = 4  # workers that may be lost with one search before it fails
STATE_SECONDS = 0.05  # longest time between two looks at the states of running searches
RETRY_SECONDS = 0.5  # after a failure of the store


class Runner:
    """The searches that one worker runs. Thread-safe."""

    def __init__(
        self,
        sessions: Sessions,
        worker: SearchWorker,
        is_compiled: Callable[[str], bool] = lambda puzzle_id: True,
        read: Read | None = None,
        park_seconds: float = float("inf"),
    ) -> None:
        """`is_compiled`: returns whether searches of a puzzle may start (see `start_waiting`).

        `read`: reads a request with the engine of this process, which answers what tables built by numpy have
        while kernels are not compiled. None: every search waits.
        `park_seconds`: time after which a paused search gives up its place and the limit being searched.
        """
        self._sessions, self._worker, self._is_compiled = sessions, worker, is_compiled
        self._read = read
        self._park_seconds = park_seconds
        self._states: dict[str, State | None] = {}
        """State of each search that runs here, as the worker knows it."""
        self._paused_since: dict[str, float] = {}
        self._waiting: list[str] = []
        """Searches that wait for the compilation of their kernels."""
        self._broken: set[str] = set()
        """Searches with an event that could not be stored: they begin again."""
        self._changed = threading.Condition(threading.RLock())
        self._closed = False
        worker.on_event = self._receive
        threading.Thread(target=self._follow_states, name="session-states", daemon=True).start()

    def submit(self, id: str) -> None:
        """Run a search once its kernels are compiled; meanwhile its player sees empty progress.

        If the store of sessions fails, the search begins as soon as the store answers again.
        """
        try:
            self._submit(id)
        except Busy as error:
            log.warning("search %s cannot begin yet: %s", id, error)
            with self._changed:
                self._broken.add(id)

    def start_waiting(self) -> None:
        """Submit again the searches whose kernels were not compiled."""
        with self._changed:
            waiting, self._waiting = self._waiting, []
        for id in waiting:
            self.submit(id)

    def work(self, id: str) -> bool:
        """Run a search until it ends here; return whether another worker has to continue it."""
        with self._changed:
            self._changed.wait_for(lambda: id not in self._states)  # if it was delivered twice
        if not self._closed:
            self.submit(id)
        with self._changed:
            self._changed.wait_for(lambda: not self.has(id))
        return self._closed

    def has(self, id: str) -> bool:
        """Return whether a search runs here or will begin here."""
        return id in self._states or id in self._waiting or id in self._broken

    def close(self) -> None:
        """End all searches here, in good order; another worker may continue them."""
        with self._changed:
            self._closed = True
            ids = list(self._states)
            self._waiting.clear()
            self._broken.clear()
        for id in ids:
            self._give_back(id)
        with self._changed:
            self._changed.notify_all()

    def _submit(self, id: str) -> None:
        session = self._sessions.read(id)
        if session is None or self._is_compiled(str(session.request.query.get("puzzle_id", ""))):
            self._run(id)
        elif not self._answer(id, session):
            with self._changed:
                self._waiting.append(id)
            self._sessions.append(id, Progress(0, 0, 0.0), session.proved)
        with self._changed:
            self._broken.discard(id)
            self._changed.notify_all()

    def _answer(self, id: str, session: Session) -> bool:
        """Answer a search from a table, without a worker; return whether there is one with the answer."""
        search = self._read(**session.request.query) if self._read else None
        if search is None or not search.needs_no_kernel:
            return False
        totals = session.proved
        for event in search.events():
            totals = totals.after(event, 0.0)
            self._sessions.append(id, event, totals)
        return True

    def _run(self, id: str) -> None:
        """Start a search after the limits ruled out; after `MAX_STARTS` lost workers it fails."""
        session = self._sessions.begin(id)
        if session is None:
            return
        if session.starts > MAX_STARTS:
            self._sessions.append(id, Failed(WORKER_LOST), session.proved)
            return
        with self._changed:
            self._states[id] = "run"
            self._worker.start(id, session.request.query, session.proved, session.request.client)
            if session.paused:
                self._apply(id, session.state)
            self._changed.notify_all()

    def _receive(self, message: SearchEvent) -> None:
        """Store an event of the worker; end the search if it is final or no client waits for it."""
        id, event = message.search_id, message.event
        if id not in self._states:
            return
        try:
            is_wanted = self._sessions.append(id, event, message.totals)
        except Busy as error:
            log.warning("an event of search %s could not be stored: %s", id, error)
            with self._changed:
                self._broken.add(id)
            is_wanted = False
        if not is_wanted:
            self._end(id, is_over=isinstance(event, FINAL))

    def _end(self, id: str, is_over: bool = False) -> None:
        """Forget a search, and stop it unless it is over."""
        with self._changed:
            self._paused_since.pop(id, None)
            was_here = id in self._states
            self._states.pop(id, None)
            self._changed.notify_all()
        if was_here and not is_over:
            self._worker.stop(id)

    def _give_back(self, id: str) -> None:
        self._end(id)
        try:
            self._sessions.give_back(id)
        except Busy as error:
            log.warning("search %s counts as lost with this worker: %s", id, error)

    def _follow_states(self) -> None:
        while not self._closed:
            try:
                self._follow()
            except Busy as error:
                log.warning("the states of searches cannot be read: %s", error)
                time.sleep(RETRY_SECONDS)
            except Exception:
                log.exception("following the states of searches failed and continues")
                time.sleep(RETRY_SECONDS)

    def _follow(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._states or self._broken, 1.0)
            known, broken = dict(self._states), self._broken - self._states.keys()
        for id in broken:
            time.sleep(RETRY_SECONDS)
            self.submit(id)
        if known:
            for id, state in self._sessions.states(known, STATE_SECONDS).items():
                if state != known[id]:
                    self._apply(id, state)
            self._park()

    def _apply(self, id: str, state: State | None) -> None:
        """Pass a changed state of a search on to the worker."""
        with self._changed:
            if id not in self._states:
                return
            if state == "paused":
                self._paused_since.setdefault(id, time.monotonic())
            else:
                self._paused_since.pop(id, None)
            if state in PAUSED:
                self._worker.pause(id)
            elif state == "run":
                self._worker.resume(id)
            self._states[id] = state
        if state is None:
            metrics.SEARCHES_ENDED.labels("left").inc()
        if state in (None, "over"):
            self._end(id)

    def _park(self) -> None:
        """Give up searches that have been paused for long; a player who resumes one submits it again."""
        now = time.monotonic()
        with self._changed:
            long = [id for id, since in self._paused_since.items() if now - since > self._park_seconds]
        for id in long:
            if self._sessions.set_state(id, "parked") == "run":  # resumed just now
                self._sessions.set_state(id, "run")
            else:
                self._give_back(id)
