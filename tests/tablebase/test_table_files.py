"""Table files: built once per machine, checked when read, deleted when their share of the disk is full."""

import errno
import os
import random
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import filelock
import numpy as np
import pytest

from hoppers import puzzles
from hoppers.core.model import UNKNOWN, Position
from hoppers.puzzles.pegs.large_tables.tables_in_memory import MAX_TABLES, tables_in_memory
from hoppers.puzzles.pegs.peg_board import peg_board
from hoppers.puzzles.pegs.source import LargeBoardSource
from hoppers.puzzles.pegs.tables.closure import build_closure
from hoppers.runtime.builder import finish
from hoppers.tablebase import table_files
from hoppers.tablebase.engine import Engine
from hoppers.tablebase.table_files import MIN_SHARED_BYTES, load_or_fill_table
from tests import ROOT
from tests.puzzles.pegs.positions import all_but
from tests.support import damage
from tests.support.damage import Damage
from tests.support.engine import find


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return tmp_path


def test_source_answers_after_building_and_then_from_disk(own_cache: Path) -> None:
    puzzle = find("english-33")
    rng, position = random.Random(3), Position(all_but(puzzle, 1))
    while position.state.bit_count() > 26:
        position = rng.choice(puzzle.steps(position)).after
    start = all_but(puzzle, 1)
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


DAMAGE: dict[str, Damage] = {
    **damage.DAMAGE,
    "head only": lambda path: os.truncate(path, 4096),
    "other JSON": lambda path: path.write_bytes(b"[1]\n"),
    "half a header": lambda path: path.write_bytes(b'{"end": 1, "checksum": "x"}\n'),
}


@pytest.mark.parametrize("harm", DAMAGE.values(), ids=DAMAGE)
def test_damaged_table_is_logged_in_one_line_and_built_again(
    harm: Damage, own_cache: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def fill() -> Any:
        return np.arange(MIN_SHARED_BYTES, dtype=np.uint8)

    load_or_fill_table("a board", MIN_SHARED_BYTES, fill)
    [path] = own_cache.glob("tables-*/*.table")
    harm(path)
    assert load_or_fill_table("a board", MIN_SHARED_BYTES, fill).tobytes() == fill().tobytes()
    [record] = caplog.records
    assert path.stem in record.getMessage() and record.exc_info is None and "\n" not in record.getMessage()
    if harm in (DAMAGE["empty"], DAMAGE["noise"], DAMAGE["other JSON"], DAMAGE["half a header"]):
        assert record.getMessage().endswith("will be built again: the header cannot be read")
    assert path.is_file() and not path.is_symlink() and stat.S_IMODE(path.stat().st_mode) == 0o600
    assert finish(table_files.load(path.stem)) is not None and len(caplog.records) == 1


@pytest.mark.parametrize("number", [errno.ENOMEM, errno.EMFILE])
def test_intact_table_stays_where_memory_or_descriptors_end(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise OSError(number, os.strerror(number))

    finish(table_files.save("some", {"keys": np.arange(1000)}))
    with monkeypatch.context() as patched:
        patched.setattr(table_files, "_map", refuse)
        assert finish(table_files.load("some")) is None
    [record] = caplog.records
    assert record.getMessage().startswith("the table some cannot be loaded now")
    assert finish(table_files.load("some")) is not None


def test_full_disk_is_logged_in_one_line(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(number: int) -> NoReturn:
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    finish(table_files.save("some", {"keys": np.arange(1000)}))
    [record] = caplog.records
    assert record.exc_info is None and "no space left" in record.getMessage()
    assert list(own_cache.glob("tables-*/*")) == []


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize("writable", [False, True])
def test_table_takes_one_descriptor_at_most(own_cache: Path, writable: bool) -> None:
    finish(table_files.save("many", {str(number): np.arange(number) for number in range(100)}))
    before = descriptors()
    arrays = finish(table_files.load("many", writable))
    assert arrays is not None and descriptors() <= before + 1
    assert all(arrays[str(number)].tolist() == list(range(number)) for number in range(100))
    del arrays
    assert descriptors() == before


def test_changes_of_writable_arrays_are_not_stored(own_cache: Path) -> None:
    finish(table_files.save("some", {"keys": np.arange(1000)}))
    changed = finish(table_files.load("some", writable=True))
    assert changed is not None
    changed["keys"][:] = 7
    again = finish(table_files.load("some"))
    assert again is not None and again["keys"].tolist() == list(range(1000))


def test_number_of_cached_tables_is_limited(own_cache: Path) -> None:
    """Each mapped table may have a file descriptor."""
    tables, start = tables_in_memory(Engine({})), 0b111
    tiny = finish(build_closure([start], -1, peg_board(find("english-33")).shifts, 100))
    assert tiny is not None
    for number in range(1000):
        tables.put(("board", number), tiny)
    assert 50 <= len(list(tables.items())) <= MAX_TABLES


def test_lock_goes_with_its_build(own_cache: Path) -> None:
    load_or_fill_table("a board", MIN_SHARED_BYTES, CountingBuilder())
    finish(table_files.save("some", {"keys": np.arange(1000)}))
    assert list(own_cache.glob("tables-*/*.lock")) == []


def test_locks_of_dead_builds_are_deleted_and_held_ones_stay(own_cache: Path) -> None:
    finish(table_files.save("some", {"keys": np.arange(1000)}))
    [folder] = own_cache.glob("tables-*")
    (folder / "dead.lock").touch()
    with filelock.FileLock(folder / "held.lock", thread_local=False):
        finish(table_files.save("more", {"keys": np.arange(1000)}))
        assert [path.name for path in folder.glob("*.lock")] == ["held.lock"]


BUILDER = """
import sys, time
from pathlib import Path
import numpy as np
from hoppers.tablebase import table_files
from hoppers.runtime.builder import finish

log = Path(sys.argv[1])

def build():
    with log.open("a") as file:
        file.write("begin\\n")
        file.flush()
        time.sleep(0.02)
        file.write("end\\n")
    yield 0.5
    return {"values": np.arange(9)}

for number in range(20):
    finish(table_files.shared("some", build))
    table_files.drop("some")
"""


def test_processes_that_delete_locks_never_build_at_once(own_cache: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", BUILDER, str(tmp_path / "log")]
    builders = [subprocess.Popen(command, cwd=ROOT) for _ in range(3)]
    assert [builder.wait() for builder in builders] == [0, 0, 0]
    lines = (tmp_path / "log").read_text().split()
    assert lines == ["begin", "end"] * (len(lines) // 2) and len(lines) >= 40
    assert list(own_cache.glob("tables-*/*.lock")) == []


def test_table_that_another_process_deletes_at_once_stops_nothing(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "replace", lambda part, path: part.unlink())
    finish(table_files.save("some", {"values": np.arange(9)}))
    assert not table_files.is_stored("some")


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
