"""Warm-up: make the kernels of all puzzles ready in the background, puzzle by puzzle.

A compiler's processes store machine code on disk (see `compiler`). This process loads the kernels that answer
requests, and the worker process loads those of searches. All begin with the puzzle that was requested last.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Iterable

from hoppers.core.kernels import drop_ir
from hoppers.jobs.compiler import ANSWERS, Compiler, load_answers, load_searches, warm
from hoppers.jobs.worker_process import WorkerLost, WorkerProcess
from hoppers.runtime import process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)


class Stage:
    """The puzzles that one process has to load: those that wait, in order, and those that are ready."""

    def __init__(
        self, ids: Iterable[str], may_load: Callable[[str], bool], load: Callable[[str], None]
    ) -> None:
        """`may_load`: returns whether the kernels of a puzzle are on disk. `load`: makes a puzzle ready."""
        self.ids, self.may_load, self.load = [*ids], may_load, load
        self.restart()

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether a puzzle is ready, or all of them for the id ""."""
        return self.ready.issuperset([puzzle_id] if puzzle_id else self.ids)

    def restart(self) -> None:
        """Make all puzzles wait: at the beginning, and after the process that had loaded them has died."""
        self.waiting, self.ready = [*self.ids], set[str]()

    def prioritise(self, puzzle_id: str) -> None:
        """Load a puzzle next; an unknown id is ignored."""
        self.waiting.sort(key=lambda id: id != puzzle_id)


class Warmup:
    """The warm-up of an engine, in up to two stages: answers in this process, searches in the worker process.

    Until the answers of a puzzle are ready, the engine calls none of its kernels.
    """

    def __init__(
        self,
        engine: Engine,
        compiler: Compiler | None = None,
        searches: bool = True,
        process: WorkerProcess | None = None,
    ) -> None:
        """`compiler`: by default, kernels are compiled in this process. `searches`: whether it runs searches.

        `process`: the worker process, if it runs the searches.
        """
        self._engine, self._searches_here, self._process = engine, searches, process
        self.compiler = compiler or Compiler(())
        self.compiler.listeners.append(self._note_compiled)
        self._answers = Stage(engine.puzzles, self._has_answers, self._load_answers)
        self._searches = Stage(engine.puzzles if process else (), self.can_search, self._load_searches)
        self._changed = threading.Condition(threading.RLock())
        self._begun = self._ending = False

    def start(self) -> None:
        """Start the compiler, and a background thread for each stage."""
        self._begun = True
        self._engine.defer_kernels(self._engine.puzzles)
        self.compiler.start()
        self._start_stage(self._answers)
        if self._process is not None:
            self._process.after_loss = self._reload_searches
            self._start_stage(self._searches)

    def run(self) -> None:
        """Make all puzzles ready in this thread."""
        self.compiler.start()
        for stage in (self._answers, self._searches):
            self._run_stage(stage)

    def end(self) -> None:
        """Stop before the next puzzle: Numba cannot be interrupted, so compiling would delay shutdown."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self.compiler.close()

    def prioritise(self, puzzle_id: str) -> None:
        """Compile and load a puzzle next, because its page was requested; an unknown id is ignored."""
        with self._changed:
            for stage in (self._answers, self._searches):
                stage.prioritise(puzzle_id)
        self.compiler.prioritise(puzzle_id)

    def can_answer(self, puzzle_id: str) -> bool:
        """Return whether this process has loaded a puzzle's kernels, or all puzzles' for the id ""."""
        return self._answers.is_ready(puzzle_id)

    def can_search(self, puzzle_id: str) -> bool:
        """Return whether searches of a puzzle may start: no process has to compile their kernels."""
        return self.compiler.is_compiled(puzzle_id)

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether both processes have loaded a puzzle's kernels, or all puzzles' for the id ""."""
        stages = self._answers, self._searches
        return all(stage.is_ready(puzzle_id) for stage in stages if stage.ids)

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait up to `seconds` until `can_answer`, if the warm-up was started; return whether it can."""
        with self._changed:
            return self._changed.wait_for(lambda: self.can_answer(puzzle_id), seconds if self._begun else 0)

    def progress(self) -> tuple[int, int]:
        """Return the number of ready puzzles and the number of all puzzles."""
        return sum(map(self.is_ready, self._answers.ids)), len(self._answers.ids)

    def _start_stage(self, stage: Stage) -> None:
        threading.Thread(target=self._run_stage, args=(stage,), name="warm-up", daemon=True).start()

    def _run_stage(self, stage: Stage) -> None:
        """Make all puzzles of a stage ready; a puzzle that fails is logged and does not stop the rest."""
        while (puzzle_id := self._next(stage)) is not None:
            ready = stage.ready  # `restart` makes a new set, for the next process
            try:
                stage.load(puzzle_id)
            except Exception:
                log.exception("warm-up of %s failed", puzzle_id)
            with self._changed:
                if not self._ending:
                    ready.add(puzzle_id)
                self._changed.notify_all()

    def _next(self, stage: Stage) -> str | None:
        """Return the next puzzle of a stage, once one is on disk; None if the stage is complete."""
        with self._changed:
            while stage.waiting and not self._ending:
                puzzle_id = next(filter(stage.may_load, stage.waiting), None)
                if puzzle_id is not None:
                    stage.waiting.remove(puzzle_id)
                    return puzzle_id
                self._changed.wait()
            return None

    def _note_compiled(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _has_answers(self, puzzle_id: str) -> bool:
        return self.compiler.is_compiled(puzzle_id, ANSWERS)

    def _load_answers(self, puzzle_id: str) -> None:
        """Load the kernels of a puzzle that this process needs."""
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
        except (WorkerLost, RuntimeError) as error:
            log.info("the searches of %s are not loaded in advance: %r", puzzle_id, error)
            time.sleep(2.0)  # before the next process, which may die as well, loads kernels

    def _reload_searches(self) -> None:
        """Load the searches again, in the process that replaces one that has died."""
        with self._changed:
            is_idle = not self._searches.waiting
            self._searches.restart()
            self._changed.notify_all()
        if is_idle and not self._ending:
            self._start_stage(self._searches)
