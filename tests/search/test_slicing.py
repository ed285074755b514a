"""Work in slices: its amount per slice is bounded, and the slice size does not change any result."""

from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from hoppers.core.events import Event, Exhausted, Solved
from hoppers.core.puzzle import Question
from hoppers.puzzles.pegs.bidirectional import search as bidirectional
from hoppers.puzzles.pegs.jump_masks import MAX_JUMPS
from hoppers.puzzles.pegs.large_tables.table_builds import WinningTable, load_or_build_table
from hoppers.puzzles.pegs.peg_board import PegBoard
from hoppers.puzzles.pegs.tables import bitset, closure, hash_buckets, winning_table
from hoppers.puzzles.pegs.tables.closure import Closure, build_closure
from hoppers.runtime.builder import finish
from hoppers.search.slicing import copy_in_slices, slices, touch_pages
from hoppers.tablebase import table_files
from tests.support.engine import find

ENGLISH, TRIANGLE = find("english-33"), find("triangle-21")
START = 0b000000111000001101100100110100110
"""A board of English 33 with 14 pegs."""


def board_of(puzzle: Any) -> PegBoard:
    return PegBoard(puzzle.board)


def closure_steps() -> Generator[float, None, Closure | None]:
    return build_closure([START], -1, board_of(ENGLISH).shifts, 10**6)


def table_steps() -> Generator[float, None, WinningTable]:
    return load_or_build_table(board_of(TRIANGLE), 6, (1 << 21) - 1 ^ 1 << 6, from_file=False)


class WorkCounter:
    """Counter of the work done by each kernel, in units that the caller of `count` chooses."""

    def __init__(self) -> None:
        self.done: dict[str, int] = {}

    def count(
        self, patch: pytest.MonkeyPatch, where: ModuleType, name: str, size: Callable[..., int]
    ) -> None:
        """Count the work of each call of kernel `name`: `size(arguments, result)`."""
        kernel = getattr(where, name)

        def counted(*arguments: Any) -> Any:
            result = kernel(*arguments)
            self.done[name] = self.done.get(name, 0) + size(arguments, result)
            return result

        patch.setattr(where, name, counted)

    def most_per_slice(self, steps: Iterator[Any]) -> dict[str, int]:
        """Return the most work of each kernel between two pauses, by name."""
        most: dict[str, int] = {}
        for _ in steps:
            most |= {name: max(count, most.get(name, 0)) for name, count in self.done.items()}
            self.done.clear()
        return most


def range_length(arguments: Any, _: Any) -> int:
    """Return the length of the range given by the second and third argument."""
    return int(arguments[2] - arguments[1])


def test_closure_work_per_slice_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    work = WorkCounter()
    work.count(monkeypatch, closure, "list_successors", lambda given, made: int(made[0] - given[1]))
    work.count(monkeypatch, closure, "insert_hashes", lambda given, _: int(given[1].sum()))
    for name in ("rehash", "count_buckets", "fill_buckets"):
        work.count(monkeypatch, hash_buckets, name, range_length)
    monkeypatch.setattr(closure, "BOARDS_PER_SLICE", 100)
    monkeypatch.setattr(hash_buckets, "SLOTS_PER_SLICE", 200)
    most = work.most_per_slice(closure_steps())
    assert 0 < most.pop("insert_hashes") <= 100 * MAX_JUMPS
    assert most == {
        "list_successors": 100,
        "rehash": 200,
        "count_buckets": 200,
        "fill_buckets": 200,
    }


def test_table_work_per_slice_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    work = WorkCounter()
    work.count(monkeypatch, bitset, "add_ranked", lambda given, _: len(given[0]))
    work.count(monkeypatch, bitset, "pop_block_keys", range_length)
    most = work.most_per_slice(table_steps())
    assert 0 < most["add_ranked"] <= bitset.KEYS_PER_SLICE
    assert 0 < most["pop_block_keys"] <= bitset.BLOCKS_PER_SLICE


def test_slice_size_does_not_change_a_closure(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finish(closure_steps())
    for where, name, size in (
        (closure, "BOARDS_PER_SLICE", 7),
        (hash_buckets, "SLOTS_PER_SLICE", 64),
        (closure, "BOARDS_PER_PACK", 8),
    ):
        monkeypatch.setattr(where, name, size)
    steps = closure_steps()
    number = sum(1 for _ in steps)
    cut = finish(closure_steps())
    assert whole is not None and cut is not None and number > whole.size // 7
    assert (cut.size, cut.counts) == (whole.size, whole.counts)
    for pegs, level in whole.levels.items():
        boards = hash_buckets.sample_boards(level, level.size or 1) if level.size else []
        values = [closure.value_of(np.uint64(board), level) for board in boards]
        assert values == [closure.value_of(np.uint64(board), cut.levels[pegs]) for board in boards]


def test_slice_size_does_not_change_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = finish(table_steps())
    monkeypatch.setattr(winning_table, "BOARDS_PER_SLICE", 50)
    monkeypatch.setattr(bitset, "BLOCKS_PER_SLICE", 3)
    cut = finish(table_steps())
    assert (whole.first == cut.first).all() and (whole.keys == cut.keys).all()
    assert (whole.fewest == cut.fewest).all() and len(whole.keys) == 2836


def search_events() -> Iterator[Event]:
    return bidirectional.search(Question(TRIANGLE, 6, TRIANGLE.parse(TRIANGLE.start)))


def rows_of(events: Iterator[Event]) -> list[tuple[bool, int]]:
    """Return (is solved, limit) of every limit."""
    rows = [event for event in events if isinstance(event, Exhausted | Solved)]
    return [(isinstance(row, Solved), row.limit) for row in rows]


def test_search_work_per_slice_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, work = rows_of(search_events()), WorkCounter()
    work.count(monkeypatch, bidirectional, "move_entries", lambda given, _: int(given[3] - given[2]))
    work.count(monkeypatch, bidirectional, "insert_lists", lambda given, _: sum(given[1]))
    tuning = bidirectional.TUNING._replace(slots_per_slice=64, moved_per_slice=100, output=4096, growth=0.5)
    monkeypatch.setattr(bidirectional, "TUNING", tuning)
    most = work.most_per_slice(search_events())
    assert most["move_entries"] == 100
    assert 0 < most["insert_lists"] <= 4 * tuning.output
    assert rows_of(search_events()) == whole


def test_table_files_are_written_and_checked_in_slices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    monkeypatch.setattr(table_files, "BYTES_PER_SLICE", 4096)
    values = {"values": np.arange(10_000)}  # 80,000 bytes: 20 pages
    assert sum(1 for _ in table_files.save("some", values)) == 20
    assert sum(1 for _ in table_files.load("some")) == 20
    leaving = table_files.save("other", values)
    next(leaving)
    leaving.close()
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["some.table"]


def test_slices_cover_a_length_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for length in (0, 1, 6, 7, 8, 20):
        covered = [number for start, stop in slices(length, 7) for number in range(start, stop)]
        assert covered == list(range(length))
    into = np.zeros(20)
    finish(copy_in_slices(np.arange(20), into))
    assert into.tolist() == list(range(20))
    monkeypatch.setattr("hoppers.search.slicing.LARGE_PAGE", 4096)
    assert sum(1 for _ in touch_pages(np.zeros(2048))) == 4
