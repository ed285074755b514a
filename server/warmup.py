"""Compiling, or loading from disk, every kernel in the background, puzzle by puzzle."""

import itertools
import logging
import threading
import time

from . import judge
from .puzzle import Puzzle, Question
from .records import Position

log = logging.getLogger(__name__)

EVENTS_TRIED = 8
"""Events drawn from each method: enough for its kernel to run once."""

LONGEST_LOADING = 60.0
"""Seconds: with a table for the start a board's first page says at once what is proved."""


def warm(puzzle: Puzzle) -> None:
    """Use everything the puzzle has compiled once, so that no request waits for a compiler."""
    goal = puzzle.parse_goal(None)
    position = puzzle.parse(puzzle.start)
    puzzle.rehearse()
    _prepare(puzzle, goal, position)
    judge.graded_steps(puzzle, goal, position)
    judge.hint(puzzle, goal, position)
    question = Question(puzzle, goal, position)
    for method in puzzle.methods.values():
        for _ in itertools.islice(method.search(question), EVENTS_TRIED):
            pass


def _prepare(puzzle: Puzzle, goal: int, position: Position) -> None:
    """Ask for the verdict on the start, and wait for a table that comes with the program to be loaded."""
    until = time.monotonic() + LONGEST_LOADING
    puzzle.source(goal).moves_left(position)
    while puzzle.preparation(goal, position) is not None and time.monotonic() < until:
        time.sleep(0.02)


class Warmup:
    """Warms a list of puzzles in one background thread."""

    def __init__(self, puzzles: list[Puzzle]) -> None:
        """Nothing is done before `start`."""
        self._waiting = list(puzzles)
        self._ready = {puzzle.id: threading.Event() for puzzle in puzzles}
        self._lock = threading.Lock()

    def start(self) -> None:
        """Begin in the background."""
        threading.Thread(target=self.run, name="warm-up", daemon=True).start()

    def run(self) -> None:
        """Warm all puzzles, here and now; a puzzle that fails is logged and does not stop the rest."""
        while (puzzle := self._next()) is not None:
            began = time.perf_counter()
            try:
                warm(puzzle)
            except Exception:
                log.exception("warm-up of %s failed", puzzle.id)
            self._ready[puzzle.id].set()
            log.debug("%s is warm after %.2f s", puzzle.id, time.perf_counter() - began)

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
        """Wait until the puzzle is ready, at most so long; returns whether it is."""
        return self._ready[puzzle_id].wait(seconds)

    def progress(self) -> tuple[int, int]:
        """How many puzzles are ready, and how many there are."""
        return sum(event.is_set() for event in self._ready.values()), len(self._ready)
