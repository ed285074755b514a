"""Exact answers on peg boards too large for a complete table: from memory, at once, or in the background.

The answer for a position comes from a table in memory, from an answer proved earlier, or from a closure, the
table of all positions that can follow, if that can be built quickly. The position class or known pagoda
functions may prove a position dead. Otherwise the answer is UNKNOWN, and work in the background is requested:
building a table or a larger closure, and a search. Every answer except UNKNOWN is proved.
"""

import contextlib
import threading
import time
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import NamedTuple

from hoppers.core.events import Events
from hoppers.core.model import (
    DEAD,
    UNKNOWN,
    KnownAnswer,
    LocalDistribution,
    MovesLeft,
    Position,
    Progressing,
    Source,
    Step,
)
from hoppers.core.puzzle import Puzzle, PuzzleEngine, Question
from hoppers.puzzles.pegs.bidirectional.search import optimal_positions, search
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.table_builds import WinningTable, closure_by_file, threads_for, winning_table
from hoppers.puzzles.pegs.tables.closure import Closure, build_closure
from hoppers.puzzles.pegs.tables.winning_table import bundled_path
from hoppers.puzzles.pegs.unproved_solutions import unproved_solutions
from hoppers.runtime.lru_cache import LRUCache
from hoppers.runtime.token_bucket import TokenBucket
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish, finish_within
from hoppers.tablebase.proved_answers import read_answer, write_answer
from hoppers.tablebase.table_method import recorded


class ClosureLimits(NamedTuple):
    """Limits on closures in requests and in the background, and on caches."""

    at_once_share: float = 0.73
    """Maximum pegs, as a share of the holes, for a closure in a request: 24 of 33, 27 of 37, 29 of 41."""
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
    background_share: float = 0.8
    """Maximum pegs, as a share of the holes, for a closure in the background: 29 of 37, 32 of 41."""
    background_boards: int = 16_000_000  # maximum boards of a closure built in the background, in 140 MB
    busy_boards: int = 2_500_000
    """Maximum boards of a closure built under high load, in 40 MB. Larger closures wait for low load."""
    search_seconds: float = 10.0  # maximum time of a background search for the answer of one position
    abandoned_starts: int = 1000
    """Maximum number of start boards to remember, for each goal, whose closures proved too large."""
    learned_positions: int = 1 << 14
    """Maximum number of positions to remember, for each goal, whose answers are proved or stored."""


LIMITS = ClosureLimits()

Table = Closure | WinningTable
TABLES_BYTES = 100_000_000  # memory of cached tables
MAX_TABLES = 64  # cached tables; each mapped one has a file descriptor


def closure_budget(engine: PuzzleEngine) -> TokenBucket:
    """Return a new budget of seconds for closures in requests (a resource of `engine`)."""
    return TokenBucket(LIMITS.saved_seconds, LIMITS.earned_seconds)


def tables_in_memory(engine: PuzzleEngine) -> LRUCache[tuple[str, int], Table]:
    """Return a new cache: (board and goal as a text, start board) -> table (a resource of `engine`)."""
    least = TABLES_BYTES // MAX_TABLES
    return LRUCache(TABLES_BYTES, lambda table: max(table.bytes, least), keeps_newest=True)


