"""One build at a time in the background, for whoever needs its result; progress can be read, builds stopped.

A build is a generator of progress, 0 to 1, in steps of a few milliseconds, that keeps its result itself.
"""

import contextlib
import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar, cast

from ..measures import TABLES_BUILT

log = logging.getLogger(__name__)

MOST_WAITING = 4
"""Builds kept waiting; the oldest wish is forgotten first, and comes back when somebody asks again."""
SEARCH_SECONDS = 10.0
"""For which a search may go before a build."""

Result = TypeVar("Result")


class Wish(NamedTuple):
    """A build somebody asked for. `name` tells it from others."""

    name: Hashable
    build: Callable[[], Generator[float, None, Any]]
    heavy: bool = False
    """Whether it takes hundreds of megabytes for a while, which a crowd of players may need."""


class Workshop:
    """Builds the newest wish first, in a thread that lives only while there is work."""

    def __init__(self) -> None:
        """Nothing is under way."""
        self._waiting: list[Wish] = []
        self._later: list[Wish] = []
        self._current: Wish | None = None
        self._progress = 0.0
        self._stopping = False
        self._changed = threading.Condition()
        self.is_crowded: Callable[[], bool] = lambda: False
        """Whether heavy wishes are not granted, and given up under way; asked for again later they may be."""

    def ask(self, wish: Wish, later: bool = False) -> None:
        """Have it built, unless that is under way or waiting, or too heavy for the moment.

        `later`: after all that waits.
        """
        if wish.heavy and self.is_crowded():
            return
        with self._changed:
            if wish.name in [other.name for other in self._wishes()]:
                return
            waiting = self._later if later else self._waiting
            waiting.append(wish)
            del waiting[:-MOST_WAITING]
            if self._current is None:
                self._current = self._next()
                threading.Thread(target=self._work, name="table-builder", daemon=True).start()

    def progress(self, name: Hashable) -> float | None:
        """How far a build is, 0 to 1; 0 while it waits, None if nobody has asked for it or it has ended."""
        with self._changed:
            if self._current is not None and self._current.name == name:
                return self._progress
            return 0.0 if name in [wish.name for wish in self._waiting + self._later] else None

    def stop(self) -> None:
        """Give up the build under way, within its next step, and all that wait."""
        with self._changed:
            self._waiting.clear()
            self._later.clear()
            self._stopping = self._current is not None

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is under way; returns whether that came to pass."""
        with self._changed:
            return self._changed.wait_for(lambda: self._current is None, seconds)

    def _wishes(self) -> list[Wish]:
        return self._waiting + self._later + ([self._current] if self._current is not None else [])

    def _next(self) -> Wish | None:
        return next((waiting.pop() for waiting in (self._waiting, self._later) if waiting), None)

    def _work(self) -> None:
        wish = self._current
        while wish is not None:
            try:
                self._build(wish)
            except Exception:
                log.exception("building %s failed", wish.name)
            with self._changed:
                wish = self._current = self._next()
                self._progress, self._stopping = 0.0, False
                self._changed.notify_all()

    def unless_crowded(self, steps: Generator[float, None, None]) -> Generator[float, None, None]:
        """Something heavy within a build, given up as soon as a crowd comes."""
        with contextlib.closing(steps):
            for done in steps:
                if self.is_crowded():
                    return
                yield done

    def _build(self, wish: Wish) -> None:
        steps = wish.build()
        while not self._stopping and not (wish.heavy and self.is_crowded()):
            try:
                self._progress = next(steps)
            except StopIteration:
                TABLES_BUILT.inc()
                return
        steps.close()


def finish(steps: Generator[Any, None, Result], seconds: float = math.inf) -> Result | None:
    """Run a build here and now; None if that takes longer."""
    until = time.monotonic() + seconds
    while time.monotonic() <= until:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
    return None


def soon_or(
    steps: Generator[float, None, Result | None],
    seconds: float,
    otherwise: Callable[[], Generator[float, None, Result | None]],
) -> Generator[float, None, Result | None]:
    """A build if it ends within so many seconds and comes to something; otherwise another."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            yield next(steps)
    except StopIteration as end:
        if end.value is not None:
            return cast(Result, end.value)
    steps.close()
    return (yield from otherwise())


def with_search(
    steps: Generator[float, None, Result], ahead: float, events: Iterable[object]
) -> Generator[float, None, Result]:
    """A build that goes `ahead` for so many seconds, then lets a search have its time, and goes on."""
    until = time.monotonic() + ahead
    try:
        while time.monotonic() < until:
            yield next(steps)
        until = time.monotonic() + SEARCH_SECONDS
        for _ in itertools.takewhile(lambda event: time.monotonic() < until, events):
            yield 0.0
        while True:
            yield next(steps)
    except StopIteration as end:
        return cast(Result, end.value)


WORKSHOP = Workshop()
"""The one of this process: builds need much memory, so there is never more than one."""
