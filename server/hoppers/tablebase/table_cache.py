"""Tables of large boards in memory."""

from typing import NamedTuple, Protocol

from hoppers.core.model import UNKNOWN, Position
from hoppers.runtime.lru_cache import LRUCache


class CachedTable(Protocol):
    """A table that knows many positions of one problem."""

    @property
    def bytes(self) -> int:
        """Memory of the table."""
        ...

    def moves_left(self, position: Position) -> int:
        """Return the fewest moves still to be started, or DEAD, or UNKNOWN if the position is outside."""
        ...

    @property
    def counts(self) -> list[int]:
        """Number of boards without an active peg that have 0, 1, 2, … moves left."""
        ...


class CacheHit(NamedTuple):
    """A table that knows a position, the board from which the table was made, and its answer."""

    start: int
    table: CachedTable
    left: int


class TableCache:
    """Tables of all boards together, up to `max_bytes`; the least recently used are dropped."""

    def __init__(self, max_bytes: int) -> None:
        self._tables: LRUCache[tuple[str, int], CachedTable] = LRUCache(
            max_bytes, lambda table: table.bytes, keeps_newest=True
        )

    def put(self, problem: str, start: int, table: CachedTable) -> None:
        """Store a table of a problem, made from the board `start`."""
        self._tables.put((problem, start), table)

    def moves_left(self, problem: str, position: Position) -> int:
        """Return the answer of the first table that knows a position; UNKNOWN if none does."""
        hit = self.find(problem, position)
        return UNKNOWN if hit is None else hit.left

    def find(self, problem: str, position: Position) -> CacheHit | None:
        """Return the most recently used table that knows a position."""
        for key, table in self._tables.items():
            if key[0] == problem and (left := table.moves_left(position)) != UNKNOWN:
                self._tables.get(key)  # counts as a use
                return CacheHit(key[1], table, left)
        return None
