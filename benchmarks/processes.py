"""Use of processor and memory by the processes of a benchmark (Linux)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.child_server import family

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """Return the processor seconds used by a process and all its descendants that still run."""
    return sum(map(_used_alone, family(pid)))


def _used_alone(pid: int) -> float:
    """Return the processor seconds of one process; 0 if it has ended."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(words[11]) + int(words[12])) / TICKS


def stolen() -> tuple[float, float]:
    """Return the seconds since boot, of all cores together: stolen by other virtual machines, and all."""
    first = Path("/proc/stat").read_text().splitlines()[0].split()
    ticks = [int(word) for word in first[1:9]]
    return ticks[7] / TICKS, sum(ticks) / TICKS


@contextmanager
def high_priority(nice: int = -10) -> Iterator[bool]:
    """Raise the priority of this thread if the system allows it; yield whether it does.

    For simulated clients: real ones run on other machines, so waiting for a core here must not count.
    """
    before = os.getpriority(os.PRIO_PROCESS, 0)
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
    except PermissionError:
        yield False
        return
    try:
        yield True
    finally:
        os.setpriority(os.PRIO_PROCESS, 0, before)


@contextmanager
def busy_cores(count: int) -> Iterator[None]:
    """Run searches in `count` processes during the block, to load the cores as the project's server would."""
    command = [sys.executable, "-m", "hoppers", "solve", "triangle-21", "--method", "deepening", "--all"]
    running = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.terminate()
            process.wait()
