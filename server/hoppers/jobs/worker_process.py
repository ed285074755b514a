"""The server's side of the worker process: start, commands, events, and a new process after a loss."""

import contextlib
import itertools
import logging
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from multiprocessing import Pipe
from typing import TypeVar, TypeVarTuple, cast

from hoppers.core.puzzle import PuzzleEngine
from hoppers.jobs.messages import (
    BuildEvent,
    BuildFault,
    BuildResult,
    BuildValues,
    Command,
    Executor,
    Heartbeat,
    Message,
    SearchEvent,
    WorkerConfig,
)
from hoppers.jobs.pulse import WATCH, Pulse
from hoppers.runtime import cache_folder
from hoppers.runtime.process_work import work_of
from hoppers.tablebase.builder import ProcessLost

log = logging.getLogger(__name__)

CAN_RUN = os.name == "posix"
"""True if this system can pass a pipe to a child process."""

Args = TypeVarTuple("Args")
Yielded = TypeVar("Yielded")
Result = TypeVar("Result")
LOST = "the process ended"
"""Message of the error for a build whose process has died, was closed, or cannot be started."""


class Child:
    """One worker process and its pipe."""

    def __init__(self, config: WorkerConfig) -> None:
        """Start the process; raise an OSError if the system cannot start it."""
        self.is_idle = False
        self.builds: dict[str, queue.SimpleQueue[BuildEvent]] = {}
        """Queues for the messages about running builds, by id."""
        self.has_answered = False
        """True from the first message of the process on."""
        self.ended = threading.Event()
        """Set when the process is given up."""
        self.connection, theirs = Pipe()
        command = [sys.executable, "-m", "hoppers.jobs.worker_main", str(theirs.fileno())]
        same_folder = {**os.environ, **cache_folder.environment()}
        try:
            self._process = subprocess.Popen(
                command,
                env=same_folder,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        finally:
            theirs.close()
        self.pid = self._process.pid
        self._lock = threading.Lock()
        self.pulse = Pulse(time.monotonic())
        self._send(config)

    def look(self) -> bool:
        """Look for signs of life, and return whether the process hangs."""
        now = time.monotonic()
        if self.pulse.is_overdue(now):
            if self._has_unread():
                self.pulse.beat(now)
            else:
                self.pulse.look(work_of(self.pid), now)
        return self.pulse.is_hung(now)

    def _has_unread(self) -> bool:
        """Return whether messages have arrived that this process has not read yet."""
        try:
            return self.connection.poll()
        except OSError:  # the pipe is closed, which the reading thread notices
            return True

    def execute(self, command: Command, *arguments: object) -> None:
        """Send a command. A dead process is ignored here, because the reading thread notices it."""
        with self._lock:
            self._send((command, *arguments))

    def set_priority(self, is_busy: Callable[[], bool]) -> None:
        """Send the priority if it has changed: idle if `is_busy()`, else normal. Thread-safe."""
        if is_busy() == self.is_idle:  # the usual case waits for no lock
            return
        with self._lock:
            if (idle := is_busy()) != self.is_idle:
                self.is_idle = idle
                self._send(("set_idle", idle))

    def close(self) -> None:
        """Kill the process, and wait until it has ended."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()

    def disconnect(self) -> None:
        """Close the pipe to a dead process, once no thread is sending."""
        with self._lock:
            self.connection.close()

    def _send(self, message: object) -> None:
        with contextlib.suppress(OSError):
            self.connection.send(message)


class WorkerProcess:
    """A worker process of this server, started by the first call that needs it, also after a loss."""

    def __init__(self, config: WorkerConfig, is_busy: Callable[[], bool] = lambda: False) -> None:
        """`config`: sent as the first message to each process.

        `is_busy`: returns whether the server is under high load; the process then has idle priority.
        """
        self._config, self.is_busy = config, is_busy
        self._child: Child | None = None
        self._lock, self._closed = threading.RLock(), False
        self._build_numbers = itertools.count(1)
        self.on_event: Callable[[SearchEvent], None] = lambda event: None
        """Called with each event of a search, in the thread that reads the messages of the process."""
        self.on_lost: list[Callable[[Executor], None]] = []
        """Functions called in turn, in the same thread, with a process that has died before `close`."""
        self._is_lost = False
        """True from the loss of a process until the next one answers."""

    def current(self) -> Child | None:
        """Return the worker process; start one if none runs.

        Return None if the system cannot start one, which is logged, or after `close`.
        """
        with self._lock:
            if self._closed:
                return None
            if self._child is None:
                try:
                    self._child = Child(self._config)
                except OSError as error:
                    log.warning("the worker process cannot be started: %s", error)
                    return None
                for work, name in ((self._read, "events"), (self._watch, "watch")):
                    name = f"worker-{name}-{self._child.pid}"
                    threading.Thread(target=work, args=(self._child,), name=name, daemon=True).start()
            child = self._child
        child.set_priority(self.is_busy)
        return child

    def is_answering(self) -> bool:
        """Return False while the process is at rest without answering, or lost and not yet replaced."""
        child = self._child
        return not self._is_lost and (child is None or not child.pulse.is_silent(time.monotonic()))

    def run_build(
        self, function: Callable[[PuzzleEngine, *Args], Generator[Yielded, None, Result]], *arguments: *Args
    ) -> Generator[Yielded, None, Result]:
        """Run `function` as a build in the process; yield its values and return its result.

        Of successive floats, which are progress, only the last of each slice is yielded. Closing the
        generator cancels the build.

        Raises:
            RuntimeError: the function failed; the message is its traceback.
            ProcessLost: the process has died, was closed or cannot be started; the message is `LOST`.
        """
        build_id, events = f"build {next(self._build_numbers)}", queue.SimpleQueue[BuildEvent]()
        with self._lock:  # so that a process that dies now is noticed after the build is registered
            child = self.current()
            if child is None:
                raise ProcessLost(LOST)
            child.builds[build_id] = events
        child.execute("start_build", build_id, function, arguments)
        try:
            while True:
                match events.get():
                    case BuildValues(values=values):
                        yield from cast(list[Yielded], values)
                    case BuildResult(result=result):
                        return cast(Result, result)
                    case BuildFault(text=fault):
                        raise ProcessLost(fault) if fault == LOST else RuntimeError(fault)
        except GeneratorExit:
            child.execute("stop", build_id)
            raise
        finally:
            del child.builds[build_id]

    def close(self) -> None:
        """Kill the process, and start no other."""
        with self._lock:
            self._closed = True
            child, self._child = self._child, None
        if child is not None:
            child.close()

    def _read(self, child: Child) -> None:
        """Pass the messages of a process on until it dies or a message fails; then call `_lose`."""
        try:
            while True:
                message: Message = child.connection.recv()
                child.pulse.beat(time.monotonic())
                child.has_answered, self._is_lost = True, False
                if isinstance(message, SearchEvent):
                    self.on_event(message)
                elif isinstance(message, Heartbeat):
                    pass
                elif (events := child.builds.get(message.build_id)) is not None:
                    events.put(message)
                child.set_priority(self.is_busy)
        except (EOFError, OSError):
            pass
        except Exception:
            log.exception("a message of the worker process could not be read")
        self._lose(child)

    def _watch(self, child: Child) -> None:
        """Kill a process that hangs; return once it has ended. The reading thread then replaces it."""
        while not child.ended.wait(WATCH.look):
            if child.look():
                log.warning("worker process %d does not answer and is killed", child.pid)
                child.close()
                return

    def _lose(self, child: Child) -> None:
        """Remove and kill a process, fail its builds and, unless `close` was called, report the loss.

        The next process starts at once, unless this one has never answered: the next may die as soon.
        """
        child.ended.set()
        with self._lock:
            if self._child is child:
                self._child = None
            self._is_lost = not self._closed
            builds = list(child.builds.items())
        child.close()
        child.disconnect()
        for build_id, events in builds:
            events.put(BuildFault(build_id, LOST))
        if not self._closed:
            log.warning("worker process %d lost", child.pid)
            for act in self.on_lost:
                act(child)
            if child.has_answered:
                self.current()