class LargeBoardSource(Source):
    """Source of exact answers for one large board and one goal (hole or ANYWHERE)."""

    def __init__(self, puzzle: Puzzle, goal: int, budget: TokenBucket | None = None) -> None:
        """`budget`: seconds for closures in requests; by default that of the engine."""
        self._puzzle, self._goal, self._board = puzzle, goal, peg_board(puzzle)
        self._engine = puzzle.engine
        self._budget = budget or self._engine.resource(closure_budget)
        self._tables = self._engine.resource(tables_in_memory)
        self._cache_key = f"{self._board.name}-{goal}"
        self._learned: LRUCache[Position, int] = LRUCache(LIMITS.learned_positions)
        self._exceeds: LRUCache[int, int] = LRUCache(LIMITS.abandoned_starts)
        """Start -> number of boards that its closure is known to exceed."""
        self._lock, self._slots = threading.Lock(), threading.BoundedSemaphore(LIMITS.concurrent)

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN, within some 0.1 seconds.

        If the result is UNKNOWN, a proof in the background is requested (see `request_proof`).
        """
        return self.known_answer(position).left

    def known_answer(self, position: Position) -> KnownAnswer:
        """Return the answer of `moves_left` and its proof: "kept" if a search has proved it, else "table".

        The proof is "" for a position that the rules prove dead, and for one of which every legal step leads
        to a dead position, for the reason "steps".
        """
        answer = self._cheap_answer(position)
        if answer.left == UNKNOWN and self._has_only_dead_steps(position):
            return KnownAnswer(DEAD, "", "steps")
        if answer.left == UNKNOWN:
            self.request_proof(position)
        return answer

    def _cheap_answer(self, position: Position) -> KnownAnswer:
        """Return the answer that is known, or that the rules or a closure built at once give, or UNKNOWN."""
        if not self._board.ends(self._goal, position.state):
            return KnownAnswer(DEAD, "", "class")
        kept = self._learned.get(position)
        if kept is not None:
            return KnownAnswer(kept, "kept")
        left = self._look_up(position)
        if left != UNKNOWN:
            return KnownAnswer(left)
        left = self._proved_earlier(self._puzzle.canonical(position))
        if left != UNKNOWN:
            return KnownAnswer(left, "kept")
        if self._has_few_pegs(position.state) and self.progress(position) is None:
            left = self._close_at_once(position)
        reason = self._board.dead_reason(self._goal, position.state) if left == UNKNOWN else None
        return KnownAnswer(left) if reason is None else KnownAnswer(DEAD, "", reason)

    def _has_only_dead_steps(self, position: Position) -> bool:
        """Return whether an unsolved position has no legal step, or each is known to lead to a dead one."""
        return not self._puzzle.is_solved(position, self._goal) and all(
            self._cheap_answer(step.after).left == DEAD for step in self._puzzle.steps(position)
        )

    def proved_next_state(self, position: Position) -> int | None:
        """Return the board after the next step of a stored solution.

        The result is None if no solution is stored, or if a table in memory contains `position`.
        """
        if self._from_tables(position) != UNKNOWN:
            return None
        position = self._puzzle.canonical(position)
        left = self._proved_earlier(position)
        for step in self._puzzle.steps(position) if left >= 0 else ():
            after = self._learned.get(step.after)
            if after is not None and 0 <= after == left - step.cost:
                return step.after.state
        return None

    def _proved_earlier(self, position: Position) -> int:
        """Return the moves left or DEAD that an earlier search has proved, else UNKNOWN."""
        if position not in self._learned:
            for at, left in read_answer(self._puzzle, self._goal, position) or ():
                self.learn(at, left)
        kept = self._learned.get(position)
        return UNKNOWN if kept is None else kept

    def _find_table(self, position: Position) -> tuple[int, Table] | None:
        """Return (start board, table) of the most recently used table that contains a position, or None.

        Only tables in memory are tried. The table found becomes the most recently used.
        """
        for key, table in self._tables.items():
            if key[0] == self._cache_key and table.moves_left(position) != UNKNOWN:
                self._tables.get(key)  # counts as a use
                return key[1], table
        return None

    def _from_tables(self, position: Position) -> int:
        """Return the moves left of a position, or DEAD; UNKNOWN if no table in memory contains it."""
        found = self._find_table(position)
        return UNKNOWN if found is None else found[1].moves_left(position)

    def _look_up(self, position: Position) -> int:
        """Return the moves left or DEAD if a table in memory or pagoda functions prove it, else UNKNOWN."""
        left = self._from_tables(position)
        if left != UNKNOWN:
            return left
        ends = self._board.ends(self._goal, position.state)
        return DEAD if self._board.pagodas.proves_dead(position.state, ends) else UNKNOWN

    def learn(self, position: Position, left: int, steps: Sequence[Step] = ()) -> None:
        """Store in memory the fewest moves `left`, or DEAD, and the moves left after each of `steps`."""
        self._learned.put(position, left)
        for step in steps:
            left -= step.cost
            self._learned.put(step.after, left)
            self._learned.put(self._puzzle.canonical(step.after), left)

    def save(self, position: Position, left: int, steps: Sequence[Step] = ()) -> None:
        """Save for later processes the fewest moves `left` from `position`, or DEAD.

        Also save the answer of each costly position along `steps`, a whole shortest solution. A position is
        costly if it has too many pegs for a closure in a request.
        """
        states = [step.after.state for step in steps]
        write_answer(self._puzzle, self._goal, position, left, states)
        for number, step in enumerate(steps, 1):
            left -= step.cost
            if not self._has_few_pegs(step.after.state):
                after = self._puzzle.canonical(step.after)
                write_answer(self._puzzle, self._goal, after, left, states[number:])

    def find_solution(self, position: Position, in_warmup: bool = False) -> None:
        """Search for a solution by beam search, and record it; see `UnprovedSolutions.find_solution`."""
        question = Question(self._puzzle, self._goal, position)
        unproved_solutions(self._puzzle).find_solution(question, in_warmup)

    def progress(self, position: Position) -> float | None:
        """Return the progress, 0 to 1, of a position's table build; None if none is queued or running."""
        return self._engine.builder.progress((self._cache_key, self._start_for(position.state)))

    def local_distribution(self, position: Position) -> LocalDistribution | None:
        """Return the distribution of a table in memory that contains a position, or None if no table does."""
        found = self._find_table(position)
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
        found = self._find_table(position)
        return None if found is None else _lookup_of(found[1])

    def build_solution_lookup(self, position: Position) -> Progressing[MovesLeft]:
        """Load a stored table or build a closure that contains `position`, and return its look-up.

        If neither is possible, search for the positions on shortest solutions: building a winning table would
        take ten times as long.

        Raises:
            GivenUp: the search gets too little memory, or finds too many positions.
            OSError, RuntimeError: see `_build_table`.
        """
        if not self.needs_large_build(position):
            table = yield from self._build_table(self._start_for(position.state))
            if table is not None:
                return _lookup_of(table)
        return (yield from optimal_positions(Question(self._puzzle, self._goal, position)))

    def needs_large_build(self, position: Position) -> bool:
        """Return whether `build_solution_lookup` can only search, which may take hundreds of megabytes.

        If a closure that it tries to build proves too large, `build_solution_lookup` searches although the
        result is False.
        """
        start = self._start_for(position.state)
        supports_tables = self._board.supports_winning_tables
        return not (self._is_stored(start) if supports_tables else self._can_build(start))

    def _is_stored(self, start: int) -> bool:
        """Return whether the winning table from a start is bundled with the program or on disk."""
        name = self._board.table_name(self._goal, start)
        return bundled_path(name).exists() or table_files.is_stored(name)

    def _can_build(self, start: int, most: int = LIMITS.background_boards) -> bool:
        """Return whether a winning table or a closure of up to `most` boards may be built from a board.

        For a closure, the board must have few enough pegs, and its closure must not be known to be larger.
        """
        if self._board.supports_winning_tables:
            return True
        has_few_pegs = start.bit_count() <= LIMITS.background_share * self._board.holes
        return has_few_pegs and (self._exceeds.get(start) or 0) < most

    def _close_at_once(self, position: Position) -> int:
        """Build a closure unless too many requests do so. Return the moves left, DEAD or UNKNOWN."""
        if not self._slots.acquire(blocking=False):
            return UNKNOWN
        try:
            with self._lock:
                # Another request may just have built a table or closure that answers.
                left = self._from_tables(position)
                return self._close_within_budget(position) if left == UNKNOWN else left
        finally:
            self._slots.release()

    def _close_within_budget(self, position: Position) -> int:
        began, made = time.monotonic(), None
        if position.state.bit_count() <= LIMITS.small_share * self._board.holes:
            made = finish(self._close(position.state, LIMITS.small_boards))
        seconds = min(self._budget.level(), LIMITS.at_once_seconds)
        if made is None and seconds >= LIMITS.useful_seconds:
            steps = self._close(position.state, LIMITS.at_once_boards, threads_for(self._engine))
            made = finish_within(steps, seconds)
        self._budget.spend(time.monotonic() - began)
        if made is None:
            return UNKNOWN
        self._tables.put((self._cache_key, position.state), made)
        return made.moves_left(position)

    def _close(self, state: int, most: int, threads: int = 1) -> Progressing[Closure | None]:
        board, ends = self._board, self._board.ends(self._goal, state)
        return build_closure([state], self._goal, board.shifts, most, board.pagodas, ends, threads)

    def _start_for(self, state: int) -> int:
        """Return the start board of the table or closure to build for the board `state`.

        If the puzzle has winning tables and `state` has many pegs, the start is a board with one vacancy that
        leads to `state`, if one is known. Otherwise the start is `state`: a smaller table is built sooner.
        """
        if not self._board.supports_winning_tables or self._has_few_pegs(state):
            return state
        return next(iter(self._board.starts(state)), state)

    def _has_few_pegs(self, state: int) -> bool:
        """Return whether a board has few enough pegs to try a closure in a request."""
        return state.bit_count() <= LIMITS.at_once_share * self._board.holes

    def request_proof(self, position: Position) -> None:
        """Request a background build of a table or closure, and a search that may answer `position` sooner.

        A stored table is only loaded. If no large build may run, only a stored table or a closure of up to
        `busy_boards` boards is requested. Nothing is requested if table or closure would be too large.
        """
        start = self._start_for(position.state)
        if not self._can_build(start):
            return
        supports_tables = self._board.supports_winning_tables
        if supports_tables and self._is_stored(start):
            self._submit(start, partial(self._build_table, start))
        elif self._engine.may_build_large():
            self._submit(start, partial(self._build_table, start), large=True)
            if self._learned.get(position) is None:
                self._submit(position, partial(self._search, position))
        elif not supports_tables and self._can_build(start, LIMITS.busy_boards):
            self._submit(start, partial(self._build_table, start, LIMITS.busy_boards))

    def _submit(self, key: Hashable, start: Callable[[], Progressing[object]], large: bool = False) -> None:
        self._engine.builder.submit((self._cache_key, key), start, large=large)

    def _search(self, position: Position) -> Progressing[None]:
        """Search for the answer of a position until it is known, for up to `LIMITS.search_seconds`."""
        until = time.monotonic() + LIMITS.search_seconds
        with contextlib.closing(prove(Question(self._puzzle, self._goal, position))) as events:
            for _ in events:
                yield 0.0
                if self._look_up(position) != UNKNOWN or time.monotonic() > until:
                    return

    def _build_table(self, start: int, most: int = LIMITS.background_boards) -> Progressing[Table | None]:
        """Build or load the winning table from `start`; on boards too large for such tables build a closure.

        A winning table needs a start of two pegs or more. If a table in memory contains `start`, it is the
        result. The result is cached in memory; a winning table from a start of many pegs also stays on disk.
        None means that the closure has more than `most` boards, which is remembered for `_can_build`.

        Raises:
            OSError: the file of a closure from the worker process cannot be written or read.
            RuntimeError: the worker process fails (see `WorkerProcess.run_build`).
        """
        yield 0.0
        if (found := self._find_table(Position(start))) is not None:
            return found[1]
        table: Table | None
        if self._board.supports_winning_tables:
            is_lasting = not self._has_few_pegs(start)
            table = yield from winning_table(self._puzzle, self._goal, start, is_lasting)
        elif self._engine.builds_remotely:
            table = yield from closure_by_file(self._puzzle, self._goal, start, most)
        else:
            table = yield from self._close(start, most, threads_for(self._engine))
        if table is None:
            self._exceeds.put(start, max(most, self._exceeds.get(start) or 0))
        else:
            self._tables.put((self._cache_key, start), table)
        return table


def prove(question: Question) -> Events:
    """Yield the events of a search, in a worker process if any. The puzzle's source stores the proofs.

    Raises:
        RuntimeError: the worker process fails (see `WorkerProcess.run_build`).
    """
    yield from recorded(lambda question: question.puzzle.engine.run(_search, question))(question)


def _search(engine: PuzzleEngine, question: Question) -> Events:
    yield from search(engine.bind(question))


def _lookup_of(table: Table) -> MovesLeft:
    """Return the look-up in a table, for positions that follow from a position in the table."""
    # `WinningTable.moves_left` would also test whether dead boards can be reached.
    return table.stored_moves_left if isinstance(table, WinningTable) else table.moves_left
