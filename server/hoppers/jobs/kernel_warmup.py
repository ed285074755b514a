"""Compile the kernels of all puzzles and load them, in the background, puzzle by puzzle.

Compiling takes hundreds of megabytes that a process never returns, and blocks the interpreter. So up to four
other processes compile the kernels and store the machine code on disk (`Compiler`). Then the server loads the
kernels that answer requests, and then those of searches (`Warmup`). The puzzle that was requested last comes
first. These are no tasks of the scheduler: one compilation is one message to a process, without slices.
"""

import logging
import threading
from collections.abc import Callable, Iterable

from hoppers.analysis.kernel_parts import (
    ANSWERS,
    SEARCHES,
    Part,
    all_parts,
    load_answers,
    load_searches,
)
from hoppers.core.kernels import MACHINE_CODE, drop_ir
from hoppers.core.puzzle import Puzzle
from hoppers.jobs.compiling_process import CompilingProcess, compiling_processes
from hoppers.runtime import process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


class Compiler:
    """Processes that compile all parts that are missing or damaged on disk, and then exit.

    That frees their memory.

    A part that cannot be compiled counts as compiled; the process that loads this part then compiles it.
    """

    def __init__(self, puzzles: Iterable[Puzzle], processes: list[CompilingProcess] | None = None) -> None:
        """`processes`: at most as many start as there are missing parts."""
        self._waiting = [part for part in all_parts(puzzles) if not MACHINE_CODE.is_stored(part.marker)]
        self._running: list[Part] = []
        self.changed = threading.Condition(threading.RLock())
        """Guards this object and its `Warmup`; notified after each change that a thread may wait for."""
        self._processes = (compiling_processes() if processes is None else processes)[: len(self._waiting)]
        self._threads: list[threading.Thread] = []
        self.total = len(self._waiting)
        """Number of parts that were not on disk at the beginning."""
        self.stored = 0
        """Number of those parts that are on disk now."""
        self.is_closed = False
        self.failures: list[str] = []
        """A sentence for each failure."""
        self.listeners: list[Callable[[], None]] = []
        """Functions called after each part, in the thread of its process."""

    def start(self) -> None:
        """Start the processes."""
        self._threads = [
            threading.Thread(target=self._work, args=(process,), name="compile", daemon=True)
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
            process.kill()

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

    def _work(self, process: CompilingProcess) -> None:
        """Compile parts in a process until none is left or the compiler is closed.

        Failures before `close` are logged and added to `failures`.
        """
        while (part := self._next()) is not None:
            failure = self._compile(process, part)
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
        process.close()

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

    def _compile(self, process: CompilingProcess, part: Part) -> str:
        """Compile a part; return "", or a sentence about the failure.

        If the part could not be stored, no waiting part is compiled any more.
        """
        if reason := process.compile(part):
            return f"The {part.name} of {part.puzzle_id} could not be compiled: {reason}."
        if MACHINE_CODE.is_stored(part.marker):
            return ""
        with self.changed:  # full disk: parts compiled here would be lost
            self._waiting.clear()
        return f"The {part.name} of {part.puzzle_id} could not be stored. Is the disk full?"


class Warmup:
    """The warm-up of an engine: loads the kernels that answer requests about puzzles, and those of searches.

    From `start` until the answers of a puzzle are ready, only threads inside `Engine.compiling` call its
    kernels.
    """

    def __init__(
        self,
        engine: Engine,
        compiler: Compiler | None = None,
        searches: bool = True,
    ) -> None:
        """`compiler`: compiles the kernels; None: this process does. `searches`: whether any run here."""
        self._engine = engine
        self.compiler = compiler or Compiler(())
        self._changed = self.compiler.changed
        self._ids = [*engine.puzzles]
        """All puzzles, the most urgent first. The list is replaced, never changed."""
        stages = (ANSWERS, SEARCHES) if searches else (ANSWERS,)
        self._loaded: dict[str, set[str]] = {stage: set() for stage in stages}
        """Puzzles that are loaded, by stage: ANSWERS and, if searches run here, SEARCHES."""
        self._failed: set[str] = set()
        """Puzzles that could not be loaded, which are never ready; their kernels are loaded when called."""
        self.changes = 0
        """Number of changes, since the start, of what is loaded."""

    def start(self) -> None:
        """Start the compiler, and a background thread for each stage."""
        self._engine.defer_kernels(self._engine.puzzles)
        self.compiler.start()
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
                loaded = self._loaded[stage]
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
                load_answers(puzzle)
            drop_ir()
            process_tuning.trim_heap()
        finally:
            self._engine.mark_compiled(puzzle_id)

    def _load_searches(self, puzzle_id: str) -> None:
        """Load the kernels of a puzzle's searches, if the gallery shows the puzzle.

        Other puzzles share the kernels of their family. Under high load no kernel is loaded in advance,
        because kernels take a hundred megabytes; the first search loads them then.
        """
        if self._engine.is_busy() or not self._engine.puzzles[puzzle_id].gallery.featured:
            return
        with self._engine.compiling():
            for _ in load_searches(self._engine, puzzle_id):
                if self._engine.is_busy():
                    break
        process_tuning.trim_heap()
