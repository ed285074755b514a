"""Exact answers on peg boards too large for a complete table: from memory, at once, or later.

The answer for a position comes from what the engine knows of it, from a table in memory, from what is stored,
or from a closure, the table of all positions that can follow, if that can be built quickly. The position
class or known pagoda functions may prove a position dead. Otherwise the answer is UNKNOWN, and work in the
background is requested: see `background_proofs`. Every answer except UNKNOWN is proved.
"""

import threading
import time
from typing import NamedTuple

from hoppers.core.model import (
    DEAD,
    UNKNOWN,
    KnownAnswer,
    LocalDistribution,
    MovesLeft,
    Position,
    Progressing,
    Source,
)
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question
from hoppers.puzzles.pegs.background_proofs import BackgroundProofs
from hoppers.puzzles.pegs.bidirectional.search import optimal_positions
from hoppers.puzzles.pegs.large_tables.table_builds import WinningTable, threads_for
from hoppers.puzzles.pegs.large_tables.tables_in_memory import GoalTables, lookup_of
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.unproved_solutions import unproved_solutions
from hoppers.runtime.builder import finish, finish_within
from hoppers.runtime.token_bucket import TokenBucket


class ClosureLimits(NamedTuple):
    """Limits on closures in requests."""

    at_once_boards: int = 200_000  # maximum boards of a closure in a request
    at_once_seconds: float = 0.06
    """Maximum time to build a closure in a request. Closures that take longer are built in the background,
    while the page shows bounds."""
    useful_seconds: float = 0.01
    """Least time left in the budget for beginning a closure of more than `small_boards` boards."""
    small_boards: int = 2_000
    """Maximum boards of a small closure, which a request builds even if the budget is empty, in some four
    milliseconds. A request may try one for each of some twenty steps."""
    small_share: float = 0.7
    """Maximum pegs, as a share of the holes, for a small closure: 23 of 33, 25 of 37, 28 of 41. With more
    pegs, fewer than one in a hundred closures along random games were small enough."""
    saved_seconds: float = 0.08  # capacity of the budget: time that requests may spend on closures in a row
    earned_seconds: float = 0.1
    """Time added to the budget each second, for all boards together: other work has the rest of a core."""
    concurrent: int = 3
    """Maximum requests that build or wait for a closure of one goal; more would occupy too many threads."""


LIMITS = ClosureLimits()


def closure_budget(engine: PuzzleEngine) -> TokenBucket:
    """Return a new budget of seconds for closures in requests (a resource of `engine`)."""
    return TokenBucket(LIMITS.saved_seconds, LIMITS.earned_seconds)


