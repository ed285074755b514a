"""Threads that look into Redis: a server's for new events of its searches, a worker's for changed states."""

import logging
import threading
import time
from collections.abc import Callable

from hoppers.core.errors import Busy
from hoppers.fleet.sessions import RedisSessions
from hoppers.jobs.runner import Runner
from hoppers.jobs.service import SearchService
from hoppers.jobs.sessions import Queued, SessionEvent, Totals

log = logging.getLogger(__name__)

EVENT_SECONDS = 0.03  # longest wait for events, after which the list of followed sessions is read again
STATE_SECONDS = 0.05  # between two looks at the states of running searches
PLACE_SECONDS = 0.5  # between two looks at places in the queue
RETRY_SECONDS = 0.5  # after a failure of Redis


def repeat(act: Callable[[], None], until: threading.Event) -> None:
    """Call a function again and again in a thread of its own, until an event is set; log its failures."""

    def loop() -> None:
        while not until.is_set():
            try:
                act()
            except Busy as error:
                log.warning("%s", error)
                until.wait(RETRY_SECONDS)
            except Exception:
                log.exception("following the searches in Redis failed and continues")
                until.wait(RETRY_SECONDS)

    threading.Thread(target=loop, name="redis-follower", daemon=True).start()


def follow_events(sessions: RedisSessions, service: SearchService, until: threading.Event) -> None:
    """Hand the events of the sessions that a server follows to its service, until `until` is set.

    These include the places in the queue of searches that no worker has begun.
    """
    next_places = 0.0

    def follow() -> None:
        nonlocal next_places
        numbers, unsent = service.numbers(), set[str]()
        if 0 in numbers.values() and time.monotonic() >= next_places:
            next_places = time.monotonic() + PLACE_SECONDS
            for place in places(sessions):
                service.receive(place)
        if not numbers:
            until.wait(EVENT_SECONDS)
        for sent in sessions.follow(numbers, EVENT_SECONDS):
            # once an event was not sent, none behind it may be
            if sent.session not in unsent and not service.receive(sent):
                unsent.add(sent.session)

    repeat(follow, until)


def places(sessions: RedisSessions) -> list[SessionEvent]:
    """Return the number of searches ahead of each search that no worker has begun."""
    waiting = [id for id, one in sessions.open().items() if not (one.starts or one.paused)]
    return [SessionEvent(id, Queued(place), Totals(), 0) for place, id in enumerate(waiting)]


class Follower:
    """The searches of one worker, as other processes control them through Redis. Thread-safe."""

    def __init__(self, sessions: RedisSessions, runner: Runner, park_seconds: float) -> None:
        """`park_seconds`: time after which a paused search leaves its worker."""
        self._sessions, self._runner, self._park_seconds = sessions, runner, park_seconds
        self._paused_since: dict[str, float] = {}
        self._closed = threading.Event()
        repeat(self._follow, self._closed)

    def work(self, id: str) -> bool:
        """Run a search until it ends here; return whether another worker has to continue it."""
        runner = self._runner
        with runner.changed:
            runner.changed.wait_for(lambda: id not in runner.states)  # if it was delivered twice
        if not self._closed.is_set():
            self._submit(id)
        with runner.changed:
            runner.changed.wait_for(lambda: not (id in runner.states or id in runner.broken))
        return self._closed.is_set()

    def close(self) -> None:
        """End all searches here, in good order; other workers may continue them."""
        runner = self._runner
        self._closed.set()
        with runner.changed:
            runner.broken.clear()
            ids = list(runner.states)
        for id in ids:
            self._give_back(id)
        with runner.changed:
            runner.changed.notify_all()

    def _submit(self, id: str) -> None:
        """Begin a search; if Redis fails, it begins as soon as Redis answers again."""
        runner = self._runner
        with runner.changed:
            runner.broken.discard(id)
            try:
                runner.submit(id)
            except Busy as error:
                log.warning("search %s cannot begin yet: %s", id, error)
                runner.broken.add(id)
            runner.changed.notify_all()

    def _follow(self) -> None:
        runner = self._runner
        with runner.changed:
            runner.changed.wait_for(lambda: self._closed.is_set() or runner.states or runner.broken, 1.0)
            known, broken = dict(runner.states), runner.broken - runner.states.keys()
        for id in broken:
            self._closed.wait(RETRY_SECONDS)
            self._submit(id)
        if known:
            for id, state in self._sessions.states(known, STATE_SECONDS).items():
                if state != known[id]:
                    runner.follow(id)
        self._park()

    def _park(self) -> None:
        """Give up searches that have been paused for long; a player who resumes one submits it again."""
        now, before = time.monotonic(), self._paused_since
        paused = [id for id, state in list(self._runner.states.items()) if state == "paused"]
        self._paused_since = {id: before.get(id, now) for id in paused}
        for id, since in self._paused_since.items():
            if now - since <= self._park_seconds:
                continue
            if self._sessions.set_state(id, "parked") == "run":  # resumed just now
                self._sessions.set_state(id, "run")
            else:
                self._give_back(id)

    def _give_back(self, id: str) -> None:
        if self._runner.end(id):
            try:
                self._sessions.give_back(id)
            except Busy as error:
                log.warning("search %s counts as lost with this worker: %s", id, error)
