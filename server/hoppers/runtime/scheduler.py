"""The scheduler of an engine: it runs searches and builds in slices of 20 ms, in turns of their clients.

A task is a generator, so a slice can end between any two of its values; the compiled part of a task holds
no interpreter lock. States of a task: new -> queued <-> sharing (takes turns with other tasks) -> ended. A
paused task gets no slice.

Nothing is refused: what cannot run yet waits, and knows how many tasks are ahead. All that is shared has
turns between clients, whatever the number of their tasks. Each slice goes to the client that had its last one
longest ago. Each place among the sharing tasks goes to the client that has fewest of them, if necessary from
the client that has most. Each new task has its first slice without a place, because most searches end within
it, and the first task of a client has a short share as well.

A task is parked when it has been paused for long, or when another one waits for its memory: its generator is
closed, and begun again when the task next has a slice. A search then goes on below its last row.

Threads start with the first task, and end once there has been none for a while.
"""

import contextlib
import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Hashable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from hoppers.runtime.memory_budget import MemoryBudget
from hoppers.runtime.process_tuning import use_low_priority

log = logging.getLogger(__name__)

MAX_SHARING = 8  # tasks that take turns in one thread; with more, each would be too slow to watch
SHARE_SECONDS = 2.0  # running time after which a task is queued again, if others are queued
FIRST_SHARE_SECONDS = 0.3  # the same for the first share of a client without a place
PARK_SECONDS = 60.0  # after which a paused task is parked
KEPT_CLIENTS = 1_000  # whose last turn is known, even if they have no task
LOOK_SECONDS = (
    0.5  # between two looks for tasks to park and for memory, and until a thread without tasks ends
)


Value = TypeVar("Value", covariant=True)


@dataclass(eq=False)
class Task(Generic[Value]):
    """A search or a build that runs in slices: a generator with the state that a scheduler needs."""

    id: Hashable
    """Unique in the scheduler."""
    begin: Callable[[], Generator[Value, None, object]]
    """Returns the generator, at the first slice and again after the task was parked."""
    client: str = ""
    """Name of the client for whom the task runs; '' for the program itself."""
    seconds: float = 0.0
    """Running time of the task so far, including that in earlier processes."""
    steps: Generator[Value, None, object] | None = field(default=None, init=False)
    """The generator; None before the first slice and while the task is parked."""
    ended: bool = field(default=False, init=False)
    """True once the task has ended or has to end: a running slice then stops at the next value."""
    paused_at: float | None = field(default=None, init=False)
    """Time of the pause (monotonic clock); None if the task is not paused."""
    is_new: bool = field(default=True, init=False)
    """True until the end of the first slice."""
    share_end: float | None = field(default=None, init=False)
    """Running time at which the task may have to queue again, in seconds; None if it takes no turns."""
    place: int | None = field(default=None, init=False)
    """Number of tasks ahead in the queue, as last reported; None if not reported."""
    needed: int = field(default=0, init=False)
    """Bytes that were taken from the task when it was parked, without which it does not begin again."""

    @property
    def paused(self) -> bool:
        """Whether the task gets no slice until `Scheduler.resume`."""
        return self.paused_at is not None

    @property
    def is_sharing(self) -> bool:
        """Whether the task takes turns with other tasks."""
        return self.share_end is not None

    def run_slice(self, seconds: float) -> None:
        """Run the task for `seconds`, or until it ends or is paused. Only one thread at a time calls this."""
        until = time.perf_counter() + seconds
        while not (self.ended or self.paused) and time.perf_counter() < until:
            self.step()

    def step(self) -> None:
        """Run the task to its next value, and set `ended` at its end."""
        raise NotImplementedError

    def next_value(self) -> Value | None:
        """Return the next value of the generator, or None at its end, and count the running time."""
        assert self.steps is not None
        began = time.perf_counter()
        value = next(self.steps, None)
        self.seconds += time.perf_counter() - began
        return value

    def fail(self) -> None:
        """Report the exception that is being handled, which has ended a slice."""
        raise NotImplementedError

    def report_queued(self, ahead: int) -> None:
        """Report that the task waits behind `ahead` others; by default, do nothing."""

    def on_end(self) -> None:
        """Take note that the task has ended and its generator is closed; by default, do nothing."""


