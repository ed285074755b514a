"""Memory of an engine: recently used tables, and the number of bytes that all searches may hold together."""

import threading
import time
from collections.abc import Iterator
from typing import Protocol

from hoppers.core.model import UNKNOWN, Position
from hoppers.runtime.lru_cache import LRUCache


class CachedTable(Protocol):
    """A table of exact answers for many positions of one problem."""

    @property
    def bytes(self) -> int:
        """Memory of the table, in bytes."""
        ...

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN for positions not in the table."""
        ...

    @property
    def counts(self) -> list[int]:
        """Numbers of boards without an active peg that have 0, 1, 2, … moves left."""
        ...


class TableCache:
    """Cache for tables of all boards, up to `max_bytes`; the newest table may be larger.

    The least recently used tables are dropped first. A problem here is a board and a goal, as one text.
    """

    def __init__(self, max_bytes: int) -> None:
        self._tables: LRUCache[tuple[str, int], CachedTable] = LRUCache(
            max_bytes, lambda table: table.bytes, keeps_newest=True
        )

    def put(self, problem: str, start: int, table: CachedTable) -> None:
        """Store a table of a problem, built from the board `start`."""
        self._tables.put((problem, start), table)

    def moves_left(self, problem: str, position: Position) -> int:
        """Return the moves left of a position, or DEAD; UNKNOWN if no table contains the position."""
        found = self.find(problem, position)
        return UNKNOWN if found is None else found[1].moves_left(position)

    def find(self, problem: str, position: Position) -> tuple[int, CachedTable] | None:
        """Return (start board, table) of the most recently used table that contains `position`, or None."""
        for key, table in self._tables.items():
            if key[0] == problem and table.moves_left(position) != UNKNOWN:
                self._tables.get(key)  # counts as a use
                return key[1], table
        return None


class BudgetExceeded(Exception):
    """Refusal of memory because the budget has too few bytes left."""


class MemoryHeld(BudgetExceeded):
    """Refusal of memory because other searches hold it."""


class MemoryBudget:
    """Number of bytes that the searches of an engine may hold together."""

    def __init__(self, size: int) -> None:
        """`size`: the whole budget, in bytes."""
        self.size = self.left = size
        self.lock = threading.Lock()


class Lease:
    """Share of a memory budget that one search holds."""

    def __init__(self, budget: MemoryBudget) -> None:
        """`budget`: the budget from which bytes are taken."""
        self._budget, self._taken = budget, 0

    def take(self, size: int) -> None:
        """Take `size` more bytes from the budget.

        Raises:
            BudgetExceeded: the budget has fewer bytes left.
        """
        with self._budget.lock:
            if size > self._budget.left:
                raise BudgetExceeded
            self._budget.left -= size
            self._taken += size

    def wait_and_take(self, size: int, seconds: float) -> Iterator[None]:
        """Take `size` more bytes as soon as other searches have released enough; yield while waiting.

        Raises:
            MemoryHeld: other searches did not release enough within `seconds`.
            BudgetExceeded: the budget is too small, even without other searches.
        """
        until = time.monotonic() + seconds
        while True:
            try:
                return self.take(size)
            except BudgetExceeded:
                if size > self._budget.size - self._taken:
                    raise
            if time.monotonic() > until:
                raise MemoryHeld
            yield
            time.sleep(0.005)

    def give_back(self, size: int) -> None:
        """Give `size` bytes of this lease back to the budget."""
        with self._budget.lock:
            self._budget.left += size
            self._taken -= size

    def release(self) -> None:
        """Give all bytes of this lease back to the budget."""
        with self._budget.lock:
            self._budget.left += self._taken
            self._taken = 0
