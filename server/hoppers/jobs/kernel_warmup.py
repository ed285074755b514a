"""Warm-up: compile every kernel, or load it from disk, in the background, puzzle by puzzle.

Compiling takes hundreds of megabytes that a process never returns, and blocks the interpreter. So a server
has another process compile the kernels, and then only loads the machine code from disk.
"""

import logging
import math
import multiprocessing
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from hoppers.analysis import verdicts
from hoppers.core.kernels import cores, drop_ir, is_on_disk, mark_on_disk
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.messages import Configure, SearchLimits
from hoppers.jobs.worker_process import CAN_RUN, WorkerLost, WorkerProcess
from hoppers.puzzles import PUZZLES
from hoppers.runtime import process_tuning
from hoppers.tablebase.engine import Engine

log = logging.getLogger(__name__)

SETTLING_SECONDS = 30.0  # time after which players of a restarted server have connected again


def warm(puzzle: Puzzle, searches: bool = True) -> None:
    """Run each kernel of a puzzle once, so that no request waits for the compiler.

    `searches`: include the kernels that only searches and table builds use.
    """
    goal = puzzle.parse_goal(None)
    position = puzzle.parse(puzzle.start)
    question = Question(puzzle, goal, position)
    if searches:
        for compile_kernels in puzzle.solving.precompile.values():
            compile_kernels()
    puzzle.solver.find_solution(question, True)
    _prepare(puzzle, goal, position)
    verdicts.graded(puzzle, goal, position)[1]
    verdicts.hint(puzzle, goal, position)
    if searches:
        for _ in load_searches(puzzle.engine, puzzle.id):
            pass
        mark_on_disk(puzzle.id)


def load_searches(engine: Engine, puzzle_id: str) -> Generator[None, None, None]:
    """Run each method of a puzzle for a moment, so that no search waits until its kernel is loaded.

    A bound rules out many limits without visiting a position, so a method runs for at least eight
    events and until it has visited one.
    This is a build (see `messages.Function`); it yields None after each event.
    """
    puzzle = engine.puzzles[puzzle_id]
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    for method in puzzle.solving.methods.values():
        for number, event in enumerate(method.search(question), 1):
            yield
            if number >= 8 and getattr(event, "nodes", True):
                break


def _prepare(puzzle: Puzzle, goal: int, position: Position) -> None:
    """Request the verdict on the start, and wait up to a minute while a bundled table is loaded.

    The first page of a board then shows proved verdicts.
    """
    until = time.monotonic() + 60.0
    source = puzzle.source(goal)
    source.moves_left(position)
    while source.progress(position) is not None and time.monotonic() < until:
        time.sleep(0.02)


