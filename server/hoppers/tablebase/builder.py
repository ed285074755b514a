"""Build tables in the background, a few milliseconds at a time.

A build is a generator that yields its progress, 0 to 1, every few milliseconds and stores its own result.
States of a build: queued -> running -> done, failed or cancelled. The newest request runs first, because its
player is still looking at the board. There are three lanes, each with a thread that runs one build at a time:
small builds, large builds, and lists of solutions, so that no list waits until a large table is built.
"""

import contextlib
import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar, cast

from hoppers.core.model import Progressing
from hoppers.runtime.event_counts import TABLES_BUILT

log = logging.getLogger(__name__)

MAX_QUEUED = 8  # builds per priority; the oldest is dropped, and a page that needs it requests it again

Result = TypeVar("Result")


class ProcessLost(RuntimeError):
    """The end of a build whose process has died, was closed, or cannot be started. It can run again."""


@dataclass(eq=False)
class Build:
    """A queued or running build. Builds with equal keys compute the same. Other fields: `Builder.submit`."""

    key: Hashable
    start: Callable[[], Progressing[object]]
    is_large: bool
    lane: str
    progress: float = 0.0  # 0 to 1
    is_cancelled: bool = False
    """Whether the build has to end at its next step. Its failures are then no longer logged."""


class Builder:
    """Queue of builds, with one thread for each lane that has a build. A thread ends with its last build."""

    def __init__(
        self,
        may_build_large: Callable[[], bool] = lambda: True,
        context: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
        accepts: bool = True,
    ) -> None:
        """`may_build_large`: returns whether large builds may run now.

        `context`: returns the context in which a thread may call kernels, such as `Engine.compiling`.

        `accepts`: False refuses every build, so that there is never a thread.
        """
        self._accepts = accepts
        self._may_build_large, self._context = may_build_large, context
        self.ended = 0  # number of builds that have ended
        self._queues: tuple[list[Build], list[Build]] = [], []  # normal and low priority
        self._running: list[Build] = []
        self._lanes: set[str] = set()  # those that have a running thread
        self._changed = threading.Condition()

    def submit(
        self,
        key: Hashable,
        start: Callable[[], Progressing[object]],
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
        with self._changed:
            if key in [build.key for build in self._running]:
                return
            for queue in self._queues:
                queue[:] = [other for other in queue if other.key != key]
            build = Build(key, start, large, lane or ("large" if large else "small"))
            normal, low = self._queues
            queue = low if low_priority else normal
            queue.append(build)
            del queue[:-MAX_QUEUED]
            if build.lane not in self._lanes:
                self._lanes.add(build.lane)
                name = f"builds-{build.lane}"
                threading.Thread(target=self._run, args=(build.lane,), name=name, daemon=True).start()

    def progress(self, key: Hashable) -> float | None:
        """Return the progress of a build from 0 (queued) to 1, or None if it is not queued or running."""
        with self._changed:
            builds = itertools.chain(self._running, *self._queues)
            return next((build.progress for build in builds if build.key == key), None)

    def cancel_all(self) -> None:
        """Drop all queued builds, and stop running builds at their next step."""
        with self._changed:
            for queue in self._queues:
                queue.clear()
            for build in self._running:
                build.is_cancelled = True

    def join(self, timeout: float) -> bool:
        """Wait up to `timeout` seconds until no build is left. Return whether none is left."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._lanes, timeout)

    def _run(self, lane: str) -> None:
        with self._context():
            while (build := self._start_next(lane)) is not None:
                self._build(build)
                with self._changed:
                    self._running.remove(build)
                    self.ended += 1

    def _start_next(self, lane: str) -> Build | None:
        """Return the next build of a lane, the newest first, low priority last; None ends the thread."""
        with self._changed:
            for queue in self._queues:
                for build in reversed(queue):
                    if build.lane == lane:
                        queue.remove(build)
                        self._running.append(build)
                        return build
            self._lanes.discard(lane)
            self._changed.notify_all()
            return None

    def _build(self, build: Build) -> None:
        """Run a build until it ends, fails or may not continue, and close it.

        A failure is logged unless the build has been cancelled, the loss of its process in one line.
        """
        try:
            with contextlib.closing(build.start()) as steps:
                while not build.is_cancelled and (not build.is_large or self._may_build_large()):
                    progress = next(steps, None)
                    if progress is None:
                        TABLES_BUILT.add()
                        return
                    build.progress = progress
        except ProcessLost as error:
            if not build.is_cancelled:
                log.warning("building %s ended early: %s", build.key, error)
        except Exception:
            if not build.is_cancelled:
                log.exception("building %s failed", build.key)


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
