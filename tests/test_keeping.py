"""The store on disk behind kept answers: across restarts, bounded, and harmless whatever is in its folder."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest

from server.keeping import DiskStore

ROOT = Path(__file__).resolve().parents[1]


def test_answers_survive_the_death_of_the_process(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path; from server.keeping import DiskStore;"
        "DiskStore(Path(sys.argv[1]), 10**6).put('name', b'value'); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT)
    assert done.returncode == 9
    store = DiskStore(tmp_path, 10**6)
    assert store.get("name") == b"value"
    store.close()


def test_the_store_is_bounded_and_the_least_used_go(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 300_000)
    noise = np.random.default_rng(1)
    for number in range(300):
        store.put(f"answer {number}", noise.bytes(4_000))
        assert store.get("answer 0") is not None
    store.close()
    assert sum(path.stat().st_size for path in tmp_path.rglob("*.db")) < 600_000


def test_a_damaged_store_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "cache.db").write_bytes(b"this is no database" * 1000)
    store = DiskStore(tmp_path, 10**6)
    store.put("name", b"value")
    assert store.get("name") == b"value"
    store.close()


def test_a_store_that_fails_keeps_nothing_and_does_no_harm(
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
    """A pickle of it would run code where it is read."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return (pytest.fail, ("a pickle was run",))


def test_nothing_in_the_folder_is_ever_run(tmp_path: Path) -> None:
    store = DiskStore(tmp_path, 10**6)
    store._thread.submit(store._cache.set, "name", Trap()).result()
    assert store.get("name") is None
    store.close()
