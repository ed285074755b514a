"""Compile the kernels of all puzzles and load them, in the background, puzzle by puzzle.

Compiling takes hundreds of megabytes that a process never returns, and blocks the interpreter. So up to four
other processes compile the kernels and store the machine code on disk (`Compiler`). Then the server loads the
kernels that answer requests, and the worker process those of searches (`Warmup`). Each process continues
with the puzzle that was requested last.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable

from hoppers.analysis.kernel_parts import (
    ANSWERS,
    SEARCHES,
    Part,
    all_parts,
    load_answers,
    load_part,
    load_searches,
    warm,
)
from hoppers.core.kernels import MACHINE_CODE, cores, drop_ir
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.messages import WorkerConfig
from hoppers.jobs.worker_process import CAN_RUN, WorkerProcess
from hoppers.runtime import process_tuning
from hoppers.runtime.logging_config import SHORT
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine, RunBuild

log = logging.getLogger(__name__)


class Compiler:
    """Processes that compile all parts that are missing or damaged on disk, and then exit.

    That frees their memory.

    A part that cannot be compiled counts as compiled; the process that loads this part then compiles it.
    """

    def __init__(self, puzzles: Iterable[Puzzle], log_format: str = SHORT) -> None:
        """`log_format`: of the processes (see `logging_config.configuration`)."""
        self._log_format = log_format
        self._waiting = [part for part in all_parts(puzzles) if not MACHINE_CODE.is_stored(part.marker)]
        self._running: list[Part] = []
        self.changed = threading.Condition(threading.RLock())
        """Guards this object and its `Warmup`; notified after each change that a thread may wait for."""
        self._processes: list[WorkerProcess] = []
        self._threads: list[threading.Thread] = []
        self.total = len(self._waiting)
        """Number of parts that were not on disk at the beginning."""
        self.stored = 0
        """Number of those parts that are on disk now."""
        self.is_closed = False
        self.failures: list[str] = []
        """A sentence for each failure."""
        self.listeners: list[Callable[[], None]] = []
        """Functions called after each part, in the thread that calls `work`."""

    def start(self) -> None:
        """Start the processes; where no process can run, count every part as compiled."""
        if not CAN_RUN:
            self._waiting.clear()
        # such a nice value leaves the server three quarters of a core, even if all are busy
        config = WorkerConfig(log=self._log_format, nice=5)
        number = min(cores(), 4, len(self._waiting))  # each takes up to half a gigabyte
        self._processes = [WorkerProcess(config) for _ in range(number)]
        self._threads = [
            threading.Thread(target=self._work_in, args=(process,), name="compile", daemon=True)
            for process in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        """Wait until every part is compiled or the compiler is closed."""
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """Kill the processes, and compile no further part. Files are written as a whole or not at all.

        The warm-up then begins no further puzzle; loading that has begun is not interrupted.
        """
        with self.changed:
            self.is_closed = True
            self.changed.notify_all()
        for process in self._processes:
            process.close()

    def prioritise(self, puzzle_id: str) -> None:
        """Compile the parts of a puzzle next; an unknown id is ignored."""
        with self.changed:
            self._waiting.sort(key=lambda part: part.puzzle_id != puzzle_id)

    def is_compiled(self, puzzle_id: str, name: str = "") -> bool:
        """Return whether the part `name` of a puzzle is compiled; "": whether all its parts are."""
        with self.changed:
            return not any(
                part.puzzle_id == puzzle_id and name in ("", part.name)
                for part in (*self._waiting, *self._running)
            )

    def remaining(self) -> int:
        """Return the number of parts that are not compiled yet."""
        with self.changed:
            return len(self._waiting) + len(self._running)

    def _work_in(self, process: WorkerProcess) -> None:
        self.work(process.run_build)
        process.close()

    def work(self, run_build: RunBuild) -> None:
        """Compile parts with `run_build` until none is left or the compiler is closed.

        Failures before `close` are logged and added to `failures`. With the `Engine.run` of an engine without
        a worker process, this process compiles, and keeps the memory that this takes.
        """
        while (part := self._next()) is not None:
            failure = self._compile(run_build, part)
            if failure and not self.is_closed:
                self.failures.append(failure)
                log.warning("%s It is compiled when it is first used.", failure)
            with self.changed:
                if not failure:
                    self.stored += 1
                self._running.remove(part)
                self.changed.notify_all()
            for listener in self.listeners:
                try:
                    listener()
                except Exception:
                    log.exception("a listener failed after the %s of %s", part.name, part.puzzle_id)

    def _next(self) -> Part | None:
        """Wait until a part may begin; move it to `_running` and return it.

        Return None if no part is left, or if the compiler is closed.
        """
        with self.changed:
            while self._waiting and not self.is_closed:
                part = next(filter(self._may_begin, self._waiting), None)
                if part is not None:
                    self._waiting.remove(part)
                    self._running.append(part)
                    return part
                self.changed.wait()
            return None

    def _may_begin(self, part: Part) -> bool:
        if any(other.group == part.group for other in self._running):
            return False
        return part.name != SEARCHES or self.is_compiled(part.puzzle_id, ANSWERS)

    def _compile(self, run_build: RunBuild, part: Part) -> str:
        """Compile a part with `run_build`; return "", or a sentence about the failure.

        If the part could not be stored, no waiting part is compiled any more.
        """
        try:
            finish(run_build(load_part, part))
        except Exception as error:  # of any kind, where no process can run
            reason = str(error).strip().rpartition("\n")[2] or repr(error)
            return f"The {part.name} of {part.puzzle_id} could not be compiled: {reason}."
        if MACHINE_CODE.is_stored(part.marker):
            return ""
        with self.changed:  # full disk: parts compiled here would be lost
            self._waiting.clear()
        return f"The {part.name} of {part.puzzle_id} could not be stored. Is the disk full?"


class Warmup:
    """The warm-up of an engine: this process loads the kernels that answer requests about puzzles.

    The worker process loads those of searches. Without it, this process does, if it runs searches.

    From `start` until the answers of a puzzle are ready, only threads inside `Engine.compiling` call its
    kernels.
    """

    def __init__(
        self,
        engine: Engine,
        compiler: Compiler | None = None,
        searches: bool = True,
        process: WorkerProcess | None = None,
    ) -> None:
        """`compiler`: compiles the kernels; None: this process does. `process`: the worker process, if any.

        `searches`: whether this process runs searches.
        """
        self._engine, self._searches_here, self._process = engine, searches, process
        self.compiler = compiler or Compiler(())
        self._changed = self.compiler.changed
        self._ids = [*engine.puzzles]
        """All puzzles, the most urgent first. The list is replaced, never changed."""
        stages = (ANSWERS, SEARCHES) if process else (ANSWERS,)
        self._loaded: dict[str, set[str]] = {stage: set() for stage in stages}
        """Puzzles that are loaded, by stage: ANSWERS and, with a process, SEARCHES."""
        self._failed: set[str] = set()
        """Puzzles that could not be loaded, which are never ready; their kernels are loaded when called."""
        self.changes = 0
        """Number of changes, since the start, of what is loaded."""

    def start(self) -> None:
        """Start the compiler, and a background thread for each stage."""
        self._engine.defer_kernels(self._engine.puzzles)
        self.compiler.start()
        if self._process is not None:
            self._process.on_lost.append(lambda child: self._reload_searches())
        for stage in self._loaded:
            threading.Thread(target=self._run_stage, args=(stage,), name="warm-up", daemon=True).start()

    def prioritise(self, puzzle_id: str) -> None:
        """Compile and load a puzzle next, if any is left; an unknown id is ignored."""
        if self.is_ready(""):
            return
        with self._changed:
            self._ids = sorted(self._ids, key=lambda id: id != puzzle_id)
        self.compiler.prioritise(puzzle_id)

    def can_answer(self, puzzle_id: str) -> bool:
        """Return whether this process has loaded a puzzle's kernels, or all puzzles' for the id ""."""
        return self._has_loaded(ANSWERS, puzzle_id)

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether a puzzle is ready in every stage; for the id "", whether all puzzles are."""
        return all(self._has_loaded(stage, puzzle_id) for stage in self._loaded)

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait up to `seconds` until `can_answer`, or until loading fails; return `can_answer`."""
        with self._changed:
            self._changed.wait_for(lambda: puzzle_id in self._failed or self.can_answer(puzzle_id), seconds)
            return self.can_answer(puzzle_id)

    def failed(self) -> list[str]:
        """Return the puzzles that could not be loaded."""
        with self._changed:
            return sorted(self._failed)

    def progress(self) -> tuple[int, int]:
        """Return the number of ready puzzles and the number of all puzzles."""
        return sum(map(self.is_ready, self._ids)), len(self._ids)

    def _has_loaded(self, stage: str, puzzle_id: str) -> bool:
        return self._loaded[stage].issuperset([puzzle_id] if puzzle_id else self._ids)

    def _run_stage(self, stage: str) -> None:
        """Load the puzzles whose kernels are compiled, one by one, until the compiler is closed.

        A puzzle that fails is logged and never counts as loaded.
        """
        load, part = self._load_answers, ANSWERS
        if stage == SEARCHES:
            load, part = self._load_searches, ""  # searches need all parts of a puzzle
        while True:
            with self._changed:
                loaded = self._loaded[stage]  # `_reload_searches` makes a new set, for the next process
                unloaded = [id for id in self._ids if id not in loaded and id not in self._failed]
                puzzle_id = next((id for id in unloaded if self.compiler.is_compiled(id, part)), None)
                if self.compiler.is_closed:
                    return
                if puzzle_id is None:
                    self._changed.wait()
                    continue
            outcome = loaded
            try:
                load(puzzle_id)
            except Exception:
                log.exception("warm-up of %s failed", puzzle_id)
                outcome = self._failed
            with self._changed:
                if not self.compiler.is_closed:
                    outcome.add(puzzle_id)
                    self.changes += 1
                self._changed.notify_all()

    def _load_answers(self, puzzle_id: str) -> None:
        """Load the kernels of a puzzle that this process needs, and allow the engine to call them."""
        puzzle = self._engine.puzzles[puzzle_id]
        try:
            with self._engine.compiling():
                warm(puzzle) if self._searches_here else load_answers(puzzle)
            drop_ir()
            process_tuning.trim_heap()
        finally:
            self._engine.mark_compiled(puzzle_id)

    def _load_searches(self, puzzle_id: str) -> None:
        """Load the kernels of a puzzle's searches in the worker process, if the gallery shows the puzzle.

        Other puzzles share the kernels of their family. Under high load no kernel is loaded in advance,
        because kernels take a hundred megabytes; the first search loads them then.
        """
        process, is_featured = self._process, self._engine.puzzles[puzzle_id].gallery.featured
        if process is None or process.is_busy() or not is_featured:
            return
        try:
            with contextlib.closing(process.run_build(load_searches, puzzle_id)) as build:
                for _ in build:
                    if process.is_busy():
                        break
        except RuntimeError as error:
            log.info("the searches of %s are not loaded in advance: %r", puzzle_id, error)
            time.sleep(2.0)  # before the next process, which may die as well, loads kernels

    def _reload_searches(self) -> None:
        """Load the kernels of all searches again, after the worker process has died, in the next one."""
        with self._changed:
            self._loaded[SEARCHES] = set()
            self.changes += 1
            self._changed.notify_all()
