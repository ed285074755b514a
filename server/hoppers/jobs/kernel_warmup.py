"""Compiling, or loading from disk, every kernel in the background, puzzle by puzzle.

Compiling takes hundreds of megabytes that a process never gives back, and holds the interpreter up. So a
server lets a process beside it compile, and only loads what is then on disk.
"""

import contextlib
import logging
import math
import multiprocessing
import os
import queue
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

from hoppers.analysis import verdicts
from hoppers.core.kernels import is_on_disk, note_on_disk, put_modules_aside
from hoppers.core.model import Position
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles import PUZZLES
from hoppers.runtime import process_tuning
from hoppers.tablebase.kernel_threads import cores

log = logging.getLogger(__name__)

EVENTS_TRIED = 8
"""Events drawn from each method, at least."""
"""Where `server` is found."""
MOST_PROCESSES = 4
"""Each that compiles takes half a gigabyte."""
SETTLING_SECONDS = 30.0
"""After which those have come back whose server was gone."""
LONGEST_LOADING = 60.0
"""Seconds: with a table for the start a board's first page says at once what is proved."""


def warm(puzzle: Puzzle, searches: bool = True) -> None:
    """Use everything the puzzle has compiled once, so that no request waits for a compiler.

    `searches`: also what is only used by searches and by building tables.
    """
    goal = puzzle.parse_goal(None)
    position = puzzle.parse(puzzle.start)
    question = Question(puzzle, goal, position)
    if searches:
        rehearse(puzzle)
    puzzle.guess(question, True)
    _prepare(puzzle, goal, position)
    verdicts.graded_steps(puzzle, goal, position)
    verdicts.hint(puzzle, goal, position)
    if searches:
        for _ in load_searches(puzzle.id):
            pass
        note_on_disk(puzzle.id)


def rehearse(puzzle: Puzzle) -> None:
    """Compile, or load from disk, what the own start does not need, and other positions do."""
    for compile_some in puzzle.rehearsals.values():
        compile_some()


def load_searches(puzzle_id: str) -> Generator[None, None, None]:
    """Let each method of a puzzle run for a moment, so that no search waits until its kernel is loaded.

    Many limits are ruled out by a bound: until then it enters no position, and runs no kernel.
    """
    puzzle = PUZZLES[puzzle_id]
    question = Question(puzzle, puzzle.parse_goal(None), puzzle.parse(puzzle.start))
    for method in puzzle.methods.values():
        for number, event in enumerate(method.search(question), 1):
            yield
            if number >= EVENTS_TRIED and getattr(event, "nodes", True):
                break


def _prepare(puzzle: Puzzle, goal: int, position: Position) -> None:
    """Ask for the verdict on the start, and wait for a table that comes with the program to be loaded."""
    until = time.monotonic() + LONGEST_LOADING
    puzzle.source(goal).moves_left(position)
    while puzzle.preparation(goal, position) is not None and time.monotonic() < until:
        time.sleep(0.02)


def pieces() -> dict[str, list[str]]:
    """What can be compiled side by side, and the puzzles it is done for: rehearsals, then family by family.

    What has one name is done by one process, puzzle after puzzle, for most of their kernels are the same.
    """
    found: dict[str, list[str]] = defaultdict(list)
    for puzzle in PUZZLES.values():
        for name in puzzle.rehearsals:
            found[name].append(puzzle.id)
    for puzzle in PUZZLES.values():
        found[puzzle.family].append(puzzle.id)
    return found


def warm_side_by_side() -> Iterator[str]:
    """Compile everything once, on all cores; yields the names of `pieces` as they are done."""
    processes = min(cores(), MOST_PROCESSES)
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        names = {pool.submit(_warm_piece, name, ids): name for name, ids in pieces().items()}
        for done in as_completed(names):
            done.result()
            yield names[done]


def _warm_piece(name: str, ids: list[str]) -> None:
    for puzzle in map(PUZZLES.__getitem__, ids):
        puzzle.rehearsals.get(name, partial(warm, puzzle))()


