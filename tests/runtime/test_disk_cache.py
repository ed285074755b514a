"""Disk store of proved answers: persistent, bounded, and safe against damaged or hostile files."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NoReturn

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
    store.close()
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.db")) < 600_000


def test_damaged_database_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"this is no database" * 1000)
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    assert store.get("name") == b"value"
    store.close()


OTHER_SCHEMAS = [
    "create table Cache (number)",
    "create table Settings (number)",
    "create table Cache (key, raw, store_time, expire_time, access_time, access_count)",
    "create view Cache as select 1 as key",
]


@pytest.mark.parametrize("table", OTHER_SCHEMAS)
def test_database_with_another_schema_is_replaced(tmp_path: Path, table: str) -> None:
    with closing(sqlite3.connect(tmp_path / "cache.db")) as other:
        other.execute(table)
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    assert store.get("name") == b"value"
    store.close()


def test_failing_disk_stores_nothing_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object, **more: object) -> NoReturn:
        raise OSError("no space left on device")

    store = DiskStore(tmp_path, 10**6)
    monkeypatch.setattr(store._cache, "set", full)
    monkeypatch.setattr(store._cache, "get", full)
    store.put("name", b"value")
    assert store.get("name") is None
    store.close()
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    nothing = DiskStore(blocked / "folder", 10**6)
    nothing.put("name", b"value")
    assert nothing.get("name") is None


class Trap:
    """An object whose pickle runs code when it is loaded."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return (pytest.fail, ("a pickle was run",))


def test_closed_store_returns_none_and_keeps_its_values(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    store.close()
    store.put("name", b"other")
    assert store.get("name") is None
    again = DiskStore(tmp_path, 10**6)
    assert again.get("name") == b"value"
    again.close()


def test_pickles_in_the_folder_are_never_loaded(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**6)
    store._writer.submit(store._cache.set, "name", Trap()).result()
    assert store.get("name") is None
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
    store = DiskStore(tmp_path, 10**8)
    store.put("first", b"first")
    store.close()
    with closing(sqlite3.connect(tmp_path / "cache.db")) as holder:
        holder.execute("begin exclusive")
        store = DiskStore(tmp_path, 10**8)
        assert store.get("first") is None
        holder.rollback()
    store._writer.submit(bool).result()  # all earlier accesses have ended
    monkeypatch.setattr(disk_cache, "TIMEOUT_SECONDS", 60.0)
    assert store.get("first") == b"first"
    store.close()
