"""A scheduler that runs searches and builds of tables in slices of 20 ms.

A task is a generator, so a slice can end between any two of its values; the compiled part of a search holds
no interpreter lock. States of a task: new -> queued <-> sharing (takes turns with other tasks) -> ended. A
paused task gets no slice. A new task gets its first slice before all others, because most searches end
within one slice.
"""

import logging
import math
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hoppers.runtime.process_tuning import use_idle_priority

log = logging.getLogger(__name__)

MAX_SHARING = 8  # tasks that take turns in one thread; with more, each would be too slow to watch
SHARE_SECONDS = 2.0  # running time after which a task is queued again, if others are queued


Value = TypeVar("Value", covariant=True)


@dataclass(eq=False)
class Task(Generic[Value]):
    """A search or a build that runs in slices: a generator with the state that a scheduler needs."""

    id: str
    """Unique in the scheduler."""
    steps: Generator[Value, None, object]
    seconds: float = 0.0
    """Running time of the task so far, including that in earlier processes."""
    ended: bool = field(default=False, init=False)
    """True once the task has ended or has to end: a running slice then stops at the next value."""
    paused: bool = field(default=False, init=False)
    is_new: bool = field(default=True, init=False)
    """True until the end of the first slice."""
    share_end: float | None = field(default=None, init=False)
    """Running time at which the task may have to queue again, in seconds; None if it takes no turns."""
    place: int | None = field(default=None, init=False)
    """Number of tasks ahead in the queue, as last reported; None if not reported."""

    def run_slice(self, seconds: float) -> None:
        """Run the task for `seconds`, or until it ends or is paused. Only one thread at a time calls this.

        The method adds the running time to `self.seconds`, and sets `self.ended` at the end of the task.
        """
        raise NotImplementedError

    def fail(self) -> None:
        """Report the exception that is being handled, which has ended a slice."""
        raise NotImplementedError

    def report_queued(self, ahead: int) -> None:
        """Report that the task waits behind `ahead` others; by default, do nothing."""


