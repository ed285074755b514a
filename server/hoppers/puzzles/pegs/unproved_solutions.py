"""Solutions of positions without a proved answer, found by beam search and stored in `Engine.bounds`.

A request waits for two brief beams at most. Wider beams then search in the background, also for a shorter
solution than the brief beams have found. No solution here is proved to have the fewest moves from its root.

A solution of a beam search is often a move or two too long. From a later position of the solution, with fewer
pegs, a shortest end is proved in a fraction of a second. That end replaces the rest of the solution.
"""

import contextlib
import threading
import time
from functools import partial
from typing import NamedTuple

from hoppers.core.events import Exhausted, Solved
from hoppers.core.model import Progressing, Step, cost_of, steps_of
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question, cached_in_puzzle
from hoppers.puzzles.pegs.beam_search import BEAMS, Beam, beam_search
from hoppers.puzzles.pegs.bidirectional.search import search
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.search.slicing import Pausable, report_progress

BRIEF = (Beam(300, 1.0), Beam(300, 3.0))
"""Beams that a request waits for: at most 600 boards are expanded for each jump, in 10 to 30 ms. These beams
solve nine of ten positions that the wide beams solve, with a move or two more."""
NARROW, WIDE = BEAMS[:2], BEAMS[2:]
"""Beams of background builds, the wide beams last. The closure of a wide beam's boards takes 200 MB, so wide
beams wait for low load."""


class UnprovedLimits(NamedTuple):
    """Limits on beam searches in requests, on remembered positions, and on proofs of a solution's end."""

    saved_seconds: float = 1.0  # processor time that requests may spend in a row
    earned_seconds: float = 0.1  # added to the budget each second; further searches run in the background
    useful_seconds: float = 0.1  # with less time in the budget, no search begins in a request
    concurrent: int = 3  # requests that search or wait on one board; more would occupy too many threads
    remembered_positions: int = 4096  # questions whose entries in `_next_beams` are kept
    end_shares: tuple[float, ...] = (0.75, 0.6, 0.45)
    """Numbers of pegs, as shares of the holes, at which the end to be proved begins; tried in turn."""
    end_seconds: float = 1.0  # maximum time of the proof from one position


LIMITS = UnprovedLimits()


def beam_budget(engine: PuzzleEngine) -> TokenBucket:
    """Return a new budget of processor time for beam searches in requests (a resource of `engine`)."""
    return TokenBucket(LIMITS.saved_seconds, LIMITS.earned_seconds)


class UnprovedSolutions:
    """Beam searches for solutions on one board. The best solutions are stored in `Engine.bounds`."""

    def __init__(self, engine: PuzzleEngine, budget: TokenBucket | None = None) -> None:
        self._engine = engine
        self._budget = budget or engine.resource(beam_budget)
        self._next_beams: LRUCache[Question, tuple[Beam, ...]] = LRUCache(LIMITS.remembered_positions)
        """Question -> beams of its next background search; () once one has found a solution or tried all.

        An entry is made once the brief beams have found a solution or the narrow beams have been tried."""
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(LIMITS.concurrent)

    def find_solution(self, question: Question, in_warmup: bool = False) -> None:
        """Search for a solution from the root with the brief beams, as far as budget and load allow.

        A call requests a background search, until one has found a solution or tried all beams. `in_warmup`:
        run only the brief beams, whatever the budget has left, because they run all kernels of beam searches.
        """
        if in_warmup:
            self._search_briefly(question)
            return
        if self._next_beams.get(question) is None and self._slots.acquire(blocking=False):
            try:
                self._search_within_budget(question)
            finally:
                self._slots.release()
        self._request_build(question)

    def _search_within_budget(self, question: Question) -> None:
        """Search with the brief beams, one request at a time, if the budget has time and load is low."""
        with self._lock:
            has_time = self._budget.level() >= LIMITS.useful_seconds and not self._engine.is_busy()
            if self._next_beams.get(question) is not None or not has_time:
                return
            began = time.thread_time()
            try:
                self._search_briefly(question)
            finally:
                self._budget.spend(time.thread_time() - began)

    def _search_briefly(self, question: Question) -> None:
        """Record the first solution of the brief beams, if they find one."""
        for steps in beam_search(question, BRIEF):
            if steps is not None:
                self._engine.bounds.learn_line(question.puzzle, question.goal, question.root, steps)
                if self._next_beams.get(question) is None:
                    self._next_beams.put(question, NARROW)
                return

    def _request_build(self, question: Question) -> None:
        """Request a background search with the next beams, if there are any (see `_next_beams`).

        Once the brief beams have found a solution or the narrow beams have been tried, the search is a large
        build of low priority: it runs after other large builds, and is dropped under high load.
        """
        next_beams = self._next_beams.get(question)
        if next_beams != ():
            beams, can_wait = next_beams or NARROW, next_beams is not None
            key = "solution", question.puzzle.id, question.goal, question.root, beams
            start = partial(self._build, question, beams)
            self._engine.builder.submit(key, start, large=can_wait, low_priority=can_wait)

    def _build(self, question: Question, beams: tuple[Beam, ...]) -> Progressing[None]:
        """Run a background search. Request the wide beams if the narrow beams find no solution."""
        steps = yield from first_solution(question, beams)
        self._engine.bounds.learn_line(question.puzzle, question.goal, question.root, steps)
        self._next_beams.put(question, () if steps or beams is WIDE else WIDE)
        self._request_build(question)


@cached_in_puzzle
def unproved_solutions(puzzle: Puzzle) -> UnprovedSolutions:
    """Return the `UnprovedSolutions` that all goals of a puzzle share."""
    return UnprovedSolutions(puzzle.engine)


def first_solution(question: Question, beams: tuple[Beam, ...]) -> Progressing[list[Step]]:
    """Return the first solution of the beams, shortened by `with_proved_end` if possible.

    The result is an empty list if the beams find no solution. Yield 0.0 between slices.
    """
    with contextlib.closing(beam_search(question, beams)) as solutions:  # closed, it holds no memory
        for steps in solutions:
            if steps is not None:
                break
            yield 0.0
        else:
            return []
    return (yield from report_progress(0.0, with_proved_end(question, steps)))


def with_proved_end(
    question: Question, steps: list[Step], seconds: float = LIMITS.end_seconds
) -> Pausable[list[Step]]:
    """Return the solution `steps` with its end replaced by a shortest end, or unchanged if none is proved.

    The beginnings of the end (`LIMITS.end_shares`) are tried in turn, each for `seconds`, until a shortest
    end is proved. Yield None between slices.
    """
    puzzle, pegs = question.puzzle, question.root.state.bit_count()
    for most in (int(share * puzzle.holes) for share in LIMITS.end_shares):
        made = pegs - most  # number of steps: each removes one peg
        if 0 < made < len(steps):
            end = Question(puzzle, question.goal, puzzle.canonical(steps[made - 1].after))
            shortest = yield from _shortest(end, steps[made:], seconds)
            if shortest is not None:
                return steps[:made] + shortest
    return steps


def _shortest(question: Question, steps: list[Step], seconds: float) -> Pausable[list[Step] | None]:
    """Return the steps of a shortest solution, or None if no solution is proved shortest within `seconds`.

    `steps`: a solution, which is the result if all smaller limits are exhausted.
    """
    until = time.monotonic() + seconds
    for event in search(question):
        if isinstance(event, Solved):
            return question.puzzle.replay(question.root, steps_of(event.moves))
        if isinstance(event, Exhausted) and event.limit >= cost_of(steps) - 1:
            return steps
        if time.monotonic() > until:
            break
        yield None
    return None
