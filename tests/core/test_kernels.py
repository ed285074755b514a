"""Kernels: machine code on disk, memory that only the compiler needs, and processes that compile."""

import errno
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import numba
import numpy as np
import pytest

from hoppers.core import kernels
from hoppers.core.kernels import kernel
from hoppers.core.prefetch import prefetch
from hoppers.jobs.kernel_warmup import Compiler
from hoppers.puzzles import PUZZLES
from hoppers.runtime import PACKAGE
from hoppers.tablebase.engine import Engine
from tests.support.engine import ENGINE
from tests.support.machine_code import use_folder


def doubled(value: int) -> int:
    return 2 * value


def engine_of(*ids: str) -> Engine:
    """Return a new engine with these puzzles."""
    return Engine({id: PUZZLES[id] for id in ids})


def found_on_disk() -> Any:
    """Return the kernel of `doubled`, loaded from disk."""
    for _ in range(2):
        kernel: Any = kernels.kernel(doubled)
        assert kernel(4) == 8
    return kernel


def test_kernel_without_its_ir_can_be_called_and_inlined() -> None:
    kernel = found_on_disk()
    [library] = [result.library for result in kernel.overloads.values()]
    assert library._shared_module is not None
    kernels.drop_ir()
    assert library._shared_module is None
    assert kernel(5) == 10

    def plain(value: int) -> Any:
        return kernel(value) + 1

    one_more = numba.njit(plain)
    assert [one_more(value) for value in (4, 5)] == [9, 11]


def test_machine_code_is_used_even_if_the_disk_is_full(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*what: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "no space left on device")

    files = use_folder(monkeypatch, tmp_path)
    monkeypatch.setattr("hoppers.runtime.cache_folder.write_private", full)
    for _ in range(2):
        assert kernels.kernel(doubled)(4) == 8
    assert [record.message for record in caplog.records] == [
        "machine code cannot be saved and will be compiled at each start: [Errno 28] no space left on device"
    ]
    files.mark("hoppers")
    assert not files.is_stored("hoppers")


COPY = """
import sys
from hoppers.core import kernels as compiled
from hoppers.puzzles import PUZZLES
from hoppers.analysis.kernel_parts import load_searches
from hoppers.jobs.kernel_warmup import Compiler, Warmup
from hoppers.runtime import PACKAGE
from hoppers.tablebase.engine import Engine

ids = sys.argv[1:]
engine = Engine({id: PUZZLES[id] for id in ids})
compiler = Compiler(engine.puzzles.values())
assert compiler.total == 0
warmup = Warmup(engine, compiler, searches=False)
warmup.start()
assert warmup.wait("", 60)
assert warmup.is_ready("")
for id in ids:
    for _ in load_searches(engine, id):
        pass
found = sum(bool(kernel.stats.cache_hits) for kernel in compiled.KERNELS)
missed = [kernel.py_func.__name__ for kernel in compiled.KERNELS if kernel.stats.cache_misses]
print(PACKAGE, found > 20, missed)
"""
"""Program that loads all kernels of a server, run in a copy of the package."""


def test_copy_of_the_program_loads_compiled_kernels_from_disk(tmp_path: Path) -> None:
    """No long-lived process may compile: the compiler would permanently take a hundred megabytes in each."""
    ids = "hoppers", "eight-puzzle", "flip-it-5"
    compiler = Compiler([ENGINE.puzzles[id] for id in ids])
    compiler.start()
    compiler.join()
    assert compiler.failures == []
    shutil.copytree(PACKAGE, tmp_path / "hoppers", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run([sys.executable, "-c", COPY, *ids], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [str(tmp_path / "hoppers"), "True", "[]"], done.stderr


@kernel
def sum_with_prefetch(rows: Any, order: Any) -> int:
    """Sum the first column of `rows` in the given order, with the next row fetched ahead."""
    total = 0
    for number in range(len(order)):
        prefetch(rows, order[min(number + 1, len(order) - 1)])
        total += rows[order[number], 0]
    return total


def test_prefetched_rows_keep_their_values() -> None:
    rows, order = np.arange(2_000).reshape(-1, 2), np.random.default_rng(1).permutation(1000)
    assert sum_with_prefetch(rows, order) == rows[:, 0].sum()
