"""Peak memory in the worst known case: tables of several English 33 problems, built during searches."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from hoppers.analysis import verdicts
from hoppers.core.model import Position
from hoppers.core.puzzle import Question
from hoppers.jobs.kernel_warmup import warm
from hoppers.runtime.cache_folder import cache_folder
from tests.support.engine import find

CHOSEN = [(4, 4), (1, 1), (8, 8), (9, 6), (0, 0)]
"""Vacancy and finishing hole of the problems, including the one with the largest table."""
SEARCHED = [(4, 20), (8, 11), (3, 3)]
"""Problems searched at the same time."""
FEW = 1  # problems of each kind in the short version
TABLE_SECONDS = 400.0  # time limit for each table
LIMIT_MB = 2000  # memory that a server may use


def peak() -> float:
    """Return the peak resident memory of this process, in MB of 2**20 bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def _search(start: int, finish: int) -> None:
    puzzle = find("english-33")
    question = Question(puzzle, finish, Position((1 << 33) - 1 ^ 1 << start))
    *_, end = puzzle.method("bidirectional" if start == 3 else "best").search(question)
    print(f"  search {start} -> {finish} ended: {type(end).__name__}, peak {peak():,.0f} MB", flush=True)


def sequence(few: bool) -> None:
    """Build tables one after another during searches; print the peak memory after each."""
    searched, chosen = (SEARCHED[:FEW], CHOSEN[:FEW]) if few else (SEARCHED, CHOSEN)
    puzzle = find("english-33")
    warm(puzzle)
    print(f"  warm, peak {peak():,.0f} MB", flush=True)
    searches = [threading.Thread(target=_search, args=ends) for ends in searched]
    for search in searches:
        search.start()
    for start, finish in chosen:
        began, position = time.perf_counter(), Position((1 << 33) - 1 ^ 1 << start)
        verdicts.verdict_of(puzzle, finish, position)
        puzzle.engine.builder.join(TABLE_SECONDS)
        seconds, verdict = time.perf_counter() - began, verdicts.verdict_of(puzzle, finish, position)
        print(f"  table {start} -> {finish}: {verdict}, {seconds:.1f} s, peak {peak():,.0f} MB", flush=True)
    for search in searches:
        search.join()
    print(f"  in all: peak {peak():,.0f} MB of {LIMIT_MB:,} MB", flush=True)


def report(few: bool = False) -> Iterator[str]:
    """Run the sequence in a child process whose cache has compiled kernels and no tables."""
    yield "Memory of the worst sequence, in a child process:"
    with tempfile.TemporaryDirectory() as folder:
        kernels = cache_folder() / "machine-code"
        if kernels.exists():
            shutil.copytree(kernels, Path(folder) / kernels.name)
        environment = {**os.environ, "HOPPERS_CACHE": folder}
        child = [sys.executable, "-m", "benchmarks.searches.memory_peak", *["few"][: int(few)]]
        with subprocess.Popen(child, env=environment, text=True, stdout=subprocess.PIPE) as running:
            yield from (line.rstrip() for line in running.stdout or ())
        if running.returncode:
            yield f"  the sequence ended with status {running.returncode}"


if __name__ == "__main__":
    sequence("few" in sys.argv)
