"""Disk store of proved answers: persistent, bounded, and safe against damaged or hostile files."""

import os
import random
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from hoppers.runtime import disk_cache
from hoppers.runtime.disk_cache import DiskStore
from tests import ROOT


def test_values_survive_the_death_of_the_process(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from hoppers.runtime.disk_cache import DiskStore;"
        "DiskStore(Path(sys.argv[1]), 10**6).put('name', b'value'); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT)
    assert done.returncode == 9
    store = DiskStore(tmp_path, 10**6)
    assert store.get("name") == b"value"
    store.close()


def test_store_is_bounded_and_drops_least_recently_used_values(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 300_000)
    noise = np.random.default_rng(1)
    for number in range(300):
        store.put(f"answer {number}", noise.bytes(4_000))
        assert store.get("answer 0") is not None
    kept = [number for number in range(300) if store.get(f"answer {number}") is not None]
    assert len(kept) > 50 and kept == [0, *range(300 - len(kept) + 1, 300)]
    store.close()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 600_000


def test_store_of_many_small_values_is_bounded(tmp_path: Path) -> None:
    store, sizes = DiskStore(tmp_path, 100_000), random.Random(1)
    for number in range(3000):
        store.put(f"{sizes.random()}/answer {number}", bytes(sizes.randrange(200)))
    store.close()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000


def test_value_larger_than_the_store_is_not_kept(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 50_000)
    store.put("large", bytes(200_000))
    store.put("small", b"value")
    assert (store.get("large"), store.get("small")) == (None, b"value")
    store.close()


def test_stored_value_is_replaced(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**6)
    for value in (b"one", b"", b"two"):
        store.put("name", value)
        assert store.get("name") == value
    store.close()


def test_files_are_readable_by_this_user_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        store = DiskStore(tmp_path / "folder", 10**6)
        store.put("name", b"value")
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "folder").iterdir()}
    assert modes == dict.fromkeys(["1.sqlite", "1.sqlite-shm", "1.sqlite-wal"], 0o600)
    assert stat.S_IMODE((tmp_path / "folder").stat().st_mode) == 0o700
    store.close()


def filled(folder: Path, number: int = 200) -> None:
    """Store values of 4,000 bytes, and close the database."""
    store = DiskStore(folder, 10**8)
    for one in range(number):
        store.put(f"answer {one}", f"{one} ".encode() * 1000)
    store.close()


def change(folder: Path, edit: Callable[[bytearray], object]) -> None:
    content = bytearray((folder / "1.sqlite").read_bytes())
    edit(content)
    (folder / "1.sqlite").write_bytes(content)


