"""Build tables in the background, as tasks of the engine's scheduler.

A build is a generator that yields its progress, 0 to 1, every few milliseconds and stores its own result.
States of a build: queued -> running -> done, failed or cancelled. The newest request runs first, because its
player is still looking at the board. There are three lanes, each of which runs one build at a time: small
builds, large builds, and lists of solutions, so that no list waits until a large table is built. In the
scheduler, a lane has turns like a client.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable
from typing import TypeVar, cast

from hoppers.runtime.event_counts import TABLES_BUILT
from hoppers.runtime.scheduler import Scheduler, Task

log = logging.getLogger(__name__)

MAX_QUEUED = 8  # builds per priority; the oldest is dropped, and a page that needs it requests it again

Result = TypeVar("Result")


class Build(Task[float]):
    """A queued or running build, whose id is its key. Builds with equal keys compute the same."""

    def __init__(
        self,
        key: Hashable,
        start: Callable[[], Generator[float, None, object]],
        lane: str,
        may_continue: Callable[[], bool],
        builder: "Builder",
    ) -> None:
        """`start`, `lane`: see `Builder.submit`. `may_continue`: asked before each step."""
        super().__init__(key, start, lane)
        self._may_continue, self._builder = may_continue, builder
        self.progress = 0.0  # 0 to 1

    def step(self) -> None:
        """Run the build to its next progress."""
        if not self._may_continue():
            self.ended = True
        elif (progress := self.next_value()) is not None:
            self.progress = progress
        else:
            self.ended = True
            TABLES_BUILT.add()

    def fail(self) -> None:
        """Log the failure, unless the build has been cancelled."""
        if not self.ended:
            log.exception("building %s failed", self.id)

    def on_end(self) -> None:
        """Let the next build of the lane begin."""
        self._builder.end(self)


class Builder:
    """Queue of builds, of which one in each lane is a task of the scheduler."""

    def __init__(
        self,
        scheduler: Scheduler,
        may_build_large: Callable[[], bool] = lambda: True,
        accepts: bool = True,
    ) -> None:
        """`may_build_large`: returns whether large builds may run now.

        `accepts`: False refuses every build, so that there is never a thread.
        """
        self._scheduler, self._may_build_large, self._accepts = scheduler, may_build_large, accepts
        self.ended = 0  # number of builds that have ended
        self._queues: tuple[list[Build], list[Build]] = [], []  # normal and low priority
        self._running: dict[str, Build] = {}
        """The running build of each lane that has one."""
        self._changed = threading.Condition(threading.RLock())

    def submit(
        self,
        key: Hashable,
        start: Callable[[], Generator[float, None, object]],
        *,
        large: bool = False,
        lane: str = "",
        low_priority: bool = False,
    ) -> None:
        """Queue a build as the newest, unless it is running already, or is large and may not run now.

        A queued build with an equal key is replaced. Beyond `MAX_QUEUED` of one priority, the oldest build is
        dropped.

        Args:
            key: equal for equal builds.
            start: begins the build.
            large: the build takes hundreds of megabytes or can wait, so it needs `may_build_large`.
            lane: name of the build's lane; by default there is one for small and one for large builds.
            low_priority: queued builds of the lane with normal priority run first.
        """
        if not self._accepts or (large and not self._may_build_large()):
            return
        may_continue = self._may_build_large if large else lambda: True
        build = Build(key, start, lane or ("large" if large else "small"), may_continue, self)
        with self._changed:
            if key in [other.id for other in self._running.values()]:
                return
            for queue in self._queues:
                queue[:] = [other for other in queue if other.id != key]
            queue = self._queues[low_priority]
            queue.append(build)
            del queue[:-MAX_QUEUED]
            self._start_next(build.client)

    def progress(self, key: Hashable) -> float | None:
        """Return the progress of a build from 0 (queued) to 1, or None if it is not queued or running."""
        with self._changed:
            normal, low = self._queues
            builds = [*self._running.values(), *normal, *low]
            return next((build.progress for build in builds if build.id == key), None)

    def cancel_all(self) -> None:
        """Drop all queued builds, and stop running builds at their next step."""
        with self._changed:
            for queue in self._queues:
                queue.clear()
            for build in self._running.values():
                self._scheduler.stop(build.id)

    def join(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds until no build is left. Return whether none is left."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, timeout)

    def _start_next(self, lane: str) -> None:
        """Start the next build of a lane without a running one: the newest first, low priority last.

        The caller holds `_changed`.
        """
        normal, low = self._queues
        build = next((build for build in [*normal[::-1], *low[::-1]] if build.client == lane), None)
        if build is not None and lane not in self._running:
            (normal if build in normal else low).remove(build)
            self._running[lane] = build
            self._scheduler.start(build)

    def end(self, build: Build) -> None:
        """Count a build that has ended, and start the next one of its lane."""
        with self._changed:
            del self._running[build.client]
            self.ended += 1
            self._start_next(build.client)
            self._changed.notify_all()


def finish(steps: Generator[object, None, Result]) -> Result:
    """Run a build in this thread, however long it takes, and return its result."""
    return cast(Result, finish_within(steps, math.inf))


def finish_within(steps: Generator[object, None, Result], seconds: float) -> Result | None:
    """Run a build in this thread and return its result, or None if it takes more than `seconds`."""
    until = time.monotonic() + seconds
    while time.monotonic() <= until:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
    return None
