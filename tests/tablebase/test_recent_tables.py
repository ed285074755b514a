"""Tables in memory: the most recently used ones, and those in use."""

from hoppers.core.model import Source
from hoppers.tablebase.memory import RecentTables


def test_least_recently_used_table_is_loaded_again() -> None:
    loaded = list[int]()

    def load(goal: int) -> Source:
        loaded.append(goal)
        return Source()

    tables = RecentTables(load, 2)
    assert tables.loaded(0) is None
    for goal in (0, 1, 0, 2):
        assert tables(goal) is tables.loaded(goal)
    assert loaded == [0, 1, 2]
    assert [tables.loaded(goal) is None for goal in (0, 1, 2)] == [False, True, False]
    tables(1)
    assert loaded == [0, 1, 2, 1]


def test_table_in_use_is_never_loaded_again() -> None:
    tables = RecentTables(lambda goal: Source(), 1)
    used = tables(0)
    tables(1)
    assert tables(0) is used
