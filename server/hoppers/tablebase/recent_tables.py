"""The complete tables of one puzzle that are in memory."""

from collections.abc import Callable
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from hoppers.core.model import Source
from hoppers.core.puzzle import Solver
from hoppers.runtime.lru_cache import LRUCache

Table = TypeVar("Table", bound=Source)


class RecentTables(Generic[Table]):
    """A function from goal to its complete table, which keeps the most recently used tables in memory.

    A table that is referred to elsewhere counts as in memory, too. A caller that holds a table can therefore
    request it again without waiting, whatever other threads request in the meantime.
    """

    def __init__(self, load: Callable[[int], Table], max_tables: int) -> None:
        """`load`: builds the table of a goal or loads it from disk; may take seconds."""
        self._load = load
        self._recent: LRUCache[int, Table] = LRUCache(max_tables)
        self._alive: WeakValueDictionary[int, Table] = WeakValueDictionary()

    def __call__(self, goal: int) -> Table:
        """Return the table of a goal; build or load it if it is not in memory."""
        table = self._recent.get(goal) or self.loaded(goal)
        if table is None:
            table = self._load(goal)
        self._alive[goal] = table
        self._recent.put(goal, table)
        return table

    def loaded(self, goal: int) -> Table | None:
        """Return the table of a goal if it is in memory, else None; never builds or loads a table."""
        return self._alive.get(goal)


def table_solver(tables: RecentTables[Table]) -> Solver:
    """Return the solver of a puzzle with complete tables."""
    return Solver(tables, loaded_table=tables.loaded)
