"""A way to the end at once, where nothing is proved yet: good lines, remembered (see `beam_search`).

Whoever asks waits for two narrow beams at most, so many boards and no more. What they do not find is looked
for in the background, with wide ones, and so is a better way than theirs.
"""

import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Generator
from typing import NamedTuple

from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam.search import BEAMS, Beam, BeamBoard, beam_search
from hoppers.tablebase.builder import WORKSHOP, Wish
from hoppers.tablebase.elsewhere import elsewhere
from hoppers.tablebase.table_cache import Allowance

BRIEF = (Beam(300, 1.0), Beam(300, 3.0))
"""Beams that somebody waits for: at most 600 boards are opened for each jump. They take 10 to 30 ms and find
nine of ten ways that the wide ones find, with a move or two more."""
NARROW, WIDE = BEAMS[:2], BEAMS[2:]
"""Beams of the background. What follows from the boards that the wide ones keep takes 200 MB to list: where
many play they are left out until fewer do."""
SAVED_SECONDS = 1.0
"""Of processor time that may be spent one after another on those who wait, for all boards together."""
ENOUGH_SECONDS = 0.1
"""With less than that nobody waits."""
EARNED_SECONDS = 0.1
"""That are earned back each second: the rest is found in the background."""
MOST_AT_ONCE = 3
"""Who search or wait for it on one board. More would hold threads that all others need."""
MOST_KEPT = 4096
"""Positions whose way is remembered."""


PURSE = Allowance(SAVED_SECONDS, EARNED_SECONDS)


class Way(NamedTuple):
    """Steps to an end, none where none were found, and whether no more is to be tried."""

    steps: list[Step]
    is_thorough: bool


class Guesses:
    """Ways to the ends of one board's problems. None of them is proved to have the fewest moves."""

    def __init__(self, land: BeamBoard, purse: Allowance = PURSE) -> None:
        """Nothing is known. `purse`: what may be spent on whoever waits."""
        self._land, self._purse = land, purse
        self._ways: OrderedDict[tuple[Position, int], Way] = OrderedDict()
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(MOST_AT_ONCE)

    def way(self, question: Question, thorough: bool = False) -> list[Step] | None:
        """Steps from the root to an end, if some are found soon; what is not is looked for later.

        `thorough`: look for them here and now, however long it takes.
        """
        known = self._ways.get(self._key(question))
        if thorough and not (known and known.is_thorough):
            known = self._search(question, BEAMS)
        elif known is None and self._room.acquire(blocking=False):
            try:
                known = self._wait(question)
            finally:
                self._room.release()
        if known is None or not known.is_thorough:
            can_wait = known is not None  # for a better one, after all else, and not in a crowd
            name = ("way", id(self), *self._key(question))
            WORKSHOP.ask(Wish(name, lambda: self._make(question), heavy=can_wait), later=can_wait)
        return (known and known.steps) or None

    def recall(self, question: Question) -> list[Step] | None:
        """The same, if it is known already: nothing is looked for, now or later."""
        known = self._ways.get(self._key(question))
        return (known and known.steps) or None

    def hear(self, question: Question, moves: list[list[int]]) -> None:
        """Remember a way from a question's position that somebody else has found."""
        legs = [leg for move in moves for leg in itertools.pairwise(move)]
        position, steps = question.position, []
        for leg in legs:
            steps.append(question.puzzle.step(position, *leg))
            position = steps[-1].after
        self._learn(question, steps if question.first is None else steps[1:], BRIEF)

    def _wait(self, question: Question) -> Way | None:
        """What is found soon. There is one search at a time, and none once the purse is empty."""
        with self._lock:
            known = self._ways.get(self._key(question))
            if known is not None or self._purse.left() < ENOUGH_SECONDS:
                return known
            began = time.thread_time()
            try:
                return self._search(question, BRIEF)
            finally:
                self._purse.spend(time.thread_time() - began)

    def _make(self, question: Question) -> Generator[float, None, None]:
        """Look for a way in the background: with the wide beams only where the others find none."""
        known = self._ways.get(self._key(question))
        if known is None or known.steps:
            steps = yield from elsewhere(find_way, question, self._land, NARROW)
            if steps:
                self._learn(question, steps, BEAMS)
                return
            self._keep(question, question.root, Way([], False))
        yield from WORKSHOP.unless_crowded(self._widely(question))

    def _widely(self, question: Question) -> Generator[float, None, None]:
        self._learn(question, (yield from elsewhere(find_way, question, self._land, WIDE)), BEAMS)

    def _search(self, question: Question, beams: tuple[Beam, ...]) -> Way | None:
        """The way that so many beams find, now; None if there may be others that find one."""
        found = beam_search(question, self._land, beams)
        steps: list[Step] = next((steps for steps in found if steps is not None), [])
        self._learn(question, steps, beams)
        return self._ways.get(self._key(question))

    def _learn(self, question: Question, steps: list[Step], beams: tuple[Beam, ...]) -> None:
        """Keep what was found; whoever follows the way is led on along it."""
        is_thorough = beams is BEAMS
        if not steps and not is_thorough:
            return
        self._keep(question, question.root, Way(steps, is_thorough))
        for number, step in enumerate(steps, 1):
            self._keep(question, question.puzzle.settled(step.after), Way(steps[number:], is_thorough))

    @staticmethod
    def _key(question: Question) -> tuple[Position, int]:
        return question.root, question.goal

    def _keep(self, question: Question, position: Position, way: Way) -> None:
        """Remember a way, or the one that is known already, if that has no more moves."""
        known = self._ways.get((position, question.goal))
        if known is not None and known.steps and not (way.steps and _moves(way.steps) < _moves(known.steps)):
            way = Way(known.steps, known.is_thorough or way.is_thorough)
        self._ways[position, question.goal] = way
        if len(self._ways) > MOST_KEPT:
            self._ways.popitem(last=False)


def find_way(
    question: Question, land: BeamBoard, beams: tuple[Beam, ...] = BEAMS
) -> Generator[float, None, list[Step]]:
    """The steps of a way to the end; none where there is none to be found."""
    for steps in beam_search(question, land, beams):
        if steps is not None:
            return steps
        yield 0.0
    return []


def _moves(steps: list[Step]) -> int:
    return sum(step.cost for step in steps)
