"""Processes killed while they write files, full disks, and a wall clock that jumps."""

import os
import re
import subprocess
import sys
from pathlib import Path

import filelock
import numpy as np
import pytest
import requests

from hoppers.core.kernels import MACHINE_CODE
from hoppers.core.puzzle import Puzzle
from hoppers.runtime.builder import finish
from hoppers.runtime.cache_folder import TABLES
from hoppers.tablebase import table_files
from tests import ROOT
from tests.support.engine import find
from tests.support.processes import TIMEOUT_SECONDS, Server, wait_for

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Cache folder of the test, for this process and its children."""
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return tmp_path


KILLED_WRITERS = """
import os, signal, time
import numpy as np
from hoppers.tablebase import table_files
from hoppers.runtime.builder import finish

for wait in (0.0, 0.001, 0.002, 0.003, 0.005, 0.008):
    begun, saved = os.pipe()
    writer = os.fork()
    while writer == 0:
        finish(table_files.save("table", {"values": np.full(1_000_000, 7, np.uint8)}))
        os.write(saved, b".")
    os.read(begun, 1)
    time.sleep(wait)
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    values = finish(table_files.load("table"))["values"]
    print(len(values), set(values.tolist()))
"""
"""Program that kills processes while they save a table, and prints length and values of the table left."""


def test_a_killed_writer_leaves_no_partial_table(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_WRITERS], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0
    assert done.stdout.splitlines() == ["1000000 {7}"] * 6


FULL = """
import resource, numpy as np
from hoppers.tablebase import table_files as store
from hoppers.runtime.builder import finish
finish(store.save("table", {"values": np.arange(9)}))
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
finish(store.save("table", {"values": np.arange(100_000)}))
"""
"""Program that saves two tables; a limit on file sizes stands for a disk that is full at the second."""


def test_a_full_disk_keeps_the_old_table_without_temporary_files(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL], cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0
    assert "the table table could not be stored" in done.stderr
    kept = finish(table_files.load("table"))
    assert kept is not None
    assert kept["values"].tolist() == list(range(9))
    assert [path.name for path in folder.rglob("*") if path.suffix == ".part"] == []


BUILDERS = """
import os, signal, sys, time
import numpy as np
from pathlib import Path
from hoppers.tablebase import table_files as store
from hoppers.runtime.builder import finish

DIARY, dies_first = Path(sys.argv[1]), sys.argv[2] == "dies"

def build():
    first = not DIARY.exists()
    with DIARY.open("a") as diary:
        diary.write("build\\n")
    for _ in range(20):
        time.sleep(0.01)
        yield 0.5
    if first and dies_first:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"values": np.arange(100_000)}

for _ in range(4):
    if os.fork() == 0:
        values = finish(store.shared("table", build))["values"]
        is_mapped = "table.table" in Path("/proc/self/maps").read_text()
        os._exit(0 if is_mapped and values.sum() == 4999950000 else 1)
print(*sorted(os.waitstatus_to_exitcode(os.wait()[1]) for _ in range(4)))
"""
"""Program that starts four processes that need one table simultaneously; the first builder may be killed."""


@pytest.mark.parametrize(("first", "codes", "built"), [("lives", "0 0 0 0", 1), ("dies", "-9 0 0 0", 2)])
def test_one_process_builds_a_table_and_all_map_it(folder: Path, first: str, codes: str, built: int) -> None:
    diary = folder / "diary"
    command = [sys.executable, "-c", BUILDERS, str(diary), first]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert done.stdout.strip() == codes
    assert len(diary.read_text().splitlines()) == built


def is_being_built(lock: Path) -> bool:
    """Return whether another process holds the lock of a table."""
    if not lock.exists():
        return False
    try:
        with filelock.FileLock(lock, timeout=0):
            return False
    except filelock.Timeout:
        return True


def unknown_position(puzzle: Puzzle) -> str:
    """Return a position early in a game of which nothing is known from the atlas."""
    position = puzzle.parse(puzzle.start)
    for _ in range(6):
        position = puzzle.steps(position)[-1].after
    return puzzle.format(position)


def test_a_killed_server_leaves_no_partial_table_behind(
    folder: Path,
) -> None:
    (folder / "machine-code").symlink_to(
        MACHINE_CODE.folder.parent
    )  # reuses machine code: nothing is compiled in this test
    tables, puzzle, server = folder / TABLES, find("english-33"), Server()
    half, being_built = tables / "half.part", list[Path]()
    open_position = unknown_position(puzzle)

    def is_building() -> bool:
        address = f"{server.url}/api/puzzles/english-33/positions/{open_position}?goal=any"
        assert requests.get(address, timeout=TIMEOUT_SECONDS).ok
        being_built[:] = filter(is_being_built, tables.glob("*.lock"))
        return bool(being_built)

    try:
        server.wait()
        wait_for(is_building)
    finally:
        server.kill()
    (lock,) = being_built
    wait_for(lambda: not is_being_built(lock))
    assert not lock.with_suffix(".table").exists()
    half.write_text("of a writer that died long ago")
    os.utime(half, (0, 0))
    finish(table_files.save("another", {"values": np.arange(9)}))
    assert not half.exists()


def test_no_duration_is_measured_by_the_wall_clock() -> None:
    """Other clocks, such as `time.monotonic`, are unaffected when the wall clock jumps. Cards have dates."""
    walls = re.compile(r"\btime\.time\(|datetime\.now|utcnow")
    dated = [
        ROOT / "server" / "hoppers" / name
        for name in (
            "web/app.py",
            "web/api/cards.py",
            "web/decks.py",
            "web/pages/cards.py",
            "web/pages/home.py",
        )
    ]
    dated.append(ROOT / "server" / "hoppers" / "library" / "cards.py")
    every = (ROOT / "server").rglob("*.py")
    sources = [path for path in every if "_web" not in path.parts and path not in dated]
    assert len(sources) > 50
    assert [path.name for path in sources if walls.search(path.read_text())] == []
