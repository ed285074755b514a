"""Scripted searches, for tests of the scheduler and of sent events."""

import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from hoppers.core.events import Event, Exhausted, Found, Progress, Solved
from hoppers.jobs.scheduler import Jobs
from hoppers.jobs.search_job import Job, Limits

SOLVED = Solved(3, 10, 0.0, [[0, 6]], None, 10)
PATIENCE = 60  # seconds to wait for an event
WITHOUT_LIMITS = Limits(float("inf"), 1 << 60)

Search = Generator[Event, None, None]


class Script:
    """A job that runs a scripted search, with the events that it has sent."""

    def __init__(
        self, search: Callable[["Script"], Search], ticket: str = "t", owner: str = "o", **more: Any
    ):
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self.turns = 0
        self.started, self.ended, self.closed = threading.Event(), threading.Event(), threading.Event()
        self.go_on = threading.Event()
        limits = more.pop("limits", WITHOUT_LIMITS)
        self.job = Job(owner, ticket, self._watched(search), self._receive, limits, **more)

    def _watched(self, search: Callable[["Script"], Search]) -> Search:
        try:
            self.started.set()
            yield from search(self)
        finally:
            self.closed.set()

    def _receive(self, name: str, fields: dict[str, Any]) -> None:
        self.sent.append((name, fields))
        if name not in ("queued", "progress", "found", "exhausted"):
            self.ended.set()

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.sent]

    @property
    def last(self) -> dict[str, Any]:
        return self.sent[-1][1]


def three_limits(script: Script) -> Search:
    for limit in (1, 2):
        yield Exhausted(limit, 10 * limit, 0, 0.0)
    yield SOLVED


def first_a_long_one(script: Script) -> Search:
    yield Found(5, 0.0, [[0, 6]])
    yield from three_limits(script)


def for_ever(script: Script) -> Search:
    yield Exhausted(1, 100, 0, 0.0)
    while True:
        script.turns += 1
        time.sleep(0.001)
        yield Progress(2, script.turns, 0.0)


def held_up(script: Script) -> Search:
    """Block within one turn until `go_on` is set, like a search whose kernel is being compiled."""
    assert script.go_on.wait(PATIENCE)
    yield SOLVED


def broken(script: Script) -> Search:
    yield Exhausted(1, 1, 0, 0.0)
    raise ZeroDivisionError("a secret")


def endless_silence(script: Script) -> Search:
    yield from ()


def wait_until_aside(jobs: Jobs, script: Script) -> None:
    """Wait until the current turn of a paused search has ended."""
    until = time.monotonic() + PATIENCE
    while script.job not in jobs._aside:
        assert time.monotonic() < until
        time.sleep(0.001)


def run(jobs: Jobs, script: Script) -> Script:
    jobs.start(script.job)
    return script
