"""The worker process: runs searches and builds at low priority and sends their events to the server.

The main thread reads commands. The threads of two schedulers, one of searches and one of builds, send the
events; a full pipe makes these threads wait. The process ends when the pipe closes, so it never outlives the
server.
"""

import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from hoppers.analysis.requests import read_search
from hoppers.core.events import Failed
from hoppers.core.kernels import cache_folder, drop_ir
from hoppers.jobs.messages import (
    BuildFinished,
    BuildProgress,
    CancelBuild,
    Configure,
    PauseSearch,
    ResumeSearch,
    SearchEvent,
    SetPriority,
    StartBuild,
    StartSearch,
    StopSearch,
)
from hoppers.jobs.scheduler import Scheduler, Task
from hoppers.jobs.search_job import INTERNAL, Read, create_job
from hoppers.puzzles import PUZZLES
from hoppers.runtime import process_tuning
from hoppers.runtime.disk_cache import DiskStore
from hoppers.runtime.load import Load
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


class SearchWorker:
    """The searches and builds of a process, controlled by messages.

    A worker process receives the messages over a pipe. Where no worker process can run, and in tests, the
    server calls `handle` directly.
    """

    def __init__(
        self, engine: Engine, config: Configure, send: Callable[[Any], None], read: Read | None = None
    ) -> None:
        """`send`: sends a message to the server. `read`: parses a search query; None: `read_search`."""
        self._engine, self._limits, self._send = engine, config.limits, send
        self._read = read or partial(read_search, engine)
        self._task_ended = threading.Event()
        # searches may compile the kernels that the warm-up of this process has not compiled yet
        hooks = process_tuning.use_idle_priority, self._task_ended.set, engine.compiling
        self._searches = Scheduler(config.threads, *hooks)
        # two threads: a player's build does not wait while another one loads a kernel in one long step
        self._builds = Scheduler(2, *hooks)

    def handle(self, message: Any) -> None:
        """Execute a command of the server."""
        match message:
            case StartSearch():
                self._start_search(message)
            case StopSearch(search_id):
                self._searches.stop(search_id)
            case PauseSearch(search_id):
                self._searches.pause(search_id)
            case ResumeSearch(search_id):
                self._searches.resume(search_id)
            case StartBuild():
                self._builds.start(BuildTask(self._engine, message, self._send))
            case CancelBuild(build_id):
                self._builds.stop(str(build_id))
            case SetPriority(idle):
                self._searches.set_idle(idle)
                self._builds.set_idle(idle)

    def close(self) -> None:
        """End the threads of both schedulers."""
        self._searches.close()
        self._builds.close()

    def release_memory(self) -> None:
        """Release memory whenever tasks have ended. Never returns.

        It runs in a separate thread, because releasing may wait for the compiler.
        """
        while self._task_ended.wait():
            self._task_ended.clear()
            release_memory()
            time.sleep(0.5)  # a release takes some 50 ms

    def _start_search(self, message: StartSearch) -> None:
        def send(event: Any, seconds: float) -> None:
            try:
                self._send(SearchEvent(message.search_id, event, seconds))
            except OSError:
                raise
            except Exception:  # the event cannot be pickled, and no part of it was sent
                self._send(SearchEvent(message.search_id, Failed(INTERNAL), seconds))
                raise  # ends the search

        try:
            search = self._read(**message.query)
            self._searches.start(create_job(message.search_id, search, send, self._limits, message.proved))
        except Exception:
            log.exception("the search %s could not be started", message.search_id)
            send(Failed(INTERNAL), 0.0)


class BuildTask(Task):
    """Task that runs a build in slices and sends its values to the server."""

    def __init__(self, engine: Engine, message: StartBuild, send: Callable[[Any], None]) -> None:
        """`send`: sends a message to the server."""
        super().__init__(str(message.build_id), message.function(engine, *message.arguments))
        self._number, self._send = message.build_id, send

    def run_slice(self, seconds: float) -> None:
        """Run for `seconds`, or until the build ends; send its values, or its end, to the server."""
        values: list[Any] = []
        end: BuildFinished | None = None
        began = time.perf_counter()
        try:
            while not self.ended and time.perf_counter() - began < seconds:
                value = next(self._steps)
                if values and isinstance(value, float) and isinstance(values[-1], float):
                    values.pop()
                values.append(value)
        except StopIteration as stop:
            end = BuildFinished(self._number, stop.value)
        except Exception:
            end = BuildFinished(self._number, None, traceback.format_exc())
        self.seconds += time.perf_counter() - began
        if self.ended:
            return
        try:
            if values:
                self._send(BuildProgress(self._number, values))
            if end is not None:
                self.ended = True
                self._send(end)
        except OSError:
            raise
        except Exception:  # the value cannot be pickled, and no part of it was sent
            self.ended = True
            self._send(BuildFinished(self._number, None, traceback.format_exc()))


def release_memory() -> None:
    """Return the free memory of this process to the system; a failure is only logged."""
    try:
        drop_ir()
        process_tuning.trim_heap()
    except Exception:
        log.exception("memory could not be released")


def send_over(connection: Connection, lock: threading.Lock, message: Any) -> None:
    """Send a message to the server; end this process if the pipe is closed."""
    try:
        with lock:
            connection.send(message)
    except OSError:
        os._exit(0)


def create_engine(config: Configure) -> Engine:
    """Return the engine of a worker process.

    Proved answers go to disk, where all processes of the machine find them. Large tables are built only when
    the server requests them as builds, which it does when load is low.
    """
    max_bytes = config.answers_bytes
    answers = DiskStore(cache_folder() / "answers", max_bytes) if max_bytes else None
    return Engine(PUZZLES, Load(builds_large=False), answers)


def run(connection: Connection) -> None:
    """Execute commands from the pipe until it closes, then end this process."""
    try:
        config: Configure = connection.recv()
        process_tuning.lower_priority(config.nice)
        worker = SearchWorker(create_engine(config), config, partial(send_over, connection, threading.Lock()))
        threading.Thread(target=worker.release_memory, name="release-memory", daemon=True).start()
        while True:
            worker.handle(connection.recv())
    except (EOFError, OSError):
        os._exit(0)
    except Exception:
        log.exception("a command of the server could not be read")
        os._exit(1)


def main() -> None:
    """Set up this process and execute commands from the pipe whose file number is the first argument."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    run(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