class Scheduler:
    """Tasks by id, and the threads that run their slices."""

    def __init__(
        self,
        most_threads: int = 1,
        context: Callable[[], AbstractContextManager[object]] = contextlib.nullcontext,
        memory: MemoryBudget | None = None,
    ) -> None:
        """`context`: returns the context in which a thread runs, such as `Engine.compiling`.

        `memory`: budget of the tasks; without it, no task is parked for the memory of another.
        """
        self._most_threads, self._context, self._memory = most_threads, context, memory or MemoryBudget(0)
        self._tasks: dict[Hashable, Task[object]] = {}
        self._waiting: list[Task[object]] = []
        """Tasks that are not in a slice, in the order of their start, last slice or last `resume`.

        Ended tasks among them are closed next.
        """
        self._served: dict[str, float] = {}
        """Time of the last slice of each client (monotonic clock)."""
        self._changed = threading.Condition()
        self._next_report = 0.0
        self._closed = False
        self._threads: list[threading.Thread] = []

    def start(self, task: Task[object]) -> None:
        """Add a task, whose first slice runs in the next turn of its client."""
        with self._changed:
            self._tasks[task.id] = task
            self._waiting.append(task)
            if len(self._threads) < self._most_threads and not self._closed:
                self._threads.append(threading.Thread(target=self._work, name="scheduler", daemon=True))
                self._threads[-1].start()
            self._changed.notify_all()

    def stop(self, task_id: Hashable) -> None:
        """End a task without an event; a running slice stops at its next value. Ignore an unknown id."""
        with self._changed:
            task = self._tasks.pop(task_id, None)
            if task is not None:
                task.ended = True
                self._fill_places()

    def pause(self, task_id: Hashable) -> None:
        """Run no further slice of a task until `resume`; an unknown id is ignored."""
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None:
                task.paused_at, task.share_end, task.place = time.monotonic(), None, None
                self._fill_places()

    def resume(self, task_id: Hashable) -> None:
        """End the pause of a task, and put it behind all waiting tasks.

        An unknown id and a task that is not paused are ignored.
        """
        with self._changed:
            task = self._tasks.get(task_id)
            if task is not None and task.paused:
                task.paused_at = None
                if task in self._waiting:
                    self._waiting.remove(task)
                    self._waiting.append(task)
                self._fill_places()

    def counts(self, ids: Iterable[Hashable]) -> dict[str, int]:
        """Return how many of the tasks `ids` are running, queued and paused."""
        with self._changed:
            tasks = [self._tasks[id] for id in ids if id in self._tasks]
            paused = sum(task.paused for task in tasks)
            queued = len({task.id for task in tasks} & {task.id for task in self._queued()})
            return {"running": len(tasks) - paused - queued, "queued": queued, "paused": paused}

    def close(self) -> None:
        """End the threads, each after its current slice; wait at most a second for each."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for thread in list(self._threads):
            thread.join(timeout=1)

    def _work(self) -> None:
        use_low_priority()
        with self._context():
            while (task := self._next_task()) is not None:
                self._run_slice(task)
                del task  # else a waiting thread would keep the memory of an ended search
                self._report_places()

    def _run_slice(self, task: Task[object]) -> None:
        """Run a slice of a task; if the task has ended or was paused, close or park it."""
        try:
            if not (task.ended or task.paused):
                with self._memory.used_by(task.id):
                    task.steps = task.steps or task.begin()
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

    def _next_task(self) -> Task[object] | None:
        """Remove the next task from `_waiting` and return it; None after `close`, or long without a task.

        Wait until there is such a task. Meanwhile, park tasks.
        """
        is_idle = False
        while True:
            with self._changed:
                if self._closed or (is_idle and not self._tasks):
                    self._threads.remove(threading.current_thread())
                    return None
                parking = self._to_park()
                task = parking or self._first()
                if task is None:
                    is_idle = not self._changed.wait(LOOK_SECONDS)
                    if is_idle:
                        self._fill_places()
                    continue
                self._waiting.remove(task)
                if parking is None:
                    self._served[task.client] = time.monotonic()
            if parking is None:
                return task
            self._park(task)
            del task, parking  # else a waiting thread would keep the memory of an ended search

    def _first(self) -> Task[object] | None:
        """Return the first task that has ended; else the next one of the client whose turn is next.

        Of the tasks of a client a new one comes first. Return None if no task may have a slice. The caller
        holds `_changed`.
        """
        of_clients: dict[str, Task[object]] = {}
        for task in self._waiting:
            if task.ended:
                return task
            if task.is_sharing or (task.is_new and not task.paused):
                first = of_clients.setdefault(task.client, task)
                if task.is_new and not first.is_new:
                    of_clients[task.client] = task
        return min(of_clients.values(), key=lambda task: self._served.get(task.client, 0.0), default=None)

    def _to_park(self) -> Task[object] | None:
        """Return a task that has to be parked now, if there is one. The caller holds `_changed`.

        If memory is wanted, paused tasks are parked first, then the newest task of the client that holds more
        than an equal share.
        """
        begun = [task for task in self._waiting if task.steps is not None and not task.ended]
        left, held = self._memory.left, self._memory.held
        wanted = [id for id, bytes in list(self._memory.wanted.items()) if bytes > left]
        latest = time.monotonic() - PARK_SECONDS
        for task in begun:
            if task.paused_at is not None and (task.paused_at <= latest or (wanted and held[task.id])):
                return task
        for asking in (self._tasks[id] for id in wanted if id in self._tasks):
            client = self._above_share(asking.client)
            theirs = [task for task in begun if task.client == client and held[task.id]]
            if theirs:
                order = list(self._tasks)
                return max(theirs, key=lambda task: order.index(task.id))
        return None

    def _above_share(self, asking: str) -> str | None:
        """Return the client that holds more than an equal share of the memory and most of it, if any.

        `asking`: client that wants more. The caller holds `_changed`.
        """
        held = Counter({asking: 0})
        for task in self._tasks.values():
            held[task.client] += self._memory.held[task.id]
        clients = sum(bytes > 0 or client == asking for client, bytes in held.items())
        most = max(held, key=held.__getitem__)
        return most if most != asking and held[most] * clients > self._memory.size else None

    def _park(self, task: Task[object]) -> None:
        """Close the generator of a task, which is in no slice, and put the task back."""
        memory = self._memory
        task.needed, task.share_end = min(memory.held[task.id], memory.size // 2), None
        self._close_steps(task)
        self._put_back(task)

    def _queued(self) -> list[Task[object]]:
        """Return the tasks that wait until they may take turns, in the order in which they get a place.

        A task comes behind those of other clients with fewer tasks before it. The caller holds `_changed`.
        """
        before = Counter(task.client for task in self._tasks.values() if task.is_sharing)
        ranks = list[tuple[int, Task[object]]]()
        for task in self._waiting:
            if not (task.is_sharing or task.is_new or task.paused or task.ended):
                ranks.append((before[task.client], task))
                before[task.client] += 1
        return [task for _, task in sorted(ranks, key=lambda ranked: ranked[0])]

    def _put_back(self, task: Task[object]) -> None:
        """Put a task into `_waiting`; if its share is used, it needs a place again."""
        with self._changed:
            if task.share_end is not None and task.seconds >= task.share_end:
                task.share_end = None
            was_new, task.is_new = task.is_new, False
            self._waiting.append(task)
            self._fill_places()
            if was_new and not (task.paused or self._has_place(task.client)):
                task.share_end = task.seconds + FIRST_SHARE_SECONDS

    def _has_place(self, client: str) -> bool:
        return any(task.is_sharing and task.client == client for task in self._tasks.values())

    def _fill_places(self) -> None:
        """Let queued tasks take turns as far as there are places and memory, and wake the threads.

        The caller holds `_changed`.
        """
        places = Counter(task.client for task in self._tasks.values() if task.is_sharing)
        for task in self._queued():
            if task.needed and (self._memory.wanted or self._memory.left < task.needed):
                continue
            if places.total() >= self._most_threads * MAX_SHARING and not self._take_place(
                places, task.client
            ):
                break
            task.share_end, task.place, task.needed = task.seconds + SHARE_SECONDS, None, 0
            places[task.client] += 1
        self._changed.notify_all()

    def _take_place(self, places: Counter[str], client: str) -> bool:
        """Queue a task of the client with most places again if `client` has at least two fewer.

        Return whether that made a place. `places`: number of places by client. The caller holds `_changed`.
        """
        most = max(places, key=places.__getitem__)
        if places[most] < places[client] + 2:
            return False
        newest = [task for task in self._tasks.values() if task.is_sharing and task.client == most][-1]
        newest.share_end = None
        places[most] -= 1
        return True

    def _end(self, task: Task[object]) -> None:
        with self._changed:
            if self._tasks.get(task.id) is task:
                del self._tasks[task.id]
            if len(self._served) > KEPT_CLIENTS:
                present = {other.client for other in self._tasks.values()}
                self._served = {client: at for client, at in self._served.items() if client in present}
            self._fill_places()
        self._close_steps(task)
        task.on_end()

    def _close_steps(self, task: Task[object]) -> None:
        """Close the generator of a task, no slice of which runs any more."""
        steps, task.steps = task.steps, None
        try:
            if steps is not None:
                steps.close()
        except Exception:
            log.exception("%s could not be closed", task.id)
        del steps

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
