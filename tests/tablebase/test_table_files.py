"""Table files: built once per machine, checked when read, deleted when their share of the disk is full."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoppers import puzzles
from hoppers.core.model import UNKNOWN, Position
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.tablebase import table_files
from hoppers.tablebase.builder import finish
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.table_files import MIN_SHARED_BYTES, load_or_fill_table
from tests.puzzles.pegs.test_large_boards import vacated
from tests.support.engine import find


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return tmp_path


def test_source_answers_after_building_and_then_from_disk(own_cache: Path) -> None:
    puzzle = find("english-33")
    rng, position = random.Random(3), Position(vacated(puzzle, 1))
    while position.state.bit_count() > 26:
        position = rng.choice(puzzle.steps(position)).after
    start = vacated(puzzle, 1)
    engine = Engine(puzzles.PUZZLES)
    source = LargeBoardSource(engine.find("english-33"), 31)
    assert source.moves_left(position) == UNKNOWN
    assert source.progress(position) is not None
    assert engine.builder.join(120)
    assert source.moves_left(Position(start)) >= 0
    assert source.moves_left(position) != UNKNOWN
    assert source.progress(position) is None
    [stored] = own_cache.glob("tables-*/*.table")
    other = Engine(puzzles.PUZZLES)
    other.is_busy = lambda: True  # stored tables are loaded under high load, too
    again = LargeBoardSource(other.find("english-33"), 31)
    again.moves_left(Position(start))
    assert other.builder.join(60)
    assert again.moves_left(Position(start)) == source.moves_left(Position(start))
    stored.write_bytes(stored.read_bytes()[:-5000] + b"x" * 5000)
    assert finish(table_files.load(stored.stem)) is None
    assert not stored.exists()


def test_file_holds_the_arrays_of_the_largest_closure(own_cache: Path) -> None:
    arrays = {f"{pegs} {name}": np.full(pegs, pegs) for pegs in range(41) for name in "abcde"}
    finish(table_files.save("many", arrays))
    loaded = finish(table_files.load("many"))
    assert loaded is not None and loaded.keys() == arrays.keys()
    assert all((loaded[name] == values).all() for name, values in arrays.items())


def test_damaged_array_is_detected(own_cache: Path) -> None:
    finish(table_files.save("some", {"keys": np.arange(100_000)}))
    [path] = own_cache.glob("tables-*/some.table")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert finish(table_files.load("some")) is None
    assert not path.exists()


@pytest.mark.parametrize("offset", [5, 40, 90])
def test_damaged_header_is_detected(own_cache: Path, offset: int) -> None:
    finish(table_files.save("some", {"keys": np.arange(1000), "more": np.zeros((0, 3))}))
    [path] = own_cache.glob("tables-*/some.table")
    content = bytearray(path.read_bytes())
    content[offset] ^= 1
    path.write_bytes(content)
    assert finish(table_files.load("some")) is None


def test_loaded_arrays_are_mapped_and_read_only(own_cache: Path) -> None:
    arrays: table_files.Arrays = {
        "keys": np.arange(3000, dtype=np.uint32),
        "two": np.ones((3, 4), np.uint8),
        "none": np.zeros(0),
    }
    finish(table_files.save("some", arrays))
    loaded = finish(table_files.load("some"))
    assert loaded is not None and loaded.keys() == arrays.keys()
    for name, values in arrays.items():
        assert type(loaded[name]) is np.ndarray and loaded[name].dtype == values.dtype
        assert loaded[name].tolist() == values.tolist()
    with pytest.raises(ValueError, match="read-only"):
        loaded["keys"][0] = 7
    assert "some.table" in Path("/proc/self/maps").read_text()


def test_least_recently_used_files_are_deleted(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_files, "MAX_BYTES", 1_000_000)
    for number in range(4):
        finish(table_files.save(f"table-{number}", {"keys": np.zeros(50_000)}))
    stored = [path.stem for path in own_cache.glob("tables-*/*.table")]
    assert len(stored) == 2 and "table-3" in stored


class CountingBuilder:
    """Builder of a complete table that counts the builds."""

    def __init__(self, size: int = MIN_SHARED_BYTES) -> None:
        self.size, self.builds = size, 0

    def __call__(self) -> Any:
        self.builds += 1
        return np.arange(self.size, dtype=np.uint8)


@pytest.fixture
def complete_files(own_cache: Path) -> Callable[[], list[Path]]:
    return lambda: sorted(own_cache.glob("tables-*/complete-*.table"))


def test_complete_table_is_built_once_and_mapped(complete_files: Callable[[], list[Path]]) -> None:
    fill, size = CountingBuilder(), MIN_SHARED_BYTES
    one, other = load_or_fill_table("a board", size, fill), load_or_fill_table("a board", size, fill)
    assert fill.builds == 1
    assert one.tobytes() == other.tobytes() == CountingBuilder()().tobytes()
    assert [one.flags.writeable, other.flags.writeable] == [False, False]
    [file] = complete_files()
    assert Path("/proc/self/maps").read_text().count(file.name) == 2


def test_complete_tables_of_other_keys_have_other_files(complete_files: Callable[[], list[Path]]) -> None:
    fill = CountingBuilder()
    for key in ("a board", "another", ("a board", 1), ("a board", 2)):
        load_or_fill_table(key, MIN_SHARED_BYTES, fill)
    assert (fill.builds, len(complete_files())) == (4, 4)


def test_damaged_complete_table_is_built_again(complete_files: Callable[[], list[Path]]) -> None:
    fill = CountingBuilder()
    load_or_fill_table("a board", MIN_SHARED_BYTES, fill)
    [file] = complete_files()
    file.write_bytes(file.read_bytes()[:-9] + b"\x07" * 9)
    assert load_or_fill_table("a board", MIN_SHARED_BYTES, fill).tobytes() == CountingBuilder()().tobytes()
    assert fill.builds == 2


def test_small_complete_table_has_no_file(complete_files: Callable[[], list[Path]]) -> None:
    table = load_or_fill_table("a small board", 9, CountingBuilder(9))
    assert (table.tolist(), table.flags.writeable, complete_files()) == (list(range(9)), False, [])
