"""A way to the end at once, where nothing is proved yet: good lines, remembered (see `good_line`)."""

import math
import threading
import time
from collections import OrderedDict

from ..puzzle import Question
from ..records import Position, Step
from .good_line import Land, good_line

MOST_SECONDS = 2.0
"""After which whoever asks is told nothing."""
MOST_KEPT = 4096
"""Positions whose way is remembered."""


class Guesses:
    """Ways to the ends of one board's problems. None of them is proved to have the fewest moves."""

    def __init__(self, land: Land) -> None:
        """Nothing is known."""
        self._land = land
        self._ways: OrderedDict[tuple[Position, int], list[Step]] = OrderedDict()
        self._lock = threading.Lock()

    def way(self, question: Question, seconds: float = MOST_SECONDS) -> list[Step] | None:
        """Steps from the root to an end, if some are found in time. There is one search at a time."""
        until = time.monotonic() + seconds
        if not self._lock.acquire(timeout=-1 if seconds == math.inf else seconds):
            return None
        try:
            known = self._ways.get((question.root, question.goal))
            return (self._search(question, until) if known is None else known) or None
        finally:
            self._lock.release()

    def _search(self, question: Question, until: float) -> list[Step]:
        for steps in good_line(question, self._land):
            if steps is not None:
                self._remember(question, steps)
                return steps
            if time.monotonic() > until:
                return []
        self._keep(question, question.root, [])  # however long one looks
        return []

    def _remember(self, question: Question, steps: list[Step]) -> None:
        """Whoever follows the way is led on along it."""
        self._keep(question, question.root, steps)
        for number, step in enumerate(steps, 1):
            self._keep(question, question.puzzle.settled(step.after), steps[number:])

    def _keep(self, question: Question, position: Position, steps: list[Step]) -> None:
        self._ways[position, question.goal] = steps
        if len(self._ways) > MOST_KEPT:
            self._ways.popitem(last=False)
