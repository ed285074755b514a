"""The event loop that serves all connections, and the threads that work for it.

gevent runs the loop in one thread. Nothing is monkey-patched: threads, locks, pipes and Redis clients
elsewhere block as usual, so code in the loop must not use them. The loop hands work that may block to real
threads (`EventLoop.run`); other threads hand calls to the loop (`EventLoop.post`).
"""

import contextvars
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

import gevent
from gevent.event import AsyncResult

log = logging.getLogger(__name__)

REQUEST_THREADS = 3
"""Threads for pages and verdicts. They share the interpreter lock with the loop. With a thousand players,
99 % of hints took at most 0.7 to 1.0 s with four threads, 0.2 to 0.3 s with three or two."""
MESSAGE_THREADS = 4  # for Socket.IO messages and health checks, which never wait for slow requests
ENDING_SECONDS = 1.0  # longest wait of `EventLoop.detach` for threads

Result = TypeVar("Result")


class WorkQueue:
    """Queue of calls for real threads, in order of arrival. Created and used in the loop's thread.

    Threads take calls from the queue themselves. If the loop assigned the calls, a thread would wait for the
    loop after each call, some 15 ms with a thousand players.
    """

    def __init__(self, threads: int) -> None:
        self._waiting: SimpleQueue[tuple[AsyncResult, Callable[..., object], tuple[Any, ...]] | None]
        self._waiting, self._loop = SimpleQueue(), gevent.get_hub().loop
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads)]
        for thread in self._threads:
            thread.start()

    def put(self, work: Callable[..., object], *arguments: Any) -> AsyncResult:
        """Queue a call, and return an object to wait for its result or exception."""
        result = AsyncResult()
        self._waiting.put((result, work, arguments))
        return result

    def kill(self) -> None:
        """Drop waiting calls, and wait until the threads have ended. The queue is unusable afterwards.

        The results of dropped calls never arrive.
        """
        with suppress(Empty):
            while True:
                self._waiting.get_nowait()
        for _ in self._threads:
            self._waiting.put(None)
        while any(thread.is_alive() for thread in self._threads):
            gevent.sleep(0.005)

    def _work(self) -> None:
        while (item := self._waiting.get()) is not None:
            result, work, arguments = item
            try:
                finish = partial(result.set, work(*arguments))
            except Exception as error:  # of any kind: the thread must survive it
                finish = partial(result.set_exception, error)
            self._loop.run_callback_threadsafe(finish)


class EventLoop:
    """The event loop of one application. While not attached, `run` calls directly and `post` drops calls."""

    def __init__(self) -> None:
        self._thread: int | None = None
        self._hub: Any = None
        self._lock = threading.Lock()  # guards `_hub`: a loop that has ended must not be woken

    def attach(self) -> None:
        """Make the current thread the thread of the loop, and start the threads for blocking work."""
        self._requests, self._messages = WorkQueue(REQUEST_THREADS), WorkQueue(MESSAGE_THREADS)
        self._thread = threading.get_ident()
        with self._lock:
            self._hub = gevent.get_hub()

    def detach(self) -> None:
        """Drop all further calls of `post`, and end the threads. Call this in the thread that has attached.

        Wait up to `ENDING_SECONDS` for the threads; destroy the loop only if all have ended.
        """
        with self._lock:
            hub, self._hub, self._thread = self._hub, None, None
        is_idle = False
        with gevent.Timeout(ENDING_SECONDS, False):
            for queue in (self._requests, self._messages):
                queue.kill()
            is_idle = True
        if is_idle:
            hub.destroy(destroy_loop=True)

    def run(self, work: Callable[..., Result], *arguments: Any, urgent: bool = False) -> Result:
        """Call `work` and return its result, or raise its exception.

        In the loop's thread, `work` runs in a real thread, with the context variables of the caller, while
        the loop serves other connections. `urgent` work has separate threads. In any other thread, `work` is
        called directly.
        """
        if threading.get_ident() != self._thread:
            return work(*arguments)
        queue = self._messages if urgent else self._requests
        done = queue.put(contextvars.copy_context().run, work, *arguments)
        done.wait()
        if done.exception is not None:  # `done.get` would raise it without the traceback of the thread
            raise done.exception
        return cast(Result, done.value)

    def start(self, work: Callable[..., object], *arguments: Any) -> None:
        """Start urgent work in a real thread without waiting; outside the loop's thread, call it directly.

        In a real thread, an exception is only logged.
        """
        if threading.get_ident() != self._thread:
            work(*arguments)
        else:
            self._messages.put(_logged, work, *arguments)

    def post(self, call: Callable[..., object], *arguments: Any) -> None:
        """Queue a call for the loop's thread, in which it must not wait; callable from any thread.

        Calls run in the order of posting. Their exceptions are logged; a call that tries to wait raises one.
        """
        with self._lock:
            if self._hub is not None:
                self._hub.loop.run_callback_threadsafe(_logged, call, *arguments)


def _logged(work: Callable[..., object], *arguments: Any) -> None:
    try:
        work(*arguments)
    except Exception:  # of any kind: later calls must still be made
        log.exception("a call that nothing waits for failed")