class LargeBoardSource(Source):
    """Source of exact answers for one large board and one goal (hole or ANYWHERE)."""

    def __init__(self, puzzle: Puzzle, goal: int, budget: TokenBucket | None = None) -> None:
        """`budget`: seconds for closures in requests; by default that of the engine."""
        self._puzzle, self._goal, self._board = puzzle, goal, peg_board(puzzle)
        self._engine = puzzle.engine
        self._budget = budget or self._engine.resource(closure_budget)
        self._tables = GoalTables(puzzle, goal)
        self._background = BackgroundProofs(puzzle, goal, self._tables)
        self._lock, self._slots = threading.Lock(), threading.BoundedSemaphore(LIMITS.concurrent)

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN, within some 0.1 seconds."""
        return self.answer(position).left

    def known_answer(self, position: Position) -> KnownAnswer:
        """Return the fewest moves left, their proof, and a shortest solution, within some 0.1 seconds.

        The proof is "" for a position that the rules prove dead, and for one of which every legal step leads
        to a dead position, for the reason "steps".
        """
        answer = self._cheap_answer(position)
        if answer.left == UNKNOWN and self._has_only_dead_steps(position):
            return KnownAnswer(DEAD, "", "steps")
        return answer

    def _cheap_answer(self, position: Position) -> KnownAnswer:
        """Return the answer that is known, or that the rules or a closure built at once give, or UNKNOWN."""
        if not self._board.ends(self._goal, position.state):
            return KnownAnswer(DEAD, "", "class")
        bounds, place = self._engine.bounds, (self._puzzle, self._goal, self._puzzle.canonical(position))
        answer = bounds.answer(*place)
        if answer.left == UNKNOWN:
            answer = self._tables.answer(position)
        if answer.left == UNKNOWN:
            answer = bounds.stored_answer(*place)
        has_few_pegs = self._tables.has_few_pegs(position.state)
        if answer.left == UNKNOWN and has_few_pegs and self.progress(position) is None:
            answer = self._close_at_once(position)
        reason = self._board.dead_reason(self._goal, position.state) if answer.left == UNKNOWN else None
        return answer if reason is None else KnownAnswer(DEAD, "", reason)

    def _has_only_dead_steps(self, position: Position) -> bool:
        """Return whether an unsolved position has no legal step, or each is known to lead to a dead one."""
        return not self._puzzle.is_solved(position, self._goal) and all(
            self._cheap_answer(step.after).left == DEAD for step in self._puzzle.steps(position)
        )

    def is_costly(self, position: Position) -> bool:
        """Return whether a position has too many pegs for a closure in a request."""
        return not self._tables.has_few_pegs(position.state)

    def find_solution(self, position: Position, in_warmup: bool = False) -> None:
        """Search for a solution by beam search, and record it; see `UnprovedSolutions.find_solution`."""
        question = Question(self._puzzle, self._goal, position)
        unproved_solutions(self._puzzle).find_solution(question, in_warmup)

    def progress(self, position: Position) -> float | None:
        """Return the progress, 0 to 1, of a position's table build; None if none is queued or running."""
        return self._background.progress(position)

    def needs_large_build(self, position: Position) -> bool:
        """Return whether `build_solution_lookup` may take hundreds of megabytes: see `BackgroundProofs`."""
        return self._background.needs_large_build(position)

    def request_proof(self, position: Position) -> None:
        """Request work in the background that may answer `position` (see `BackgroundProofs.request`)."""
        known = self._engine.bounds.record(self._puzzle, self._goal, position)
        self._background.request(position, searches=not known.is_decided)

    def local_distribution(self, position: Position) -> LocalDistribution | None:
        """Return the distribution of a table in memory that contains a position, or None if no table does."""
        found = self._tables.find(position)
        if found is None:
            return None
        start, table = found
        return LocalDistribution(table.counts, start, isinstance(table, WinningTable))

    def solution_lookup(self, position: Position) -> MovesLeft | None:
        """Return the look-up in a table in memory that contains `position`, or None if no table does.

        If the position class has no solved board of the goal, the look-up finds every position DEAD.
        """
        if not self._board.ends(self._goal, position.state):
            return lambda after: DEAD
        found = self._tables.find(position)
        return None if found is None else lookup_of(found[1])

    def build_solution_lookup(self, position: Position) -> Progressing[MovesLeft]:
        """Load a stored table or build a closure that contains `position`, and return its look-up.

        If neither is possible, search for the positions on shortest solutions: building a winning table would
        take ten times as long.

        Raises:
            GivenUp: the search gets too little memory, or finds too many positions.
            OSError, RuntimeError: see `BackgroundProofs.build`.
        """
        if not self.needs_large_build(position):
            table = yield from self._background.build(self._background.start_for(position.state))
            if table is not None:
                return lookup_of(table)
        return (yield from optimal_positions(Question(self._puzzle, self._goal, position)))

    def _close_at_once(self, position: Position) -> KnownAnswer:
        """Build a closure unless too many requests do so. Return its answer, or UNKNOWN."""
        if not self._slots.acquire(blocking=False):
            return KnownAnswer(UNKNOWN)
        try:
            with self._lock:
                # Another request may just have built a table or closure that answers.
                answer = self._tables.answer(position)
                return self._close_within_budget(position) if answer.left == UNKNOWN else answer
        finally:
            self._slots.release()

    def _close_within_budget(self, position: Position) -> KnownAnswer:
        began, made = time.monotonic(), None
        if position.state.bit_count() <= LIMITS.small_share * self._board.holes:
            made = finish(self._tables.close(position.state, LIMITS.small_boards))
        seconds = min(self._budget.level(), LIMITS.at_once_seconds)
        if made is None and seconds >= LIMITS.useful_seconds:
            steps = self._tables.close(position.state, LIMITS.at_once_boards, threads_for(self._engine))
            made = finish_within(steps, seconds)
        self._budget.spend(time.monotonic() - began)
        if made is None:
            return KnownAnswer(UNKNOWN)
        self._tables.put(position.state, made)
        return KnownAnswer(made.moves_left(position), table=made.moves_left)