class Forge:
    """A process beside this one that compiles what is not on disk yet, as long as there is something."""

    def __init__(self) -> None:
        """It is started when it is needed."""
        self._process: subprocess.Popen[str] | None = None
        self._closed = False

    def compile(self, puzzle_id: str) -> None:
        """Wait until a puzzle's kernels are on disk; where that fails, whoever uses them compiles them."""
        if self._closed or is_on_disk(puzzle_id):
            return
        try:
            self._ask(puzzle_id)
            if not (
                self._closed or is_on_disk(puzzle_id)
            ):  # a full disk: to compile the others twice would help nobody
                log.warning("%s could not be kept; the rest is compiled here", puzzle_id)
                self.close()
        except (OSError, ValueError) as error:  # ValueError: closed while we asked
            if not self._closed:
                log.warning("%s cannot be compiled by a process of its own: %s", puzzle_id, error)

    def close(self) -> None:
        """End the process; no other is started."""
        self._closed, process, self._process = True, self._process, None
        if process is not None:
            with contextlib.suppress(OSError), process:
                process.kill()

    def _ask(self, puzzle_id: str) -> None:
        if self._process is None:
            command, pipe = [sys.executable, "-m", __name__], subprocess.PIPE
            self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        asking, answering = self._process.stdin, self._process.stdout
        assert asking is not None and answering is not None
        print(puzzle_id, file=asking, flush=True)
        answering.readline()


class Warmup:
    """Warms a list of puzzles in one background thread."""

    def __init__(self, puzzles: list[Puzzle], forge: Forge | None = None, searches: bool = True) -> None:
        """Nothing is done before `start`.

        `forge`: where to compile; without it, here. `searches`: whether they run in this process.
        """
        self._waiting, self._forge, self._searches = list(puzzles), forge, searches
        self._ready = {puzzle.id: threading.Event() for puzzle in puzzles}
        self._lock = threading.Lock()
        self._begun, self._ended, self._ending = False, math.inf, False

    def start(self) -> None:
        """Begin in the background."""
        self._begun = True
        threading.Thread(target=self.run, name="warm-up", daemon=True).start()

    def run(self) -> None:
        """Warm all puzzles, here and now; a puzzle that fails is logged and does not stop the rest."""
        while (puzzle := self._next()) is not None:
            began = time.perf_counter()
            try:
                if self._forge is not None:
                    self._forge.compile(puzzle.id)
                if self._ending:
                    return
                warm(puzzle, self._searches or not is_on_disk(puzzle.id))
                put_modules_aside()
                process_tuning.give_back()
            except Exception:
                log.exception("warm-up of %s failed", puzzle.id)
            self._ready[puzzle.id].set()
            log.debug("%s is warm after %.2f s", puzzle.id, time.perf_counter() - began)
        if self._forge is not None:
            self._forge.close()
        self._ended = time.monotonic()

    def end(self) -> None:
        """Begin nothing more, for the process ends: it could not while it compiles."""
        self._ending = True
        if self._forge is not None:
            self._forge.close()

    def is_settled(self) -> bool:
        """Whether all has been warm for a while, or nobody is at it."""
        return not self._begun or time.monotonic() >= self._ended + SETTLING_SECONDS

    def hurry(self, puzzle_id: str) -> None:
        """Let a puzzle be the next, for somebody is looking at it; no such puzzle is no error."""
        with self._lock:
            self._waiting.sort(key=lambda puzzle: puzzle.id != puzzle_id)

    def _next(self) -> Puzzle | None:
        with self._lock:
            return self._waiting.pop(0) if self._waiting else None

    def is_ready(self, puzzle_id: str) -> bool:
        """Whether the puzzle's kernels have run; of a name that is no puzzle's, whether all have."""
        event = self._ready.get(puzzle_id)
        return all(event.is_set() for event in self._ready.values()) if event is None else event.is_set()

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait until the puzzle is ready, at most so long, if anybody is at it; returns whether it is."""
        return self._ready[puzzle_id].wait(seconds if self._begun else 0)

    def progress(self) -> tuple[int, int]:
        """How many puzzles are ready, and how many there are."""
        return sum(event.is_set() for event in self._ready.values()), len(self._ready)


def compile_asked() -> None:
    """Warm the puzzles whose ids come in, line by line, and say each one's when that is done."""
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    while True:
        puzzle_id = asked.get()
        warm(PUZZLES[puzzle_id])
        print(puzzle_id, flush=True)


def _listen(asked: queue.SimpleQueue[str]) -> None:
    """Take in what is asked; end the process with the one that asks, even while it compiles."""
    for line in sys.stdin:
        asked.put(line.strip())
    os._exit(0)


if __name__ == "__main__":
    compile_asked()
