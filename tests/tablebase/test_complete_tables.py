"""Complete tables of small boards: made once on a machine, mapped by every process, made again if damaged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoppers.tablebase import complete_tables


class Maker:
    """Makes a table, and counts how often."""

    def __init__(self, size: int) -> None:
        self.size, self.made = size, 0

    def __call__(self) -> Any:
        self.made += 1
        return np.arange(self.size, dtype=np.uint8)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[Path]]:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return lambda: sorted(tmp_path.glob("tables-*/complete-*.table"))


def test_a_table_is_made_once_and_mapped_by_all(files: Callable[[], list[Path]]) -> None:
    maker, size = Maker(complete_tables.LEAST_BYTES), complete_tables.LEAST_BYTES
    one, other = complete_tables.table("a board", size, maker), complete_tables.table("a board", size, maker)
    assert maker.made == 1
    assert one.tobytes() == other.tobytes() == Maker(size)().tobytes()
    assert [one.flags.writeable, other.flags.writeable] == [False, False]
    [file] = files()
    assert Path("/proc/self/maps").read_text().count(file.name) == 2


def test_another_board_has_another_table(files: Callable[[], list[Path]]) -> None:
    maker, size = Maker(complete_tables.LEAST_BYTES), complete_tables.LEAST_BYTES
    for what in ("a board", "another", ("a board", 1), ("a board", 2)):
        complete_tables.table(what, size, maker)
    assert (maker.made, len(files())) == (4, 4)


def test_a_damaged_table_is_made_again(files: Callable[[], list[Path]]) -> None:
    maker, size = Maker(complete_tables.LEAST_BYTES), complete_tables.LEAST_BYTES
    complete_tables.table("a board", size, maker)
    [file] = files()
    file.write_bytes(file.read_bytes()[:-9] + b"\x07" * 9)
    assert complete_tables.table("a board", size, maker).tobytes() == Maker(size)().tobytes()
    assert maker.made == 2


def test_a_tiny_table_is_no_file(files: Callable[[], list[Path]]) -> None:
    maker = Maker(9)
    table = complete_tables.table("a tiny board", 9, maker)
    assert (table.tolist(), table.flags.writeable, files()) == (list(range(9)), False, [])
