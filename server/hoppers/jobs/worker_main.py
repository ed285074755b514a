"""The worker process: runs searches and builds at low priority and sends their events to the server.

The main thread reads commands. The threads of two schedulers, one of searches and one of builds, send the
events, and another thread sends heartbeats; a full pipe makes these threads wait. The process ends when the
pipe closes, so it never outlives the server.
"""

import logging
import logging.config
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Generator
from functools import partial
from multiprocessing.connection import Connection

from hoppers.analysis.requests import ParsedSearch, read_search
from hoppers.core.events import Events, Failed
from hoppers.core.kernels import drop_ir
from hoppers.jobs.messages import (
    HEARTBEAT_SECONDS,
    BuildEvent,
    BuildFault,
    BuildResult,
    BuildValues,
    Command,
    Executor,
    Function,
    Heartbeat,
    Message,
    SearchEvent,
    Totals,
    WorkerConfig,
)
from hoppers.jobs.scheduler import Scheduler, Task
from hoppers.jobs.search_job import INTERNAL, Job, Read
from hoppers.puzzles import PUZZLES
from hoppers.runtime import logging_config, process_tuning
from hoppers.runtime.cache_folder import ANSWERS, cache_folder
from hoppers.runtime.disk_cache import DiskStore
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)

BUILD_WAIT_SECONDS = 0.2  # longest wait before each slice of a build, for searches that have just begun


class SearchWorker:
    """The searches and builds of a process, controlled by commands.

    A worker process receives the commands over a pipe. In a fleet's worker, and in a server without a worker
    process, the `Runner` calls `execute` directly.
    """

    def __init__(
        self,
        engine: Engine,
        config: WorkerConfig,
        on_event: Callable[[SearchEvent], None] = lambda event: None,
        on_build: Callable[[BuildEvent], None] = lambda event: None,
    ) -> None:
        """`on_event`: called with each event of a search. `on_build`: called with each event of a build."""
        self._engine, self._config, self.on_event, self._on_build = engine, config, on_event, on_build
        self.on_lost: list[Callable[[Executor], None]] = []  # never called: see `current`
        self._read: Read = partial(read_search, engine)
        self._task_ended = threading.Event()
        # searches may compile the kernels that the warm-up of this process has not compiled yet
        self.searches = Scheduler(
            config.threads, engine.compiling, self._task_ended.set, memory=engine.memory
        )
        # two threads: a player's build does not wait while another one loads a kernel in one long step;
        # without the wait, builds would take half of two cores from the threads of a new search
        wait = partial(self.searches.wait_for_short_tasks, BUILD_WAIT_SECONDS)
        self._builds = Scheduler(2, engine.compiling, self._task_ended.set, before_slice=wait)
        self._schedulers = self.searches, self._builds
        self.pause, self.resume = self.searches.pause, self.searches.resume  # commands, see `execute`

    def execute(self, command: Command, *arguments: object) -> None:
        """Execute a command of the server: call the method of this name."""
        getattr(self, command)(*arguments)

    def start_search(
        self, search_id: str, query: dict[str, object], proved: Totals, client: str = ""
    ) -> None:
        """Start a search from the first limit that `proved` does not rule out; send `Failed` if that fails.

        `query`: arguments of `read_search`. `client`: whose turns the search takes.
        """
        try:
            search = self._read(**query)
        except Exception:
            log.exception("the search %s could not be started", search_id)
            self.on_event(SearchEvent(search_id, Failed(INTERNAL), proved))
            return
        events = partial(events_after, search)
        self.searches.start(Job(search_id, events, self.on_event, self._config, proved, client))

    def start_build(self, build_id: str, function: Function, arguments: tuple[object, ...]) -> None:
        """Run the generator `function(engine, *arguments)` as a build."""
        self._builds.start(BuildTask(build_id, function(self._engine, *arguments), self._on_build))

    def stop(self, task_id: str) -> None:
        """Stop a search or a build. Events that are still sent are ignored by the server."""
        for scheduler in self._schedulers:
            scheduler.stop(task_id)

    def set_idle(self, idle: bool) -> None:
        """Run all further slices with idle priority, or with normal priority again."""
        for scheduler in self._schedulers:
            scheduler.set_idle(idle)

    def current(self) -> "SearchWorker":
        """Return this worker, so that callers can treat it like a `WorkerProcess`."""
        return self

    def close(self) -> None:
        """End the threads of both schedulers."""
        for scheduler in self._schedulers:
            scheduler.close()

    def release_memory_after_tasks(self) -> None:
        """Return free memory to the system whenever tasks have ended. Never returns.

        A separate thread calls this, because releasing memory may wait for the compiler.
        """
        while self._task_ended.wait():
            self._task_ended.clear()
            release_memory()
            time.sleep(0.5)  # a release takes some 50 ms


