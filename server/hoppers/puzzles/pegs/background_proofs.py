"""Background work for positions of large peg boards without an answer: tables to load or build, and searches.

On a board that supports winning tables, the table of a start with one vacancy is loaded or built; on others,
the closure of the position, unless it is known to be too large. A search may prove the answer sooner.
"""

import contextlib
import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import NamedTuple

from hoppers.core.events import Events
from hoppers.core.model import UNKNOWN, Position, Progressing
from hoppers.core.puzzle import Puzzle, Question
from hoppers.puzzles.pegs.bidirectional.search import search
from hoppers.puzzles.pegs.large_tables.table_builds import threads_for, winning_table
from hoppers.puzzles.pegs.large_tables.tables_in_memory import GoalTables, Table
from hoppers.puzzles.pegs.tables.winning_table import bundled_path
from hoppers.runtime.lru_cache import LRUCache
from hoppers.tablebase import table_files
from hoppers.tablebase.best_method import recorded


class BackgroundLimits(NamedTuple):
    """Limits on closures and searches in the background."""

    background_share: float = 0.8
    """Maximum pegs, as a share of the holes, for a closure in the background: 29 of 37, 32 of 41."""
    background_boards: int = 16_000_000  # maximum boards of a closure built in the background, in 140 MB
    busy_boards: int = 2_500_000
    """Maximum boards of a closure built under high load, in 40 MB. Larger closures wait for low load."""
    proof_seconds: float = 10.0  # maximum time of a background search for the answer of one position
    abandoned_starts: int = 1000
    """Maximum number of start boards to remember, for each goal, whose closures proved too large."""


LIMITS = BackgroundLimits()


class BackgroundProofs:
    """Builds and searches that may answer positions of one large board and one goal later."""

    def __init__(self, puzzle: Puzzle, goal: int, tables: GoalTables) -> None:
        self._puzzle, self._goal, self._tables = puzzle, goal, tables
        self._engine, self._board = puzzle.engine, tables.board
        self._exceeds: LRUCache[int, int] = LRUCache(LIMITS.abandoned_starts)
        """Start -> number of boards that its closure is known to exceed."""

    def progress(self, position: Position) -> float | None:
        """Return the progress, 0 to 1, of a position's table build; None if none is queued or running."""
        return self._engine.builder.progress((self._tables.key, self.start_for(position.state)))

    def request(self, position: Position, searches: bool) -> None:
        """Request a background build of a table or closure, and a search that may answer `position` sooner.

        A stored table is only loaded. If no large build may run, only a stored table or a closure of up to
        `busy_boards` boards is requested. Nothing is requested if table or closure would be too large.
        `searches`: whether to request the search, too.
        """
        start = self.start_for(position.state)
        if not self.can_build(start):
            return
        supports_tables = self._board.supports_winning_tables
        if supports_tables and self._is_stored(start):
            self._submit(start, partial(self.build, start))
        elif self._engine.may_build_large():
            self._submit(start, partial(self.build, start), large=True)
            if searches:
                self._submit(position, partial(self._search, position))
        elif not supports_tables and self.can_build(start, LIMITS.busy_boards):
            self._submit(start, partial(self.build, start, LIMITS.busy_boards))

    def needs_large_build(self, position: Position) -> bool:
        """Return whether `Source.build_solution_lookup` can only search, which takes much memory.

        If a closure that it tries to build proves too large, it searches although the result is False.
        """
        start = self.start_for(position.state)
        supports_tables = self._board.supports_winning_tables
        return not (self._is_stored(start) if supports_tables else self.can_build(start))

    def _is_stored(self, start: int) -> bool:
        """Return whether the winning table from a start is bundled with the program or on disk."""
        name = self._board.table_name(self._goal, start)
        return bundled_path(name).exists() or table_files.is_stored(name)

    def can_build(self, start: int, most: int = LIMITS.background_boards) -> bool:
        """Return whether a winning table or a closure of up to `most` boards may be built from a board.

        For a closure, the board must have few enough pegs, and its closure must not be known to be larger.
        """
        if self._board.supports_winning_tables:
            return True
        has_few_pegs = start.bit_count() <= LIMITS.background_share * self._board.holes
        return has_few_pegs and (self._exceeds.get(start) or 0) < most

    def start_for(self, state: int) -> int:
        """Return the start board of the table or closure to build for the board `state`.

        If the puzzle has winning tables and `state` has many pegs, the start is a board with one vacancy that
        leads to `state`, if one is known. Otherwise the start is `state`: a smaller table is built sooner.
        """
        if not self._board.supports_winning_tables or self._tables.has_few_pegs(state):
            return state
        return next(iter(self._board.starts(state)), state)

    def _submit(self, key: Hashable, start: Callable[[], Progressing[object]], large: bool = False) -> None:
        self._engine.builder.submit((self._tables.key, key), start, large=large)

    def _search(self, position: Position) -> Progressing[None]:
        """Search for the answer of a position until it is known, for up to `LIMITS.proof_seconds`."""
        until = time.monotonic() + LIMITS.proof_seconds
        with contextlib.closing(prove(Question(self._puzzle, self._goal, position))) as events:
            for _ in events:
                yield 0.0
                if self._tables.answer(position).left != UNKNOWN or time.monotonic() > until:
                    return

    def build(self, start: int, most: int = LIMITS.background_boards) -> Progressing[Table | None]:
        """Build or load the winning table from `start`; on boards too large for such tables build a closure.

        A winning table needs a start of two pegs or more. If a table in memory contains `start`, it is the
        result. The result is cached in memory; a winning table from a start of many pegs also stays on disk.
        None means that the closure has more than `most` boards, which is remembered for `can_build`.
        """
        yield 0.0
        if (found := self._tables.find(Position(start))) is not None:
            return found[1]
        table: Table | None
        if self._board.supports_winning_tables:
            is_lasting = not self._tables.has_few_pegs(start)
            table = yield from winning_table(self._puzzle, self._goal, start, is_lasting)
        else:
            table = yield from self._tables.close(start, most, threads_for(self._engine))
        if table is None:
            self._exceeds.put(start, max(most, self._exceeds.get(start) or 0))
        else:
            self._tables.put(start, table)
        return table


def prove(question: Question) -> Events:
    """Yield the events of a search. The puzzle's source stores the proofs."""
    yield from recorded(question, search(question), 0)
