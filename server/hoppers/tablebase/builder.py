"""Build tables in one background thread, a few milliseconds at a time.

A build is a generator that yields its progress, 0 to 1, every few milliseconds and stores its own result.
States of a build: queued -> running -> done, failed or cancelled. The newest request runs first, because its
player is still looking at the board. At most one large build runs at a time; one small build may take turns
with it.
"""

import contextlib
import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar, cast

from hoppers.runtime.load import Load
from hoppers.runtime.metrics import TABLES_BUILT

log = logging.getLogger(__name__)

MAX_QUEUED = 4  # requests per priority; the oldest is dropped, and a page that needs it requests it again
MAX_RUNNING = 6
SEARCH_SECONDS = 10.0  # longest search that runs before a build, or in turn with it

Result = TypeVar("Result")


class BuildRequest(NamedTuple):
    """Request to build a table. Requests with equal keys are for one build."""

    key: Hashable
    start: Callable[[], Generator[float, None, Any]]
    large: bool = False
    """Whether the build takes hundreds of megabytes or can wait. Large builds are refused under high load."""


class Build:
    """A running build: its request, its progress from 0 to 1, and its generator."""

    def __init__(self, request: BuildRequest) -> None:
        self.request, self.progress = request, 0.0
        self.is_large = request.large
        """Whether the build is large as a whole, or runs a large part now."""
        self.is_cancelled = False
        """Whether a failure is expected, because the worker process ends with the server."""
        self._steps: Generator[float, None, Any] | None = None

    def advance(self) -> bool:
        """Run one step of the build. Return False if it has ended or failed, otherwise True."""
        try:
            if self._steps is None:
                self._steps = self.request.start()
            self.progress = next(self._steps)
        except StopIteration:
            TABLES_BUILT.inc()
            return False
        except Exception:
            if not self.is_cancelled:
                log.exception("building %s failed", self.request.key)
            return False
        return True

    def cancel(self) -> None:
        """Close the generator of the build."""
        try:
            if self._steps is not None:
                self._steps.close()
        except Exception:
            log.exception("cancelling %s failed", self.request.key)


