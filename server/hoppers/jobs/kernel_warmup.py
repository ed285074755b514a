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
from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

from hoppers.analysis import verdicts
from hoppers.analysis.known_answers import known_events
from hoppers.core.kernels import between_saves, cores, drop_ir, is_on_disk, mark_on_disk
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.jobs.messages import WorkerConfig
from hoppers.jobs.worker_process import CAN_RUN, WorkerLost, WorkerProcess
from hoppers.runtime import process_tuning
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine, RunBuild

log = logging.getLogger(__name__)

ANSWERS, SEARCHES = "answers", "searches"


class Part(NamedTuple):
    """Kernels of one puzzle that a process compiles in one go."""

    puzzle_id: str
    name: str
    """ANSWERS, SEARCHES, or a name in `Solving.precompile`."""
    group: str
    """Parts of one group share most of their kernels, so they are compiled one after the other."""

    @property
    def marker(self) -> str:
        """Name under which the part is recorded as compiled (see `kernels.mark_on_disk`)."""
        return f"{self.puzzle_id}-{self.name.replace(',', '').replace(' ', '-')}"


def parts_of(puzzle: Puzzle) -> list[Part]:
    """Return the parts of a puzzle: its answers, its searches, and the parts in `Solving.precompile`."""
    id, family = puzzle.id, puzzle.family
    return [
        Part(id, ANSWERS, f"{family} {ANSWERS}"),
        Part(id, SEARCHES, f"{family} {SEARCHES}"),
        *(Part(id, name, name) for name in puzzle.solving.precompile),
    ]


def all_parts(puzzles: Iterable[Puzzle]) -> list[Part]:
    """Return the parts of all puzzles in the order in which they are compiled.

    All parts of the first puzzle come first, then the answers of the others, then their parts in
    `Solving.precompile`. Their searches come last, because they use the kernels of the other parts, which
    several processes compile in parallel.
    """
    found = [parts_of(puzzle) for puzzle in puzzles]
    others = [part for parts in found[1:] for part in parts]
    others.sort(key=lambda part: (part.name != ANSWERS, part.name == SEARCHES))
    return [part for parts in found[:1] for part in parts] + others


def load_answers(puzzle: Puzzle) -> None:
    """Run each kernel that answers requests about a puzzle, so that no request waits for the compiler.

    This also waits for a table (see `_prepare`).
    """
    goal, position = puzzle.parse_goal(None), puzzle.parse(puzzle.start)
    puzzle.replay(position, [])
    puzzle.source(goal).find_solution(position, True)
    _prepare(puzzle, goal, position)
    verdicts.graded(puzzle, goal, position)
    verdicts.hint(puzzle, goal, position)


def load_searches(engine: Engine, puzzle_id: str) -> Generator[None, None, None]:
    """Run each search of a puzzle for a moment, so that no later search waits for its kernel or table.

    A bound rules out many limits without visiting a node, so each search runs for eight events, and on while
    they count 0 nodes, unless it ends before. This is a build (see `messages.Function`); it yields None after
    each event.
    """
    puzzle = engine.puzzles[puzzle_id]
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    searches = dict.fromkeys(method.search for method in puzzle.solving.methods.values())
    for search in (known_events, *searches):
        for number, event in enumerate(search(question), 1):
            yield
            if number >= 8 and getattr(event, "nodes", True):
                break


def load_part(engine: Engine, part: Part) -> Generator[None, None, None]:
    """Run each kernel of a part once, which compiles the kernel or loads it from disk.

    The part is then recorded as compiled, unless machine code could not be saved. This is a build (see
    `messages.Function`).
    """
    puzzle = engine.puzzles[part.puzzle_id]
    if part.name == ANSWERS:
        load_answers(puzzle)
    elif part.name == SEARCHES:
        yield from load_searches(engine, puzzle.id)
    else:
        puzzle.solving.precompile[part.name]()
    mark_on_disk(part.marker)
    yield


def warm(puzzle: Puzzle) -> None:
    """Run each kernel of a puzzle once in this process, so that nothing later waits for the compiler."""
    for part in parts_of(puzzle):
        finish(load_part(puzzle.engine, part))


