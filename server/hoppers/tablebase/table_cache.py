"""Cache of tables of large boards in memory."""

from typing import NamedTuple, Protocol

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


class CacheHit(NamedTuple):
    """A table that contains a position, the board it was built from, and the moves left of the position."""

    start: int
    table: CachedTable
    left: int


class TableCache:
    """Cache for the tables of all boards, up to `max_bytes`. The least recently used are dropped first."""

    def __init__(self, max_bytes: int) -> None:
        self._tables: LRUCache[tuple[str, int], CachedTable] = LRUCache(
            max_bytes, lambda table: table.bytes, keeps_newest=True
        )

    def put(self, problem: str, start: int, table: CachedTable) -> None:
        """Store a table of a problem, built from the board `start`."""
        self._tables.put((problem, start), table)

    def moves_left(self, problem: str, position: Position) -> int:
        """Return the moves left of a position from the first table that contains it, or DEAD, or UNKNOWN."""
        hit = self.find(problem, position)
        return UNKNOWN if hit is None else hit.left

    def find(self, problem: str, position: Position) -> CacheHit | None:
        """Return the most recently used table that contains a position, or None if no table does."""
        for key, table in self._tables.items():
            if key[0] == problem and (left := table.moves_left(position)) != UNKNOWN:
                self._tables.get(key)  # counts as a use
                return CacheHit(key[1], table, left)
        return None
