"""A scheduler that runs searches and builds in slices of 20 ms.

A task is a generator, so a slice can end between any two of its values; the compiled part of a search holds
no interpreter lock. States of a task: queued -> sharing (takes turns with other tasks) -> ended. A paused
task uses no time. A new task gets its first slice before all others, because most searches end within it.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

from hoppers.core.events import Events
from hoppers.runtime.process_tuning import use_idle_priority

log = logging.getLogger(__name__)

MAX_SHARING = 8  # searches that take turns at one thread; more would all be too slow to watch
SHARE_SECONDS = 2.0  # running time after which a search is queued again, if others are queued


class Task:
    """A search or a build that runs in slices: a generator with the state that a scheduler needs."""

    def __init__(self, id: str, steps: Events | Generator[Any, Any, Any], seconds: float = 0.0) -> None:
        """`id`: unique in the scheduler. `seconds`: running time before the first slice."""
        self.id, self.seconds = id, seconds
        self.ended = False
        """True: no further slice runs, and a running one stops at the next value, without a final event."""
        self.paused = False
        self._steps = steps

    def run_slice(self, seconds: float) -> None:
        """Run for `seconds`, or until the task ends or is paused; one thread at a time."""
        raise NotImplementedError

    def fail(self) -> None:
        """Report the exception that is being handled, with which a slice has ended."""
        raise NotImplementedError

    def report_queued(self, ahead: int) -> None:
        """Report that the task waits behind `ahead` others; by default, do nothing."""

    def close(self) -> None:
        """Close the generator of the task. Must not be called while a slice runs."""
        self._steps.close()


class SearchQueue:
    """The waiting tasks: those that take turns, and a queue of those that may not take turns yet.

    Not thread-safe: the scheduler holds its lock during each call.
    """

    def __init__(self, max_sharing: int) -> None:
        """`max_sharing`: number of tasks that may take turns."""
        self._max_sharing = max_sharing
        self._new: deque[Task] = deque()
        self._waiting: deque[Task] = deque()
        self._queue: deque[Task] = deque()
        self._shares: dict[Task, float] = {}
        """Running time at which each sharing task has used its share."""
        self._reported: dict[Task, int] = {}
        """Place in the queue that was last reported of each queued task."""

    def __bool__(self) -> bool:
        return bool(self._new or self._waiting)

    @property
    def queued(self) -> int:
        """Number of tasks in the queue, which do not take turns yet."""
        return len(self._queue)

    def begin(self, task: Task) -> None:
        """Schedule a task before all waiting tasks, for its first slice or for its end."""
        self._new.append(task)

    def next(self) -> Task:
        """Remove and return the task that gets the next slice; `requeue` puts the task back."""
        return (self._new or self._waiting).popleft()

    def requeue(self, task: Task) -> None:
        """Make a task wait for its next slice, or queue it if its share is used and others are queued."""
        if task in self._shares and (task.seconds < self._shares[task] or not self._queue):
            self._waiting.append(task)
        else:
            self.enter(task)

    def enter(self, task: Task) -> None:
        """Put a task at the end of the queue; the task takes turns as soon as a place is free."""
        self._shares.pop(task, None)
        self._queue.append(task)
        self._move_up()

    def withdraw(self, task: Task) -> bool:
        """Remove a task from all lists; return whether it was waiting. During a slice it is in no list."""
        waited = False
        for places in (self._new, self._waiting, self._queue):
            if task in places:
                places.remove(task)
                waited = True
        self._shares.pop(task, None)
        self._reported.pop(task, None)
        self._move_up()
        return waited

    def changed_places(self) -> list[tuple[Task, int]]:
        """Return the queued tasks whose place has changed since the last call, each with its new place."""
        changed = [
            (task, place) for place, task in enumerate(self._queue) if self._reported.get(task) != place
        ]
        self._reported.update(changed)
        return changed

    def _move_up(self) -> None:
        while self._queue and len(self._shares) < self._max_sharing:
            task = self._queue.popleft()
            self._reported.pop(task, None)
            self._shares[task] = task.seconds + SHARE_SECONDS
            self._waiting.append(task)


class Scheduler:
    """A scheduler: tasks by id, and the threads that run their slices."""

    def __init__(
        self,
        threads: int,
        context: Callable[[], AbstractContextManager[object]],
        after_end: Callable[[], None],
    ) -> None:
        """Start `threads` threads.

        `context`: returns what each thread enters, such as `Engine.compiling`. `after_end`: runs after the
        end of each task.
        """
        self._number, self._context, self._after_end = threads, context, after_end
        self._tasks: dict[str, Task] = {}
        self._queue = SearchQueue(threads * MAX_SHARING)
        self._paused: set[Task] = set()
        """Paused tasks that are not in a slice any more."""
        self._changed = threading.Condition()
        self._reporting, self._next_report = threading.Lock(), 0.0
        self._idle = self._closed = False
        self._threads: dict[bool, list[threading.Thread]] = {}
        self._start_threads(idle=False)

    def start(self, task: Task) -> None:
        """Add a task; a thread of the scheduler runs its first slice next."""
        with self._changed:
            self._tasks[task.id] = task
            self._queue.begin(task)
            self._changed.notify_all()

    def stop(self, task_id: str) -> None:
        """End a task, without an event, within its slice; an unknown id is ignored."""
        with self._changed:
            task = self._tasks.pop(task_id, None)
            if task is not None:
                task.ended = True
                if self._queue.withdraw(task) or task in self._paused:
                    self._paused.discard(task)
                    self._queue.begin(task)  # a thread of the scheduler closes it
                self._changed.notify_all()

    def pause(self, task_id: str) -> None:
        """Run no further slice of a task until `resume`; an unknown id is ignored."""
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None:
                task.paused = True
                if self._queue.withdraw(task):
                    self._paused.add(task)
                    self._changed.notify_all()

    def resume(self, task_id: str) -> None:
        """Queue a paused task again; an unknown id is ignored."""
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None:
                task.paused = False
                if task in self._paused:
                    self._paused.remove(task)
                    self._queue.enter(task)
                    self._changed.notify_all()

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
            queued = self._queue.queued
            return {"running": len(self._tasks) - paused - queued, "queued": queued, "paused": paused}

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

    def _run_slice(self, task: Task) -> None:
        try:
            task.run_slice(0.02)
        except Exception:
            self._fail(task)
        if task.ended:
            self._end(task)
        else:
            self._put_back(task)

    def _fail(self, task: Task) -> None:
        try:
            task.fail()
        except Exception:
            log.exception("the failure of %s could not be sent", task.id)
        task.ended = True

    def _next_task(self, idle: bool) -> Task | None:
        with self._changed:
            self._changed.wait_for(lambda: (self._queue and self._idle == idle) or self._closed)
            return None if self._closed else self._queue.next()

    def _put_back(self, task: Task) -> None:
        with self._changed:
            if task.ended:  # stopped since the slice
                self._queue.begin(task)
            elif task.paused:
                self._queue.withdraw(task)
                self._paused.add(task)
            else:
                self._queue.requeue(task)
            self._changed.notify_all()

    def _end(self, task: Task) -> None:
        with self._changed:
            if self._tasks.get(task.id) is task:
                del self._tasks[task.id]
            self._queue.withdraw(task)
            self._changed.notify_all()  # another may have moved up
        try:
            task.close()
        except Exception:
            log.exception("%s could not be closed", task.id)
        self._after_end()

    def _report_places(self) -> None:
        """Report changed places in the queue, at most every 0.2 s; no lock is held meanwhile."""
        if not self._reporting.acquire(blocking=False):
            return
        try:
            if time.monotonic() < self._next_report:
                return
            with self._changed:
                changed = self._queue.changed_places()
            for task, place in changed:
                try:
                    task.report_queued(place)
                except Exception:  # the next slice fails as well, which ends the task
                    log.exception("the place of %s in the queue could not be sent", task.id)
            if changed:
                self._next_report = time.monotonic() + 0.2
        finally:
            self._reporting.release()
