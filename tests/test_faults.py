"""What dies in the middle of writing, and what a jumping clock does."""

import errno
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import numpy as np
import pytest

from server.exact import store

ROOT = Path(__file__).resolve().parents[1]
RATES = "counters.py"
"""Keeps the times of day that the library for rates asks for; a jump lets someone ask more, or wait."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, in this process and in others."""
    monkeypatch.setenv("HOPPERS_CACHE", str(tmp_path))
    return tmp_path


WRITER = """
import sys, numpy as np
from server.exact import store
while True:
    store.save("table", {"values": np.full(1_000_000, 7, np.uint8)})
    print("saved", flush=True)
"""


def test_a_table_is_whole_or_not_there_when_its_writer_is_killed(folder: Path) -> None:
    for wait in (0.0, 0.002, 0.005):
        writer = subprocess.Popen([sys.executable, "-c", WRITER], cwd=ROOT, stdout=subprocess.PIPE)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(wait)
        writer.kill()
        writer.wait()
        writer.stdout.close()
        kept = store.load("table")
        assert kept is not None
        assert kept["values"].tolist() == [7] * 1_000_000


def test_a_full_disk_keeps_the_old_table_and_no_rubbish(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store.save("table", {"values": np.arange(9)})

    def full(file: IO[bytes], **arrays: object) -> None:
        file.write(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    store.save("table", {"values": np.arange(10)})
    assert "could not be kept" in caplog.text
    kept = store.load("table")
    assert kept is not None
    assert kept["values"].tolist() == list(range(9))
    assert list(folder.rglob("*.part")) == []


def test_no_duration_is_measured_by_the_wall_clock() -> None:
    """A clock that jumps changes nothing: only `monotonic`, `perf_counter` and `process_time` measure."""
    walls = re.compile(r"\btime\.time\(|datetime\.now|utcnow")
    sources = [path for path in (ROOT / "server").rglob("*.py") if "_web" not in path.parts]
    assert len(sources) > 50
    assert [path.name for path in sources if walls.search(path.read_text())] == [RATES]