def _prepare(puzzle: Puzzle, goal: int, position: Position) -> None:
    """Request the verdict on the start, and wait up to a minute while its table is loaded or built.

    The first page of a board then shows proved verdicts.
    """
    until = time.monotonic() + 60.0
    source = puzzle.source(goal)
    source.moves_left(position)
    while source.progress(position) is not None and time.monotonic() < until:
        time.sleep(0.02)


class Compiler:
    """Processes that compile all parts that are not on disk, and then exit, which frees their memory.

    A part that cannot be compiled counts as compiled; the process that loads this part then compiles it.
    """

    def __init__(self, puzzles: Iterable[Puzzle]) -> None:
        self._waiting = [part for part in all_parts(puzzles) if not is_on_disk(part.marker)]
        self._running: list[Part] = []
        self._changed = threading.Condition(threading.RLock())
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
        """Functions called after each part, in a background thread."""

    def start(self) -> None:
        """Start the processes; where no process can run, count every part as compiled."""
        if not CAN_RUN:
            self._waiting.clear()
        config = WorkerConfig(nice=5)  # leaves the server three quarters of a core, even if all are busy
        number = min(cores(), 4, len(self._waiting))  # each takes up to half a gigabyte
        self._processes = [WorkerProcess(config) for _ in range(number)]
        self._threads = [
            threading.Thread(target=self._work_in, args=(process,), name="compile", daemon=True)
            for process in self._processes
        ]
        for thread in self._threads:
            thread.start()

    def compile_here(self, engine: Engine) -> None:
        """Compile all parts in this process, which then keeps the memory that this takes."""
        self._work(engine.run)

    def join(self) -> None:
        """Wait until every part is compiled or the compiler is closed."""
        for thread in self._threads:
            thread.join()

    def close(self) -> None:
        """Kill the processes, but not while one writes machine code; no further part is compiled."""
        with self._changed:
            self.is_closed = True
            self._changed.notify_all()
        with between_saves():
            for process in self._processes:
                process.close()

    def prioritise(self, puzzle_id: str) -> None:
        """Compile the parts of a puzzle next; an unknown id is ignored."""
        with self._changed:
            self._waiting.sort(key=lambda part: part.puzzle_id != puzzle_id)

    def is_compiled(self, puzzle_id: str, name: str = "") -> bool:
        """Return whether the part `name` of a puzzle is compiled; "": whether all its parts are."""
        with self._changed:
            return not any(
                part.puzzle_id == puzzle_id and name in ("", part.name)
                for part in (*self._waiting, *self._running)
            )

    def remaining(self) -> int:
        """Return the number of parts that are not compiled yet."""
        with self._changed:
            return len(self._waiting) + len(self._running)

    def _work_in(self, process: WorkerProcess) -> None:
        self._work(process.run_build)
        process.close()

    def _work(self, run_build: RunBuild) -> None:
        """Compile parts with `run_build` (see `Engine.run`) until no part is left."""
        while (part := self._next()) is not None:
            self._compile(run_build, part)
            with self._changed:
                self._running.remove(part)
                self._changed.notify_all()
            for listener in self.listeners:
                try:
                    listener()
                except Exception:
                    log.exception("a listener failed after the %s of %s", part.name, part.puzzle_id)

    def _next(self) -> Part | None:
        """Wait until some part may be compiled and return it; None if no part is left or after `close`."""
        with self._changed:
            while self._waiting and not self.is_closed:
                part = next(filter(self._may_begin, self._waiting), None)
                if part is not None:
                    self._waiting.remove(part)
                    self._running.append(part)
                    return part
                self._changed.wait()
            return None

    def _may_begin(self, part: Part) -> bool:
        """Return whether no part of its group is running and, for searches, the answers are compiled."""
        if any(other.group == part.group for other in self._running):
            return False
        return part.name != SEARCHES or self.is_compiled(part.puzzle_id, ANSWERS)

    def _compile(self, run_build: RunBuild, part: Part) -> None:
        try:
            finish(run_build(load_part, part))
            if is_on_disk(part.marker):
                with self._changed:
                    self.stored += 1
            else:  # full disk: parts compiled here would be lost
                with self._changed:
                    self._waiting.clear()
                self._fail(f"The {part.name} of {part.puzzle_id} could not be stored. Is the disk full?")
        except (WorkerLost, RuntimeError) as error:
            reason = str(error).strip().rpartition("\n")[2] or "the process ended"
            self._fail(f"The {part.name} of {part.puzzle_id} could not be compiled: {reason}.")

    def _fail(self, sentence: str) -> None:
        if not self.is_closed:
            self.failures.append(sentence)
            log.warning("%s It is compiled when it is first used.", sentence)


