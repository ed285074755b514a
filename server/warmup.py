"""Compiling, or loading from disk, every kernel in the background, puzzle by puzzle."""

import itertools
import logging
import threading
import time

from . import judge
from .puzzle import Puzzle, Question

log = logging.getLogger(__name__)

EVENTS_TRIED = 8
"""Events drawn from each method: enough for its kernel to run once."""


def warm(puzzle: Puzzle) -> None:
    """Use everything the puzzle has compiled once, so that no request waits for a compiler."""
    goal = puzzle.parse_goal(None)
    position = puzzle.parse(puzzle.start)
    puzzle.source(goal).moves_left(position)
    judge.graded_steps(puzzle, goal, position)
    judge.hint(puzzle, goal, position)
    question = Question(puzzle, goal, position)
    for method in puzzle.methods.values():
        for _ in itertools.islice(method.search(question), EVENTS_TRIED):
            pass


class Warmup:
    """Warms a list of puzzles in one background thread."""

    def __init__(self, puzzles: list[Puzzle]) -> None:
        """Nothing is done before `start`."""
        self._puzzles = puzzles
        self._ready = {puzzle.id: threading.Event() for puzzle in puzzles}

    def start(self) -> None:
        """Begin in the background."""
        threading.Thread(target=self.run, name="warm-up", daemon=True).start()

    def run(self) -> None:
        """Warm all puzzles, here and now; a puzzle that fails is logged and does not stop the rest."""
        for puzzle in self._puzzles:
            began = time.perf_counter()
            try:
                warm(puzzle)
            except Exception:
                log.exception("warm-up of %s failed", puzzle.id)
            self._ready[puzzle.id].set()
            log.debug("%s is warm after %.2f s", puzzle.id, time.perf_counter() - began)

    def is_ready(self, puzzle_id: str) -> bool:
        """Whether the puzzle's kernels have run."""
        return self._ready[puzzle_id].is_set()

    def wait(self, puzzle_id: str, seconds: float) -> bool:
        """Wait until the puzzle is ready, at most so long; returns whether it is."""
        return self._ready[puzzle_id].wait(seconds)

    def progress(self) -> tuple[int, int]:
        """How many puzzles are ready, and how many there are."""
        return sum(event.is_set() for event in self._ready.values()), len(self._ready)