def swap(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        (folder / "1.sqlite").rename(folder / "old")
        make(folder / "1.sqlite")

    return act


def other_schema(*commands: str) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        (folder / "1.sqlite").unlink()
        with closing(sqlite3.connect(folder / "1.sqlite")) as other:
            for command in commands:
                other.execute(command)

    return act


DAMAGE: dict[str, Callable[[Path], object]] = {
    "text": lambda folder: (folder / "1.sqlite").write_bytes(b"this is no database" * 1000),
    "noise": lambda folder: (folder / "1.sqlite").write_bytes(random.Random(1).randbytes(10_000)),
    "cut": lambda folder: os.truncate(folder / "1.sqlite", 100_000),
    "cut within a page": lambda folder: os.truncate(folder / "1.sqlite", 100_001),
    "header": lambda folder: change(folder, lambda content: content.__setitem__(slice(0, 50), bytes(50))),
    "pages": lambda folder: change(folder, lambda content: content.__setitem__(slice(4096, None), bytes(9))),
    "pipe": swap(os.mkfifo),
    "folder": swap(Path.mkdir),
    "full folder": swap(lambda path: (path / "in").mkdir(parents=True)),
    "link": swap(lambda path: path.symlink_to("old")),
    "device": swap(lambda path: path.symlink_to("/dev/zero")),
    "writable by others": lambda folder: (folder / "1.sqlite").chmod(0o666),
    "pipe for a log": lambda folder: os.mkfifo(folder / "1.sqlite-wal"),
    "other table": other_schema("create table answers (number)"),
    "other table and index": other_schema(
        "create table answers (number)", "create index oldest_first on answers (number)"
    ),
    "no unique names": other_schema(
        "create table answers (name, value, used)", "create index oldest_first on answers (used)"
    ),
    "view": other_schema("create view answers as select 'name' as name, 1 as value, 1 as used"),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_database_is_replaced_at_once(
    damage: Callable[[Path], object], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    filled(tmp_path)
    damage(tmp_path)
    stores = [DiskStore(tmp_path, 10**8) for _ in range(2)]
    for store in stores:
        store.put("name", b"value")
        for number in range(200):
            assert store.get(f"answer {number}") in (None, f"{number} ".encode() * 1000)
        store.put("other", b"value")
    for store in stores:
        assert (store.get("name"), store.get("other")) == (b"value", b"value")
        store.close()
    [record] = caplog.records
    assert "is damaged and is made anew" in record.getMessage() and record.exc_info is None
    assert [path.name for path in tmp_path.glob("*.sqlite")] == ["2.sqlite"]


def test_random_damage_raises_nothing_and_leaves_a_working_store(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    noise = random.Random(7)
    for round in range(15):
        folder = tmp_path / str(round)
        filled(folder, 30)
        content = bytearray((folder / "1.sqlite").read_bytes())
        for _ in range(noise.choice([1, 10, 1000])):
            content[noise.randrange(len(content))] = noise.randrange(256)
        (folder / "1.sqlite").write_bytes(content)
        store = DiskStore(folder, 10**8)
        for number in range(30):
            store.get(f"answer {number}")
            store.put(f"more {number}", bytes(4000))
        caplog.clear()
        store.put("name", b"value")
        assert store.get("name") == b"value" and not caplog.records, round
        store.close()


def test_database_damaged_while_open_is_replaced_for_all(tmp_path: Path) -> None:
    filled(tmp_path)
    one, other = (DiskStore(tmp_path, 10**8) for _ in range(2))
    assert one.get("answer 1") and other.get("answer 1")
    (tmp_path / "1.sqlite").write_bytes(b"noise" * 10_000)
    for store in (one, other):
        for number in range(200):
            store.get(f"answer {number}")
        store.put("name", b"value")
    one.put("shared", b"by one")
    assert other.get("shared") == b"by one"
    for store in (one, other):
        store.close()


def test_folder_deleted_while_it_is_open_is_made_again(tmp_path: Path) -> None:
    store = DiskStore(tmp_path / "folder", 10**6)
    store.put("name", b"value")
    shutil.rmtree(tmp_path / "folder")
    assert store.get("name") is None
    store.put("name", b"other")
    assert store.get("name") == b"other"
    store.close()


def test_folder_of_an_earlier_version_is_deleted(tmp_path: Path) -> None:
    (tmp_path / "ab" / "cd").mkdir(parents=True)
    (tmp_path / "ab" / "cd" / "value.val").write_bytes(b"large")
    (tmp_path / "cache.db").write_bytes(b"of diskcache")
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    assert store.get("name") == b"value"
    assert {path.name for path in tmp_path.iterdir()} <= {"1.sqlite", "1.sqlite-shm", "1.sqlite-wal"}
    store.close()


def test_failing_disk_stores_nothing_and_logs_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    nothing = DiskStore(blocked / "folder", 10**6)
    for _ in range(100):
        nothing.put("name", b"value")
        assert nothing.get("name") is None
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_closed_store_returns_none_and_keeps_its_values(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    store.close()
    store.put("name", b"other")
    assert store.get("name") is None
    again = DiskStore(tmp_path, 10**6)
    assert again.get("name") == b"value"
    again.close()


def test_threads_and_processes_share_the_store(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), "shared", "100"]
    writers = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) for _ in range(2)]
    store = DiskStore(tmp_path, 10**8)

    def use(thread: int) -> int:
        for number in range(50):
            store.put(f"{thread} {number}", f"{thread} {number}".encode())
        return sum(store.get(f"{thread} {number}") is not None for number in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(use, range(8))) == [50] * 8
    assert [writer.wait() for writer in writers] == [0, 0]
    assert written(tmp_path)[:100] == [*range(100)]
    store.close()


WRITER = """
import resource, sys
from pathlib import Path
from hoppers.runtime.disk_cache import DiskStore

store = DiskStore(Path(sys.argv[1]), 10**8)
store.put("first", b"first")
if sys.argv[2] == "full":
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
for number in range(int(sys.argv[3])):
    store.put(f"answer {number}", f"{number} ".encode() * 500)
    print(number, store.get("first"), flush=True)
"""
"""Program that stores numbered values; a file size limit may stand for a full disk."""


def written(folder: Path) -> list[int]:
    """Return the numbers of the stored answers; assert that each is complete."""
    store = DiskStore(folder, 10**8)
    assert store.get("first") == b"first"
    kept = {number: store.get(f"answer {number}") for number in range(300)}
    assert all(value == f"{number} ".encode() * 500 for number, value in kept.items() if value is not None)
    store.put("last", b"last")
    assert store.get("last") == b"last"
    store.close()
    return [number for number, value in kept.items() if value is not None]


def test_values_are_complete_when_their_writer_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), "killed", str(10**6)]
    for _ in range(2):
        writer = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(20)]
        writer.kill()
        writer.wait()
        writer.stdout.close()
        assert set(range(20)) <= set(written(tmp_path))
        assert lines[-1] == b"19 b'first'\n"


def test_full_disk_keeps_stored_values_and_the_program_runs_on(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WRITER, str(tmp_path), "full", "300"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1].startswith("299 ")
    assert "stored answers are unavailable for now" in done.stderr
    kept = written(tmp_path)
    assert 0 < len(kept) < 300


OPENER = """
import resource, sys
from pathlib import Path
from hoppers.runtime.disk_cache import DiskStore

resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))
DiskStore(Path(sys.argv[1]), 10**8).close()
"""
"""Program that opens the store when the disk is already full."""


def test_opening_on_a_full_disk_deletes_nothing(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**8)
    store.put("first", b"first")
    store.close()
    command = [sys.executable, "-c", OPENER, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "stored answers are unavailable for now" in done.stderr
    assert written(tmp_path) == []


def test_locked_database_is_opened_after_the_lock_is_released(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_cache, "TIMEOUT_SECONDS", 0.1)
    monkeypatch.setattr(disk_cache, "REOPEN_SECONDS", 0.0)
    (tmp_path / "1.sqlite").touch()
    with closing(sqlite3.connect(tmp_path / "1.sqlite")) as holder:
        holder.execute("begin exclusive")
        store = DiskStore(tmp_path, 10**8)
        assert store.get("first") is None
        holder.rollback()
    store.put("first", b"first")
    assert store.get("first") == b"first"
    store.close()


def test_reads_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**8)
    store.put("first", b"first")
    with closing(sqlite3.connect(tmp_path / "1.sqlite", isolation_level=None)) as writer:
        writer.execute("begin immediate")
        assert store.get("first") == b"first"
        writer.execute("rollback")
    store.close()