class BuildTask(Task[object]):
    """Task that runs a build in slices and sends its values to the server."""

    def __init__(
        self, build_id: str, steps: Generator[object, None, object], on_build: Callable[[BuildEvent], None]
    ) -> None:
        """`on_build`: called with each message of the build, in a thread of the scheduler."""
        super().__init__(build_id, lambda: steps)
        self._on_build = on_build

    def run_slice(self, seconds: float) -> None:
        """Run for `seconds`, or until the build ends; send its values and, at the end, its result.

        Of successive floats, which are progress, only the last is sent.
        """
        assert self.steps is not None
        values: list[object] = []
        result: BuildResult | None = None
        began = time.perf_counter()
        try:
            while not self.ended and time.perf_counter() - began < seconds:
                value = next(self.steps)
                if values and isinstance(value, float) and isinstance(values[-1], float):
                    values.pop()
                values.append(value)
        except StopIteration as stop:
            result = BuildResult(self.id, stop.value)
        finally:
            self.seconds += time.perf_counter() - began
            if values:
                self._on_build(BuildValues(self.id, values))
        if result is not None:
            self.ended = True
            self._on_build(result)

    def fail(self) -> None:
        """Send the traceback of the exception that is being handled."""
        self._on_build(BuildFault(self.id, traceback.format_exc()))


def events_after(search: ParsedSearch, proved: Totals) -> Events:
    """Return the events of a search above the limits that are ruled out."""
    question = search.question._replace(proved=proved.limit)
    fresh = search.fresh or proved.nodes > 0  # limits were sent; a known answer would not continue them
    return search._replace(question=question, fresh=fresh).events()


def release_memory() -> None:
    """Return the free memory of this process to the system; a failure is only logged."""
    try:
        drop_ir()
        process_tuning.trim_heap()
    except Exception:
        log.exception("memory could not be released")


def create_engine(answers_bytes: int) -> Engine:
    """Return the engine of a worker process.

    Proved answers go to disk, where all processes of the machine find them, unless `answers_bytes` is 0.
    Large tables are built only when the server requests them as builds, which it does when load is low.
    """
    answers = DiskStore(cache_folder() / ANSWERS, answers_bytes) if answers_bytes else None
    return Engine(PUZZLES, answers=answers, builds_large=False)


def send_heartbeats(send: Callable[[Message], None]) -> None:
    """Send a heartbeat every `HEARTBEAT_SECONDS`. Never returns."""
    while True:
        send(Heartbeat())
        time.sleep(HEARTBEAT_SECONDS)


def run(connection: Connection) -> None:
    """Execute commands from the pipe until it closes, then end this process.

    The first message is the WorkerConfig. After a fault in a command the process ends with status 1.
    """
    sending = threading.Lock()

    def send(message: Message) -> None:
        try:
            with sending:
                connection.send(message)
        except OSError:
            os._exit(0)

    try:
        config: WorkerConfig = connection.recv()
        logging_config.configure(config.log)
        os.nice(config.nice)
        threading.Thread(target=send_heartbeats, args=(send,), name="heartbeat", daemon=True).start()
        worker = SearchWorker(create_engine(config.answers_bytes), config, send, send)
        threading.Thread(target=worker.release_memory_after_tasks, name="release-memory", daemon=True).start()
        while True:
            worker.execute(*connection.recv())
    except (EOFError, OSError):
        os._exit(0)
    except Exception:
        log.exception("a command of the server could not be read")
        os._exit(1)


def main() -> None:
    """Run the worker process; the file number of its pipe is the first argument."""
    process_tuning.shorten_switch_interval()
    process_tuning.limit_arenas()
    run(Connection(int(sys.argv[1])))


if __name__ == "__main__":
    main()