class Builder:
    """Queue of builds and the thread that runs them. The thread exits when the queue is empty."""

    def __init__(
        self, load: Load, context: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext
    ) -> None:
        """`context`: returns what the thread enters; with `Engine.compiling`, builds may call all kernels."""
        self._load, self._context = load, context
        self._queue: list[BuildRequest] = []
        self._low_priority: list[BuildRequest] = []
        self._builds: list[Build] = []
        self._current: Build | None = None
        self._large: Build | None = None
        """The build that runs a large part now."""
        self._has_thread = self._cancelling = False
        self._changed = threading.Condition()

    def submit(self, request: BuildRequest, *, low_priority: bool = False) -> None:
        """Queue a build, unless its key is queued or running, or it is large under high load."""
        if request.large and not self._load.may_build_large():
            return
        with self._changed:
            if request.key in [other.key for other in self._requests()]:
                return
            queue = self._low_priority if low_priority else self._queue
            queue.append(request)
            del queue[:-MAX_QUEUED]
            if not self._has_thread:
                self._has_thread = True
                self._start_next()
                threading.Thread(target=self._run, name="table-builder", daemon=True).start()

    def progress(self, key: Hashable) -> float | None:
        """Return the progress of a build from 0 (queued) to 1, or None if it is not queued or running."""
        with self._changed:
            running = [build.progress for build in self._builds if build.request.key == key]
            is_queued = key in [request.key for request in self._queue + self._low_priority]
            return running[0] if running else 0.0 if is_queued else None

    def cancel_all(self) -> None:
        """Drop all queued builds, and stop running builds at their next step."""
        with self._changed:
            self._queue.clear()
            self._low_priority.clear()
            self._cancelling = bool(self._builds)
            for build in self._builds:
                build.is_cancelled = True

    def join(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds until no build is left. Return whether none is left."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._has_thread, timeout)

    def large_part(self, steps: Generator[float, None, None]) -> Generator[float, None, None]:
        """Run a large part of an otherwise small build. The part is dropped under high load.

        The part waits until no other large build or part runs; small builds may run meanwhile.
        """
        build = self._current
        if build is None or build.is_large:
            yield from self.while_allowed(steps)
            return
        build.is_large = True
        try:
            while self._large is not None:
                yield 0.0
            self._large = build
            yield from self.while_allowed(steps)
        finally:
            build.is_large = False
            self._release(build)

    def while_allowed(self, steps: Generator[float, None, Result]) -> Generator[float, None, Result | None]:
        """Run `steps`, a part of a build. Return its result, or None if load becomes high.

        The part may get large, but does not wait for other large builds.
        """
        with contextlib.closing(steps):
            while self._load.may_build_large():
                try:
                    progress = next(steps)
                except StopIteration as end:
                    return cast(Result, end.value)
                yield progress
        return None

    def _release(self, build: Build) -> None:
        if self._large is build:
            self._large = None

    def _requests(self) -> list[BuildRequest]:
        return [*self._queue, *self._low_priority, *(build.request for build in self._builds)]

    def _start_next(self) -> None:
        """Start the next request if there is room: a second build may run only next to large builds."""
        is_full = len(self._builds) >= MAX_RUNNING or not all(build.is_large for build in self._builds)
        if self._cancelling or is_full:
            return
        for queue in (self._queue, self._low_priority):
            for request in reversed(queue):
                if not (self._builds and request.large):
                    queue.remove(request)
                    self._builds.append(Build(request))
                    self._large = self._builds[0] if request.large else self._large
                    return

    def _run(self) -> None:
        with self._context():
            while builds := self._running():
                for build in builds:
                    if not self._advance(build):
                        self._end(build)

    def _running(self) -> tuple[Build, ...]:
        """Start the next build if possible. Return all running builds; the thread ends if there are none."""
        with self._changed:
            self._start_next()
            self._has_thread = bool(self._builds)
            self._changed.notify_all()
            return tuple(self._builds)

    def _advance(self, build: Build) -> bool:
        if self._cancelling or (build.request.large and not self._load.may_build_large()):
            build.cancel()
            return False
        self._current = build
        return build.advance()

    def _end(self, build: Build) -> None:
        with self._changed:
            self._builds.remove(build)
            self._release(build)
            self._current = None
            self._cancelling = self._cancelling and bool(self._builds)


def finish(steps: Generator[Any, None, Result], seconds: float = math.inf) -> Result | None:
    """Run a build in this thread and return its result, or None if it takes more than `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() <= until:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
    return None


def first_or(
    steps: Generator[float, None, Result | None],
    seconds: float,
    otherwise: Callable[[], Generator[float, None, Result | None]],
) -> Generator[float, None, Result | None]:
    """Run a build for up to `seconds` and return its result; without a result, run `otherwise()` instead."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            yield next(steps)
    except StopIteration as end:
        if end.value is not None:
            return cast(Result, end.value)
    steps.close()
    return (yield from otherwise())


def after_search(
    steps: Generator[float, None, Result], events: Iterable[object]
) -> Generator[float, None, Result]:
    """Run the search `events` for up to SEARCH_SECONDS, then the build `steps`, and return its result."""
    until = time.monotonic() + SEARCH_SECONDS
    for _ in itertools.takewhile(lambda event: time.monotonic() < until, events):
        yield 0.0
    close(events)
    return (yield from steps)


def in_turn_with_search(
    steps: Generator[float, None, Result], ahead: float, events: Iterable[object]
) -> Generator[float, None, Result]:
    """Run a build for `ahead` seconds, then alternate its steps with a search; return its result.

    Build and search get equal time, waiting included, so the quicker one answers first. The search gets at
    most SEARCH_SECONDS.
    """
    built, searched, progress, searching = 0.0, ahead, 0.0, iter(events)
    try:
        while True:
            began = time.monotonic()
            if built <= searched:
                progress = next(steps)
                yield progress
                built += time.monotonic() - began
            elif searched - ahead >= SEARCH_SECONDS or next(searching, None) is None:
                close(searching)
                searched = math.inf
            else:
                yield progress
                searched += time.monotonic() - began
    except StopIteration as end:
        return cast(Result, end.value)


def close(events: Iterable[object]) -> None:
    """End a search. Otherwise it would continue in the worker process, and nothing would read its events."""
    if isinstance(events, Generator):
        events.close()
