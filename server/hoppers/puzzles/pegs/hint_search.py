"""Solutions for hints on positions without a proved answer: found by beam search, and remembered.

A request waits for two narrow beams at most. If they find nothing, wide beams search in the background; those
also look for a shorter solution. No solution here is proved to have the fewest moves.
"""

import itertools
import threading
import time
from collections.abc import Generator
from typing import NamedTuple

from hoppers.core.model import Position, Step
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.beam.search import BEAMS, Beam, BeamBoard, beam_search
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase.builder import BuildRequest
from hoppers.tablebase.engine import Engine

BRIEF = (Beam(300, 1.0), Beam(300, 3.0))
"""Beams that a request waits for: at most 600 boards are expanded for each jump, in 10 to 30 ms. They find
nine of ten solutions that the wide beams find, with a move or two more."""
NARROW, WIDE = BEAMS[:2], BEAMS[2:]
"""Beams of background builds. The closure of the boards of a wide beam takes 200 MB, so wide beams wait for
low load."""


class HintLimits(NamedTuple):
    """Limits on beam searches in requests, for all boards together, and on remembered solutions."""

    saved_seconds: float = 1.0  # of processor time that requests may spend in a row
    earned_seconds: float = 0.1  # earned back each second; the rest is found in the background
    useful_seconds: float = 0.1  # with less saved time no search is begun in a request
    concurrent: int = 3  # requests that search or wait on one board; more would hold threads others need
    remembered_positions: int = 4096  # positions whose solution is remembered


LIMITS = HintLimits()


class BeamBudget:
    """Budget of processor time for beam searches in requests, shared by all boards of an engine."""

    def __init__(self, engine: Engine) -> None:
        self.seconds = TokenBucket(LIMITS.saved_seconds, LIMITS.earned_seconds)


class KnownSolution(NamedTuple):
    """Steps of a solution, empty if none was found, and whether all beams have been tried."""

    steps: list[Step]
    is_thorough: bool


class HintSearch:
    """Beam searches for solutions of the problems of one board, which remember the best solutions found."""

    def __init__(self, engine: Engine, board: BeamBoard, budget: TokenBucket | None = None) -> None:
        self._engine, self._board = engine, board
        self._budget = budget or engine.resource(BeamBudget).seconds
        self._solutions: LRUCache[tuple[Position, int], KnownSolution] = LRUCache(LIMITS.remembered_positions)
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(LIMITS.concurrent)

    def find_solution(self, question: Question, thorough: bool = False) -> list[Step] | None:
        """Return the steps of a solution from the root that is known or quickly found, or None.

        If not all beams have been tried, a search in the background is requested. `thorough`: search with all
        beams in this call, however long they take.
        """
        known = self._solutions.get(self._key(question))
        if thorough and not (known and known.is_thorough):
            known = self._search(question, BEAMS)
        elif known is None and self._slots.acquire(blocking=False):
            try:
                known = self._search_within_budget(question)
            finally:
                self._slots.release()
        if known is None or not known.is_thorough:
            only_better = known is not None  # after all other builds, and not under high load
            key = ("solution", id(self), *self._key(question))
            request = BuildRequest(key, lambda: self._build(question), large=only_better)
            self._engine.builder.submit(request, low_priority=only_better)
        return (known and known.steps) or None

    def known_solution(self, question: Question) -> list[Step] | None:
        """Return the steps of a remembered solution from the root, or None, without any search."""
        known = self._solutions.get(self._key(question))
        return (known and known.steps) or None

    def on_solution_found(self, question: Question, moves: list[list[int]]) -> None:
        """Remember the solution `moves` that a search has found from a question's position."""
        position, steps = question.position, []
        for origin, target in (step for move in moves for step in itertools.pairwise(move)):
            steps.append(question.puzzle.step(position, origin, target))
            position = steps[-1].after
        self._learn(question, steps if question.first is None else steps[1:], BRIEF)

    def _search_within_budget(self, question: Question) -> KnownSolution | None:
        """Search with the brief beams, one request at a time, if the budget has enough time.

        Return the remembered solution, or None.
        """
        with self._lock:
            known = self._solutions.get(self._key(question))
            if known is not None or self._budget.level() < LIMITS.useful_seconds:
                return known
            began = time.thread_time()
            try:
                return self._search(question, BRIEF)
            finally:
                self._budget.spend(time.thread_time() - began)

    def _build(self, question: Question) -> Generator[float, None, None]:
        """Search in the background, with the wide beams only if the narrow beams find no solution."""
        known = self._solutions.get(self._key(question))
        if known is None or known.steps:
            steps = yield from self._engine.run(find_solution, question, self._board, NARROW)
            if steps:
                self._learn(question, steps, BEAMS)
                return
            self._remember(question, question.root, KnownSolution([], False))
        yield from self._engine.builder.large_part(self._build_with_wide_beams(question))

    def _build_with_wide_beams(self, question: Question) -> Generator[float, None, None]:
        steps = yield from self._engine.run(find_solution, question, self._board, WIDE)
        self._learn(question, steps, BEAMS)

    def _search(self, question: Question, beams: tuple[Beam, ...]) -> KnownSolution | None:
        """Search with `beams` for a solution, remember it, and return the best remembered solution.

        None means that no solution is remembered and other beams may find one.
        """
        found = beam_search(question, self._board, beams)
        steps: list[Step] = next((steps for steps in found if steps is not None), [])
        self._learn(question, steps, beams)
        return self._solutions.get(self._key(question))

    def _learn(self, question: Question, steps: list[Step], beams: tuple[Beam, ...]) -> None:
        """Remember a solution for the root and for every position along it.

        Empty `steps` are remembered only if all beams were tried.
        """
        is_thorough = beams is BEAMS
        if not steps and not is_thorough:
            return
        self._remember(question, question.root, KnownSolution(steps, is_thorough))
        for number, step in enumerate(steps, 1):
            rest = KnownSolution(steps[number:], is_thorough)
            self._remember(question, question.puzzle.canonical(step.after), rest)

    @staticmethod
    def _key(question: Question) -> tuple[Position, int]:
        return question.root, question.goal

    def _remember(self, question: Question, position: Position, new: KnownSolution) -> None:
        """Remember a solution for a position, unless the remembered solution has no more moves than `new`."""
        known = self._solutions.get((position, question.goal))
        if known is not None and known.steps and not (new.steps and _moves(new.steps) < _moves(known.steps)):
            new = KnownSolution(known.steps, known.is_thorough or new.is_thorough)
        self._solutions.put((position, question.goal), new)


def find_solution(
    engine: Engine, question: Question, board: BeamBoard, beams: tuple[Beam, ...] = BEAMS
) -> Generator[float, None, list[Step]]:
    """Return the steps of the first solution that the beams find, or an empty list.

    This is a build that can run in a worker process. Yield 0.0 between slices.
    """
    for steps in beam_search(engine.bind(question), board, beams):
        if steps is not None:
            return steps
        yield 0.0
    return []


def _moves(steps: list[Step]) -> int:
    return sum(step.cost for step in steps)
