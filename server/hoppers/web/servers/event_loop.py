"""The event loop that serves all connections, and the threads that work for it.

gevent runs the loop in one thread. Nothing is monkey-patched: threads, locks, pipes and Redis clients
elsewhere block as usual, so code in the loop must not use them. The loop hands work that may block to real
threads (`EventLoop.run`); other threads hand calls to the loop (`EventLoop.post`).
"""

import contextvars
import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import gevent
from gevent.event import AsyncResult

from hoppers.runtime.clients import ClientAddress
from hoppers.web.servers.turns import Turns

log = logging.getLogger(__name__)


class QueueLimits(NamedTuple):
    """Limits of a queue of work for real threads."""

    threads: int
    running: int  # most calls at the same time of a client that is alone; of others, one call runs
    waiting: int  # calls of one client that may wait; a call beyond them is refused
    waiting_in_all: int


REQUESTS = QueueLimits(threads=3, running=2, waiting=100, waiting_in_all=2_000)
"""The queue of pages and verdicts. At least one thread is always left for other clients.

The threads share the interpreter lock with the loop. With a thousand players, 99 % of hints took at most 0.7
to 1.0 s with four threads, 0.2 to 0.3 s with three or two.
"""
MESSAGES = QueueLimits(threads=4, running=3, waiting=10_000, waiting_in_all=10_000)
"""The queue of Socket.IO messages and health checks, which never wait for slow requests.

At most one message of each connection waits, and the end of each connection.
"""
PICTURES = QueueLimits(threads=1, running=1, waiting=4, waiting_in_all=40)
"""The queue of pictures, which take up to a second each (see `drawing.png`)."""
TRACES = QueueLimits(threads=1, running=1, waiting=20, waiting_in_all=200)
"""The queue of pages of traces: the first of a trace runs the search, for up to three seconds."""
OWN = ClientAddress((("the program", 1),))
"""Stands in all queues for the program itself, for work that no client has asked for."""
WAKING_SECONDS = 3_600.0  # between two times at which a loop with nothing to do wakes
ENDING_SECONDS = 1.0  # longest wait of `EventLoop.detach` for threads

Result = TypeVar("Result")
Call = tuple[AsyncResult, Callable[..., object], tuple[object, ...]]


class WorkQueue:
    """Queue of calls for real threads, in turns of the clients. Created and used in the loop's thread.

    Threads take calls from the queue themselves. If the loop assigned the calls, a thread would wait for the
    loop after each call, some 15 ms with a thousand players.
    """

    def __init__(self, limits: QueueLimits) -> None:
        self._turns: Turns[Call] = Turns(limits.running, limits.waiting, limits.waiting_in_all)
        self._loop = gevent.get_hub().loop
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(limits.threads)]
        for thread in self._threads:
            thread.start()

    def put(self, client: ClientAddress, work: Callable[..., object], *arguments: object) -> AsyncResult:
        """Queue a call for `client`, and return an object to wait for its result or exception.

        Raise Full if too many calls wait.
        """
        result = AsyncResult()
        self._turns.add(client, (result, work, arguments))
        return result

    def is_full(self, client: ClientAddress) -> bool:
        """Return whether `put` would raise Full."""
        return self._turns.is_full(client)

    def kill(self) -> None:
        """Drop waiting calls, and wait until the threads have ended. The queue is unusable afterwards.

        The results of dropped calls never arrive.
        """
        self._turns.close()
        while any(thread.is_alive() for thread in self._threads):
            gevent.sleep(0.005)

    def _work(self) -> None:
        while (turn := self._turns.take()) is not None:
            client, (result, work, arguments) = turn
            try:
                finish = partial(result.set, work(*arguments))
            except Exception as error:  # of any kind: the thread must survive it
                finish = partial(result.set_exception, error)
            self._turns.end(client)
            self._loop.run_callback_threadsafe(finish)
            del turn, result, work, arguments, finish  # else a waiting thread would keep their memory


class EventLoop:
    """The event loop of one application. While not attached, `run` calls directly and `post` drops calls."""

    def __init__(self) -> None:
        self._thread: int | None = None
        self._hub: Any = None
        self._waking: Any = None
        self._lock = threading.Lock()  # guards `_hub`: a loop that has ended must not be woken

    def attach(self) -> None:
        """Make the current thread the thread of the loop, and start the threads for blocking work."""
        self._queues = {limits: WorkQueue(limits) for limits in (REQUESTS, MESSAGES, PICTURES, TRACES)}
        self._thread = threading.get_ident()
        # The loop ends if it waits for nothing, and calls from threads do not count: as many connections as
        # can be, all waiting for threads, would end the server.
        self._waking = gevent.get_hub().loop.timer(WAKING_SECONDS, WAKING_SECONDS)
        self._waking.start(bool)
        with self._lock:
            self._hub = gevent.get_hub()

    def detach(self) -> None:
        """Drop all further calls of `post`, and end the threads. Call this in the thread that has attached.

        Wait up to `ENDING_SECONDS` for the threads; destroy the loop only if all have ended.
        """
        with self._lock:
            hub, self._hub, self._thread = self._hub, None, None
        self._waking.close()
        is_idle = False
        with gevent.Timeout(ENDING_SECONDS, False):
            for queue in self._queues.values():
                queue.kill()
            is_idle = True
        if is_idle:
            hub.destroy(destroy_loop=True)

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in the loop's thread."""
        return threading.get_ident() == self._thread

    def run(
        self,
        client: ClientAddress,
        work: Callable[..., Result],
        *arguments: object,
        queue: QueueLimits = REQUESTS,
    ) -> Result:
        """Call `work` and return its result, or raise its exception.

        In the loop's thread, `work` runs in a real thread of a queue, in the turn of `client`, with the
        context variables of the caller, while the loop serves other connections; Full is raised at once if
        too many calls wait. In any other thread, `work` is called directly.
        """
        if not self.is_current:
            return work(*arguments)
        done = self._queues[queue].put(client, contextvars.copy_context().run, work, *arguments)
        done.wait()
        if done.exception is not None:  # `done.get` would raise it without the traceback of the thread
            raise done.exception
        return cast(Result, done.value)

    def is_full(self, client: ClientAddress, queue: QueueLimits) -> bool:
        """Return whether `run` would raise Full; False outside the loop's thread."""
        return self.is_current and self._queues[queue].is_full(client)

    def start(self, work: Callable[..., object], *arguments: object) -> None:
        """Start work in a real thread for messages without waiting; outside the loop, call it directly.

        In a real thread, an exception is only logged.
        """
        if not self.is_current:
            work(*arguments)
        else:
            self._queues[MESSAGES].put(OWN, _logged, work, *arguments)

    def post(self, call: Callable[..., object], *arguments: object) -> None:
        """Queue a call for the loop's thread, in which it must not wait; callable from any thread.

        Calls run in the order of posting. Their exceptions are logged; a call that tries to wait raises one.
        """
        with self._lock:
            if self._hub is not None:
                self._hub.loop.run_callback_threadsafe(_logged, call, *arguments)


def _logged(work: Callable[..., object], *arguments: object) -> None:
    try:
        work(*arguments)
    except Exception:  # of any kind: later calls must still be made
        log.exception("a call that nothing waits for failed")