def parallel_parts() -> dict[str, list[str]]:
    """Return the parts that can be compiled in parallel: name -> ids of the puzzles of the part.

    Names in `precompile` come first, then the families of puzzles. One process compiles a part, puzzle by
    puzzle, because most kernels of its puzzles are the same.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for puzzle in PUZZLES.values():
        for name in puzzle.solving.precompile:
            found[name].append(puzzle.id)
    for puzzle in PUZZLES.values():
        found[puzzle.family].append(puzzle.id)
    return found


def warm_in_parallel() -> Iterator[str]:
    """Compile all kernels in up to four processes; yield the names of `parallel_parts` as they finish."""
    processes = min(cores(), 4)  # each takes half a gigabyte
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        names = {pool.submit(_warm_part, name, ids): name for name, ids in parallel_parts().items()}
        for done in as_completed(names):
            done.result()
            yield names[done]


def _warm_part(name: str, ids: list[str]) -> None:
    engine = Engine(PUZZLES)
    for puzzle in map(engine.puzzles.__getitem__, ids):
        puzzle.solving.precompile.get(name, partial(warm, puzzle))()


class Compiler:
    """A separate process that compiles kernels. `close` ends the process, which frees its memory."""

    def __init__(self) -> None:
        config = Configure(0, SearchLimits(0, 0), 0, low_priority=False)
        self._process = WorkerProcess(config) if CAN_RUN else None
        self._closed = False

    def compile(self, puzzle_id: str) -> None:
        """Have a puzzle's kernels compiled onto disk, and wait for the end.

        Where no process can run, and after a failure, do nothing; the caller's process then compiles them.
        """
        if self._closed or self._process is None or is_on_disk(puzzle_id):
            return
        try:
            self._run(self._process, puzzle_id)
            if not (self._closed or is_on_disk(puzzle_id)):  # a full disk: do not compile the others twice
                log.warning("%s could not be stored; the rest is compiled in this process", puzzle_id)
                self.close()
        except (WorkerLost, RuntimeError) as error:
            if not self._closed:
                log.warning("%s cannot be compiled by another process: %r", puzzle_id, error)

    def close(self) -> None:
        """Kill the process; further calls of `compile` do nothing."""
        self._closed = True
        if self._process is not None:
            self._process.close()

    def _run(self, process: WorkerProcess, puzzle_id: str) -> None:
        for _ in process.run_build(compile_puzzle, puzzle_id):
            pass


def compile_puzzle(engine: Engine, puzzle_id: str) -> Generator[float, None, None]:
    """Compile the kernels of a puzzle and store them on disk; a build (see `messages.Function`)."""
    warm(engine.puzzles[puzzle_id])
    yield 1.0


class Warmup:
    """The warm-up of an engine: one background thread makes the kernels of all puzzles ready.

    Until a puzzle is ready, the engine calls none of its kernels.
    """

    def __init__(self, engine: Engine, compiler: Compiler | None = None, searches: bool = True) -> None:
        """`compiler`: None compiles in this process. `searches`: whether this process runs searches."""
        self._engine, self._compiler, self._searches = engine, compiler, searches
        self._waiting = list(engine.puzzles.values())
        self._ready = {id: threading.Event() for id in engine.puzzles}
        self._lock = threading.Lock()
        self._begun, self._ended, self._ending = False, math.inf, False
        self.on_ready: Callable[[str], None] = lambda puzzle_id: None
        """Called with the id of each puzzle that has become ready; set it before `start`."""

    def start(self) -> None:
        """Start the background thread, which runs `run`."""
        self._begun = True
        self._engine.defer_kernels(self._engine.puzzles)
        threading.Thread(target=self.run, name="warm-up", daemon=True).start()

    def run(self) -> None:
        """Warm all puzzles in this thread; a puzzle that fails is logged and does not stop the rest."""
        while (puzzle := self._next()) is not None:
            began = time.perf_counter()
            try:
                if self._compiler is not None:
                    self._compiler.compile(puzzle.id)
                if self._ending:
                    return
                with self._engine.compiling():
                    warm(puzzle, self._searches or not is_on_disk(puzzle.id))
                drop_ir()
                process_tuning.trim_heap()
            except Exception:
                log.exception("warm-up of %s failed", puzzle.id)
            self._mark_ready(puzzle.id)
            log.debug("%s is warm after %.2f s", puzzle.id, time.perf_counter() - began)
        if self._compiler is not None:
            self._compiler.close()
        self._ended = time.monotonic()

    def _mark_ready(self, puzzle_id: str) -> None:
        self._engine.mark_compiled(puzzle_id)
        self._ready[puzzle_id].set()
        try:
            self.on_ready(puzzle_id)
        except Exception:
            log.exception("searches of %s that waited for the warm-up could not be started", puzzle_id)

    def end(self) -> None:
        """Stop before the next puzzle: Numba cannot be interrupted, so compiling would delay shutdown."""
        self._ending = True
        if self._compiler is not None:
            self._compiler.close()

    def is_settled(self) -> bool:
        """Return whether all puzzles have been ready for SETTLING_SECONDS, or the warm-up was not started."""
        return not self._begun or time.monotonic() >= self._ended + SETTLING_SECONDS

    def prioritise(self, puzzle_id: str) -> None:
        """Warm a puzzle next, because its page was requested; an unknown id is ignored."""
        with self._lock:
            self._waiting.sort(key=lambda puzzle: puzzle.id != puzzle_id)

    def _next(self) -> Puzzle | None:
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether the puzzle's kernels are loaded; for an unknown id, whether all puzzles' are."""
        event = self._ready.get(puzzle_id)
        return all(event.is_set() for event in self._ready.values()) if event is None else event.is_set()

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait up to `seconds` for a puzzle, if the warm-up was started; return whether it is ready."""
        return self._ready[puzzle_id].wait(seconds if self._begun else 0)

    def progress(self) -> tuple[int, int]:
        """Return the number of ready puzzles and the number of all puzzles."""
        return sum(event.is_set() for event in self._ready.values()), len(self._ready)
