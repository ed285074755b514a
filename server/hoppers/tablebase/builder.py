"""Builds in the background, for whoever needs their results; progress can be read, builds stopped.

A build is a generator of progress, 0 to 1, in steps of a few milliseconds, that keeps its result itself.
"""

import contextlib
import logging
import math
import threading
import time
from collections.abc import Callable, Generator, Hashable
from typing import Any, NamedTuple, TypeVar, cast

from hoppers.runtime.metrics import TABLES_BUILT

log = logging.getLogger(__name__)

MOST_WAITING = 4
"""Builds kept waiting; the oldest wish is forgotten first, and comes back when somebody asks again."""
MOST_AT_ONCE = 6
"""Builds under way. None is begun beside one that is not heavy just then, or waits for something heavy."""

Result = TypeVar("Result")


class Wish(NamedTuple):
    """A build somebody asked for. `name` tells it from others."""

    name: Hashable
    build: Callable[[], Generator[float, None, Any]]
    heavy: bool = False
    """Whether it takes hundreds of megabytes for a while, or nobody waits for it: not for a crowd."""


class Run:
    """A wish under way."""

    def __init__(self, wish: Wish) -> None:
        """Nothing is built before its first step."""
        self.wish, self.progress = wish, 0.0
        self.is_heavy = wish.heavy
        """Whether it is, or has come to a part that is."""
        self._steps: Generator[float, None, Any] | None = None

    def go_on(self) -> bool:
        """One step more; returns whether there are others."""
        try:
            if self._steps is None:
                self._steps = self.wish.build()
            self.progress = next(self._steps)
        except StopIteration:
            TABLES_BUILT.inc()
            return False
        except Exception:
            log.exception("building %s failed", self.wish.name)
            return False
        return True

    def give_up(self) -> None:
        """Its next step is not made any more."""
        try:
            if self._steps is not None:
                self._steps.close()
        except Exception:
            log.exception("giving up %s failed", self.wish.name)


class Workshop:
    """Builds the newest wish first, in a thread that lives only while there is work.

    Beside what is heavy, and may take long, there is room for one wish that is not: they take turns. One that
    was heavy for a part goes on beside it. Of heavy wishes and parts of wishes only one goes on at a time.
    """

    def __init__(self) -> None:
        """Nothing is under way."""
        self._waiting: list[Wish] = []
        self._later: list[Wish] = []
        self._runs: list[Run] = []
        self._now: Run | None = None
        self._heavy: Run | None = None
        self._is_alive = self._stopping = False
        self._changed = threading.Condition()
        self.is_crowded: Callable[[], bool] = lambda: False
        """Whether heavy wishes are not granted, and given up under way; asked for again later they may be."""
        self.is_calm: Callable[[], bool] = lambda: True
        """Whether what takes a gigabyte may begin: not just after a start, when players come back."""
        self.grants_heavy = True
        """Whether they are granted at all: where somebody else has them made, nothing is made twice."""

    def ask(self, wish: Wish, later: bool = False) -> None:
        """Have it built, unless that is under way or waiting, or too heavy for the moment.

        `later`: after all that waits.
        """
        if wish.heavy and not self.has_room():
            return
        with self._changed:
            if wish.name in [other.name for other in self._wishes()]:
                return
            waiting = self._later if later else self._waiting
            waiting.append(wish)
            del waiting[:-MOST_WAITING]
            if not self._is_alive:
                self._is_alive = True
                self._begin_next()
                threading.Thread(target=self._work, name="table-builder", daemon=True).start()

    def has_room(self) -> bool:
        """Whether there is room for what is heavy."""
        return self.grants_heavy and not self.is_crowded()

    def progress(self, name: Hashable) -> float | None:
        """How far a build is, 0 to 1; 0 while it waits, None if nobody has asked for it or it has ended."""
        with self._changed:
            under_way = [run.progress for run in self._runs if run.wish.name == name]
            waits = name in [wish.name for wish in self._waiting + self._later]
            return under_way[0] if under_way else 0.0 if waits else None

    def stop(self) -> None:
        """Give up what is under way, within its next step, and all that wait."""
        with self._changed:
            self._waiting.clear()
            self._later.clear()
            self._stopping = bool(self._runs)

    def wait(self, seconds: float) -> bool:
        """Wait until nothing is under way; returns whether that came to pass."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_alive, seconds)

    def unless_crowded(self, steps: Generator[float, None, None]) -> Generator[float, None, None]:
        """Something heavy within a build, given up as soon as a crowd comes.

        It waits until nothing else that is heavy goes on; meanwhile there is room for a build that is not.
        """
        run = self._now
        if run is None or run.is_heavy:
            yield from self.while_there_is_room(steps)
            return
        run.is_heavy = True
        try:
            while self._heavy is not None:
                yield 0.0
            self._heavy = run
            yield from self.while_there_is_room(steps)
        finally:
            run.is_heavy = False
            self._let_go(run)

    def while_there_is_room(
        self, steps: Generator[float, None, Result]
    ) -> Generator[float, None, Result | None]:
        """A part of a build that may get heavy and holds nobody up, given up as soon as a crowd comes."""
        with contextlib.closing(steps):
            while self.has_room():
                try:
                    done = next(steps)
                except StopIteration as end:
                    return cast(Result, end.value)
                yield done
        return None

    def _let_go(self, run: Run) -> None:
        if self._heavy is run:
            self._heavy = None

    def _wishes(self) -> list[Wish]:
        return [*self._waiting, *self._later, *(run.wish for run in self._runs)]

    def _begin_next(self) -> None:
        """Take up the next wish, if there is room for it."""
        is_full = len(self._runs) >= MOST_AT_ONCE or not all(run.is_heavy for run in self._runs)
        if self._stopping or is_full:
            return
        for waiting in (self._waiting, self._later):
            for wish in reversed(waiting):
                if not (self._runs and wish.heavy):
                    waiting.remove(wish)
                    self._runs.append(Run(wish))
                    self._heavy = self._runs[0] if wish.heavy else self._heavy
                    return

    def _work(self) -> None:
        while runs := self._at_work():
            for run in runs:
                if not self._goes_on(run):
                    self._end(run)

    def _at_work(self) -> tuple[Run, ...]:
        """What has a step each now; with nothing left to do the thread ends."""
        with self._changed:
            self._begin_next()
            self._is_alive = bool(self._runs)
            self._changed.notify_all()
            return tuple(self._runs)

    def _goes_on(self, run: Run) -> bool:
        if self._stopping or (run.wish.heavy and not self.has_room()):
            run.give_up()
            return False
        self._now = run
        return run.go_on()

    def _end(self, run: Run) -> None:
        with self._changed:
            self._runs.remove(run)
            self._let_go(run)
            self._now = None
            self._stopping = self._stopping and bool(self._runs)


def finish(steps: Generator[Any, None, Result], seconds: float = math.inf) -> Result | None:
    """Run a build here and now; None if that takes longer."""
    until = time.monotonic() + seconds
    while time.monotonic() <= until:
        try:
            next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
    return None


WORKSHOP = Workshop()
"""The one of this process: heavy builds need much memory, so there is never more than one."""
