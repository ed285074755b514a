"""The server's side of the worker process: start, commands, events, and a new process after a loss.

The process starts when it is first needed. A thread of the server reads its messages.
"""

import contextlib
import itertools
import logging
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Generator
from multiprocessing import Pipe
from typing import Any

from hoppers.jobs.messages import (
    BuildFinished,
    BuildProgress,
    CancelBuild,
    Configure,
    Function,
    SearchEvent,
    SetPriority,
    StartBuild,
)

log = logging.getLogger(__name__)

CAN_RUN = os.name == "posix"
"""True if this system can pass a pipe to a child process."""

Receive = Callable[[SearchEvent], None]


class WorkerLost(Exception):
    """Error for a worker process that has died or cannot be started."""


class Child:
    """One worker process and its pipe."""

    def __init__(self, number: int, config: Configure) -> None:
        """Start the process.

        Raises:
            OSError: the system cannot start it.
        """
        self.number, self.is_idle = number, False
        self.connection, theirs = Pipe()
        command = [sys.executable, "-m", "hoppers.jobs.worker_main", str(theirs.fileno())]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        finally:
            theirs.close()
        self.pid = self._process.pid
        self._lock = threading.Lock()
        self.send(config)

    def send(self, message: Any) -> None:
        """Send a command. Errors are ignored, because the reading thread notices a dead process."""
        with self._lock, contextlib.suppress(OSError):
            self.connection.send(message)

    def set_idle(self, is_busy: Callable[[], bool]) -> None:
        """Send the priority if it has changed. Thread-safe: the priority sent last is the newest."""
        with self._lock, contextlib.suppress(OSError):
            if (idle := is_busy()) != self.is_idle:
                self.is_idle = idle
                self.connection.send(SetPriority(idle))

    def close(self) -> None:
        """Kill the process."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()


class WorkerProcess:
    """The current worker process of this server, which is started on demand and after a loss."""

    def __init__(self, config: Configure) -> None:
        """`config`: the settings, sent as the first message to each process."""
        self._config = config
        self._child: Child | None = None
        self._lock, self._closed = threading.RLock(), False
        self._numbers, self._build_ids = itertools.count(1), itertools.count(1)
        self._builds: dict[int, tuple[int, queue.SimpleQueue[Any]]] = {}
        """Worker number and messages of each running build."""
        self._receive: Receive = lambda event: None
        self._on_lost: Callable[[int], None] = lambda number: None
        self.is_busy: Callable[[], bool] = lambda: False
        """Return whether the server is under high load; the process then gets idle priority."""
        self.after_loss: Callable[[], None] = lambda: None
        """Called after a process has died and its searches have been reported as lost."""

    def attach(self, receive: Receive, on_lost: Callable[[int], None]) -> None:
        """Set `receive`, called with each event, and `on_lost`, called with the number of a dead process."""
        self._receive, self._on_lost = receive, on_lost

    def pid(self) -> int:
        """Return the system's id of the process, which is started if there is none.

        Raises:
            WorkerLost: the process cannot be started.
        """
        return self._running().pid

    def start(self, message: Any) -> int:
        """Send a command, starting the process if there is none; return the number of the process.

        Raises:
            WorkerLost: the process cannot be started.
        """
        child = self._running()
        self._set_priority(child)
        child.send(message)
        return child.number

    def send(self, message: Any, worker: int | None) -> None:
        """Send a command to the process of this number, if it still runs."""
        child = self._child
        if child is not None and child.number == worker:
            child.send(message)

    def run_build(self, function: Function, *arguments: Any) -> Generator[Any, None, Any]:
        """Run a generator function of a module in the process; yield its values and return its result.

        Of successive floats, which are progress, only the last of each slice is yielded. Closing the
        generator cancels the build.

        Raises:
            WorkerLost: the process has died.
            RuntimeError: the function failed; the message is its traceback.
        """
        build_id, messages = next(self._build_ids), queue.SimpleQueue[Any]()
        number: int | None = None
        try:
            with self._lock:  # so that a process that dies now is noticed after the build is registered
                number = self._running().number
                self._builds[build_id] = number, messages
                self.start(StartBuild(build_id, function, arguments))
            while True:
                match messages.get():
                    case BuildProgress(values=values):
                        yield from values
                    case BuildFinished(result=result, fault=""):
                        return result
                    case BuildFinished(fault=fault):
                        raise RuntimeError(fault)
                    case _:
                        raise WorkerLost
        except GeneratorExit:
            self.send(CancelBuild(build_id), number)
            raise
        finally:
            with self._lock:
                self._builds.pop(build_id, None)

    def close(self) -> None:
        """Kill the process; a later call of `start` or `run_build` raises WorkerLost."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        if child is not None:
            child.close()

    def _running(self) -> Child:
        with self._lock:
            if self._closed:
                raise WorkerLost
            if self._child is None:
                try:
                    self._child = Child(next(self._numbers), self._config)
                except OSError as error:
                    raise WorkerLost from error
                name = f"worker-events-{self._child.number}"
                threading.Thread(target=self._read, args=(self._child,), name=name, daemon=True).start()
            return self._child

    def _set_priority(self, child: Child) -> None:
        if self.is_busy() != child.is_idle:  # the usual case waits for no lock
            child.set_idle(self.is_busy)

    def _read(self, child: Child) -> None:
        """Read and dispatch messages of a process until it dies."""
        try:
            while True:
                self._dispatch(child.connection.recv())
                self._set_priority(child)
        except (EOFError, OSError):
            pass
        except Exception:
            log.exception("a message of the worker process could not be read")
        self._lose(child)

    def _dispatch(self, message: Any) -> None:
        match message:
            case SearchEvent():
                self._receive(message)
            case BuildProgress(build_id=build_id) | BuildFinished(build_id=build_id):
                _, messages = self._builds.get(build_id, (0, None))
                if messages is not None:
                    messages.put(message)

    def _lose(self, child: Child) -> None:
        """Remove a process that has died, fail its builds and report the loss."""
        with self._lock:
            if self._child is child:
                self._child = None
            lost = [messages for number, messages in self._builds.values() if number == child.number]
        child.close()
        child.connection.close()
        for messages in lost:
            messages.put(None)
        if not self._closed:
            log.warning("worker process %d lost", child.pid)
            self._on_lost(child.number)
            self.after_loss()
