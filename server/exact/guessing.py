"""A way to the end at once, where nothing is proved yet: good lines, remembered (see `good_line`)."""

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Generator

from ..elsewhere import elsewhere
from ..puzzle import Question
from ..records import Position, Step
from .good_line import Land, good_line
from .shelf import Allowance
from .workshop import WORKSHOP, Wish

MOST_SECONDS = 2.0
"""After which whoever asks is told nothing."""
SAVED_SECONDS = 10.0
"""That may be spent one after another on those who wait, for all boards together."""
ENOUGH_SECONDS = 1.0
"""With less than that nobody waits: the time would mostly be spent on ways that are not found."""
EARNED_SECONDS = 0.1
"""That are earned back each second: the rest is found in the background."""
MOST_AT_ONCE = 3
"""Who search or wait for it on one board. More would hold threads that all others need."""
MOST_KEPT = 4096
"""Positions whose way is remembered."""


PURSE = Allowance(SAVED_SECONDS, EARNED_SECONDS)


class Guesses:
    """Ways to the ends of one board's problems. None of them is proved to have the fewest moves."""

    def __init__(self, land: Land, purse: Allowance = PURSE) -> None:
        """Nothing is known. `purse`: what may be spent on whoever waits."""
        self._land, self._purse = land, purse
        self._ways: OrderedDict[tuple[Position, int], list[Step]] = OrderedDict()
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(MOST_AT_ONCE)

    def way(self, question: Question, seconds: float = MOST_SECONDS) -> list[Step] | None:
        """Steps from the root to an end, if some are found in time; what is not is looked for later."""
        known = self._ways.get(self._key(question))
        if known is None and self._room.acquire(blocking=False):
            try:
                known = self._wait(question, seconds)
            finally:
                self._room.release()
        if known is None:
            WORKSHOP.ask(Wish(("way", id(self), *self._key(question)), lambda: self._make(question)))
        return known or None

    def _wait(self, question: Question, seconds: float) -> list[Step] | None:
        """What is found at once. There is one search at a time, and none once the purse is empty."""
        if seconds < math.inf:
            left = self._purse.left()
            seconds = min(seconds, left if left >= ENOUGH_SECONDS else 0)
        until = time.monotonic() + seconds
        if seconds <= 0 or not self._lock.acquire(timeout=-1 if seconds == math.inf else seconds):
            return None
        began = time.monotonic()
        try:
            known = self._ways.get(self._key(question))
            return self._search(question, until) if known is None else known
        finally:
            self._purse.spend(time.monotonic() - began)
            self._lock.release()

    def _make(self, question: Question) -> Generator[float, None, None]:
        """Look for a way in the background."""
        steps = yield from elsewhere(find_way, question, self._land)
        if self._key(question) in self._ways:
            return  # found for somebody who waited
        if steps:
            self._remember(question, steps)
        else:
            self._keep(question, question.root, [])

    def _search(self, question: Question, until: float) -> list[Step] | None:
        for steps in good_line(question, self._land):
            if steps is not None:
                self._remember(question, steps)
                return steps
            if time.monotonic() > until:
                return None
        self._keep(question, question.root, [])  # however long one looks
        return []

    @staticmethod
    def _key(question: Question) -> tuple[Position, int]:
        return question.root, question.goal

    def _remember(self, question: Question, steps: list[Step]) -> None:
        """Whoever follows the way is led on along it."""
        self._keep(question, question.root, steps)
        for number, step in enumerate(steps, 1):
            self._keep(question, question.puzzle.settled(step.after), steps[number:])

    def _keep(self, question: Question, position: Position, steps: list[Step]) -> None:
        self._ways[position, question.goal] = steps
        if len(self._ways) > MOST_KEPT:
            self._ways.popitem(last=False)


def find_way(question: Question, land: Land) -> Generator[float, None, list[Step]]:
    """The steps of a way to the end; none where there is none to be found."""
    for steps in good_line(question, land):
        if steps is not None:
            return steps
        yield 0.0
    return []