class Scheduler:
    """Tasks by id, and the threads that run their slices."""

    def __init__(
        self,
        threads: int,
        context: Callable[[], AbstractContextManager[object]],
        after_end: Callable[[], None],
        before_slice: Callable[[], object] = lambda: None,
    ) -> None:
        """Start `threads` threads.

        `context`: returns the context in which a thread runs, such as `Engine.compiling`. `after_end`: called
        after the end of each task. `before_slice`: called before each slice; it may wait.
        """
        self._number, self._context, self._after_end = threads, context, after_end
        self._before_slice = before_slice
        self._max_sharing = threads * MAX_SHARING
        self._tasks: dict[str, Task[object]] = {}
        self._waiting: list[Task[object]] = []
        """Tasks that are not in a slice, in the order of their start, last slice or last `resume`.

        Ended tasks among them are closed next.
        """
        self._changed = threading.Condition()
        self._next_report = 0.0
        self._idle = self._closed = False
        self._threads: dict[bool, list[threading.Thread]] = {}
        self._start_threads(idle=False)

    def start(self, task: Task[object]) -> None:
        """Add a task, whose first slice runs next, after those of other new tasks."""
        with self._changed:
            self._tasks[task.id] = task
            self._waiting.append(task)
            self._changed.notify_all()

    def stop(self, task_id: str) -> None:
        """End a task without an event; a running slice stops at its next value. Ignore an unknown id."""
        with self._changed:
            task = self._tasks.pop(task_id, None)
            if task is not None:
                task.ended = True
                self._fill_places()

    def pause(self, task_id: str) -> None:
        """Run no further slice of a task until `resume`; an unknown id is ignored."""
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None:
                task.paused, task.share_end, task.place = True, None, None
                self._fill_places()

    def resume(self, task_id: str) -> None:
        """End the pause of a task, and put it behind all waiting tasks.

        An unknown id and a task that is not paused are ignored.
        """
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None and task.paused:
                task.paused = False
                if task in self._waiting:
                    self._waiting.remove(task)
                    self._waiting.append(task)
                self._fill_places()

    def set_idle(self, idle: bool) -> None:
        """Run all further slices in threads of idle priority, or in threads of normal priority.

        Each priority has its own threads, because an unprivileged user cannot raise a thread's priority.
        """
        with self._changed:
            self._idle = idle
            if idle not in self._threads:
                self._start_threads(idle)
            self._changed.notify_all()

    def counts(self) -> dict[str, int]:
        """Return the numbers of running, queued and paused tasks."""
        with self._changed:
            paused = sum(task.paused for task in self._tasks.values())
            queued = len(self._queued())
            return {"running": len(self._tasks) - paused - queued, "queued": queued, "paused": paused}

    def wait_for_short_tasks(self, seconds: float) -> bool:
        """Wait up to `seconds` until no task is short; return whether no task is short.

        A task is short if it is not paused and has not run for `SHARE_SECONDS` yet.
        """

        def is_none_short() -> bool:
            return all(task.paused or task.seconds >= SHARE_SECONDS for task in self._tasks.values())

        with self._changed:
            return self._changed.wait_for(is_none_short, seconds)

    def close(self) -> None:
        """End the threads, each after its current slice; wait at most a second for each."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for threads in self._threads.values():
            for thread in threads:
                thread.join(timeout=1)

    def _start_threads(self, idle: bool) -> None:
        self._threads[idle] = [
            threading.Thread(target=self._work, args=(idle,), name=f"scheduler-{number}", daemon=True)
            for number in range(self._number)
        ]
        for thread in self._threads[idle]:
            thread.start()

    def _work(self, idle: bool) -> None:
        if idle:
            use_idle_priority()
        with self._context():
            while (task := self._next_task(idle)) is not None:
                self._run_slice(task)
                del task  # else a waiting thread would keep the memory of an ended search
                self._report_places()

    def _run_slice(self, task: Task[object]) -> None:
        try:
            self._before_slice()
            task.run_slice(0.02)
        except Exception:
            self._fail(task)
        if task.ended:
            self._end(task)
        else:
            self._put_back(task)

    def _fail(self, task: Task[object]) -> None:
        try:
            task.fail()
        except Exception:
            log.exception("the failure of %s could not be sent", task.id)
        task.ended = True

    def _next_task(self, idle: bool) -> Task[object] | None:
        """Remove the next task from `_waiting` and return it; None after `close`.

        Wait until there is such a task and the threads of the priority `idle` are in use.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._idle == idle and self._first()))
            task = None if self._closed else self._first()
            if task is not None:
                self._waiting.remove(task)
            return task

    def _first(self) -> Task[object] | None:
        """Return the first task that has ended, or is new and not paused; else the first that takes turns.

        Return None if no such task waits. The caller holds `_changed`.
        """
        urgent = [task for task in self._waiting if task.ended or (task.is_new and not task.paused)]
        sharing = (task for task in self._waiting if task.share_end is not None)
        return urgent[0] if urgent else next(sharing, None)

    def _queued(self) -> list[Task[object]]:
        """Return the tasks that wait until they may take turns. The caller holds `_changed`."""
        return [
            task
            for task in self._waiting
            if task.share_end is None and not (task.is_new or task.paused or task.ended)
        ]

    def _put_back(self, task: Task[object]) -> None:
        """Put a task into `_waiting`; queue it again if its share is used and other tasks are queued."""
        with self._changed:
            if task.share_end is not None and task.seconds >= task.share_end and self._queued():
                task.share_end = None
            task.is_new = False
            self._waiting.append(task)
            self._fill_places()

    def _fill_places(self) -> None:
        """Let queued tasks take turns while fewer than `_max_sharing` do, and wake the threads.

        The caller holds `_changed`.
        """
        sharing = sum(task.share_end is not None for task in self._tasks.values())
        for task in self._queued()[: max(0, self._max_sharing - sharing)]:
            task.share_end, task.place = task.seconds + SHARE_SECONDS, None
        self._changed.notify_all()

    def _end(self, task: Task[object]) -> None:
        with self._changed:
            if self._tasks.get(task.id) is task:
                del self._tasks[task.id]
            self._fill_places()
        try:
            task.steps.close()  # no slice of the task runs any more
        except Exception:
            log.exception("%s could not be closed", task.id)
        self._after_end()

    def _report_places(self) -> None:
        """Report changed places in the queue, at most every 0.2 s; do not hold `_changed` during a report."""
        with self._changed:
            if time.monotonic() < self._next_report:
                return
            changed = [(place, task) for place, task in enumerate(self._queued()) if task.place != place]
            if changed:
                self._next_report = math.inf  # meanwhile no other thread reports
            for place, task in changed:
                task.place = place
        for place, task in changed:
            try:
                task.report_queued(place)
            except Exception:  # the next slice fails as well, which ends the task
                log.exception("the place of %s in the queue could not be sent", task.id)
        if changed:
            self._next_report = time.monotonic() + 0.2
