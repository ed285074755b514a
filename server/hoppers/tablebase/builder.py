"""Build tables in the background, a few milliseconds at a time.

A build is a generator that yields its progress, 0 to 1, every few milliseconds and stores its own result.
States of a build: queued -> running -> done, failed or cancelled. The newest request runs first, because its
player is still looking at the board. There are three lanes, each with a thread that runs one build at a time:
small builds, large builds, and lists of solutions, so that no list waits until a large table is built.
"""

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar, cast

from hoppers.runtime.metrics import TABLES_BUILT

log = logging.getLogger(__name__)

MAX_QUEUED = 8  # requests per priority; the oldest is dropped, and a page that needs it requests it again

Result = TypeVar("Result")


class Load:
    """The load of one process, which decides whether large builds may run.

    Args:
        is_busy: returns whether load is high: many players are connected.
        builds_large: whether this process may run builds that take hundreds of megabytes at all.
    """

    def __init__(self, is_busy: Callable[[], bool] = lambda: False, builds_large: bool = True) -> None:
        self.is_busy, self.builds_large = is_busy, builds_large

    def may_build_large(self) -> bool:
        """Return whether a build that takes hundreds of megabytes may run now."""
        return self.builds_large and not self.is_busy()


class BuildRequest(NamedTuple):
    """Request for a build, which `start` begins. Requests with equal keys are for the same build."""

    key: Hashable
    start: Callable[[], Generator[float, None, Any]]
    large: bool = False
    """Whether the build takes hundreds of megabytes or can wait, so that it needs `Load.may_build_large`."""
    own_lane: str = ""
    """Name of the build's lane; by default there is one for small and one for large builds."""

    @property
    def lane(self) -> str:
        """Name of the lane in which the build runs."""
        return self.own_lane or ("large" if self.large else "small")


class Build:
    """A running build: its request, its progress from 0 to 1, and its generator."""

    def __init__(self, request: BuildRequest) -> None:
        self.request, self.progress = request, 0.0
        self.is_cancelled = False
        """Whether the build has to end at its next step. Its failures are then no longer logged."""
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
    """Queue of builds, with one thread for each lane that has a build. A thread ends with its last build."""

    def __init__(
        self, load: Load, context: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext
    ) -> None:
        """`context`: returns the context in which a thread may call kernels, such as `Engine.compiling`."""
        self._load, self._context = load, context
        self.ended = 0
        """Number of builds that have ended."""
        self._queue: list[BuildRequest] = []
        self._low_priority: list[BuildRequest] = []
        self._builds: list[Build] = []
        self._lanes: set[str] = set()
        """Lanes that have a running thread."""
        self._changed = threading.Condition()

    def submit(self, request: BuildRequest, *, low_priority: bool = False) -> None:
        """Queue a build as the newest, unless it is running already, or is large and may not run now.

        A queued request with an equal key is replaced. Beyond `MAX_QUEUED`, the oldest request is dropped.
        """
        if request.large and not self._load.may_build_large():
            return
        with self._changed:
            if request.key in [build.request.key for build in self._builds]:
                return
            for queue in (self._queue, self._low_priority):
                queue[:] = [other for other in queue if other.key != request.key]
            queue = self._low_priority if low_priority else self._queue
            queue.append(request)
            del queue[:-MAX_QUEUED]
            if request.lane not in self._lanes:
                self._lanes.add(request.lane)
                name = f"builds-{request.lane}"
                threading.Thread(target=self._run, args=(request.lane,), name=name, daemon=True).start()

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
            for build in self._builds:
                build.is_cancelled = True

    def join(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds until no build is left. Return whether none is left."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._lanes, timeout)

    def _run(self, lane: str) -> None:
        with self._context():
            while (build := self._start_next(lane)) is not None:
                while self._may_continue(build) and build.advance():
                    pass
                with self._changed:
                    self._builds.remove(build)
                    self.ended += 1

    def _start_next(self, lane: str) -> Build | None:
        """Return the next build of a lane, the newest first, low priority last; None ends the thread."""
        with self._changed:
            for queue in (self._queue, self._low_priority):
                for request in reversed(queue):
                    if request.lane == lane:
                        queue.remove(request)
                        self._builds.append(Build(request))
                        return self._builds[-1]
            self._lanes.discard(lane)
            self._changed.notify_all()
            return None

    def _may_continue(self, build: Build) -> bool:
        """Cancel `build` if requested, or if it is large and load is high; return whether it may continue."""
        if build.is_cancelled or (build.request.large and not self._load.may_build_large()):
            build.cancel()
            return False
        return True


def finish(steps: Generator[Any, None, Result]) -> Result:
    """Run a build in this thread, however long it takes, and return its result."""
    return cast(Result, finish_within(steps, math.inf))


def finish_within(steps: Generator[Any, None, Result], seconds: float) -> Result | None:
    """Run a build in this thread and return its result, or None if it takes more than `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() <= until:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
    return None