class Stage:
    """The puzzles that one process has to load: those that wait, in order, and those that are ready."""

    def __init__(
        self, ids: Iterable[str], may_load: Callable[[str], bool], load: Callable[[str], None]
    ) -> None:
        """`may_load`: returns whether a puzzle's kernels are compiled. `load`: loads a puzzle's kernels."""
        self.ids, self.may_load, self.load = [*ids], may_load, load
        self.restart()

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether a puzzle is ready; for the id "", whether all puzzles are."""
        return self.ready.issuperset([puzzle_id] if puzzle_id else self.ids)

    def restart(self) -> None:
        """Make all puzzles wait: at the beginning, and after the process that had loaded them has died."""
        self.waiting, self.ready = [*self.ids], set[str]()

    def prioritise(self, puzzle_id: str) -> None:
        """Load a puzzle next; an unknown id is ignored."""
        self.waiting.sort(key=lambda id: id != puzzle_id)


class Warmup:
    """The warm-up of an engine, in up to two stages: answers in this process, searches in the worker process.

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

    def end(self) -> None:
        """Load no further puzzle, and close the compiler. Loading that has begun is not interrupted."""
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self.compiler.close()

    def prioritise(self, puzzle_id: str) -> None:
        """Compile and load a puzzle next; an unknown id is ignored."""
        with self._changed:
            for stage in (self._answers, self._searches):
                stage.prioritise(puzzle_id)
        self.compiler.prioritise(puzzle_id)

    def can_answer(self, puzzle_id: str) -> bool:
        """Return whether this process has loaded a puzzle's kernels, or all puzzles' for the id ""."""
        return self._answers.is_ready(puzzle_id)

    def can_search(self, puzzle_id: str) -> bool:
        """Return whether searches of a puzzle may start: all kernels of the puzzle are compiled."""
        return self.compiler.is_compiled(puzzle_id)

    def is_ready(self, puzzle_id: str) -> bool:
        """Return whether a puzzle is ready in every stage; for the id "", whether all puzzles are."""
        stages = self._answers, self._searches
        return all(stage.is_ready(puzzle_id) for stage in stages if stage.ids)

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait up to `seconds` until `can_answer`, or not at all before `start`; return `can_answer`."""
        with self._changed:
            return self._changed.wait_for(lambda: self.can_answer(puzzle_id), seconds if self._begun else 0)

    def progress(self) -> tuple[int, int]:
        """Return the number of ready puzzles and the number of all puzzles."""
        return sum(map(self.is_ready, self._answers.ids)), len(self._answers.ids)

    def _start_stage(self, stage: Stage) -> None:
        threading.Thread(target=self._run_stage, args=(stage,), name="warm-up", daemon=True).start()

    def _run_stage(self, stage: Stage) -> None:
        """Load the puzzles of a stage, until `end`. A puzzle that fails is logged, and counts as ready."""
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
        """Wait until a puzzle of `stage` may load; return its id, or None if none waits or after `end`."""
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
        except (WorkerLost, RuntimeError) as error:
            log.info("the searches of %s are not loaded in advance: %r", puzzle_id, error)
            time.sleep(2.0)  # before the next process, which may die as well, loads kernels

    def _reload_searches(self) -> None:
        """Load the kernels of all searches again, after the worker process has died, in the next one."""
        with self._changed:
            is_idle = not self._searches.waiting
            self._searches.restart()
            self._changed.notify_all()
        if is_idle and not self._ending:
            self._start_stage(self._searches)
