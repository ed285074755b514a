"""Kernels side by side: they leave the interpreter lock, so a second thread uses a core that is free."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from hoppers.core.kernels import Kernel

LARGEST = 2
"""Threads, at most: a set of boards has two halves, each of which one thread may fill."""


class Crew(NamedTuple):
    """So many threads, and what has them call a kernel, each with arguments of its own."""

    size: int
    work: Callable[[Kernel, Sequence[tuple[Any, ...]]], list[Any]]

    def parts(self, length: int) -> list[tuple[int, int]]:
        """Where each thread's part of a length starts and stops."""
        bounds = [length * number // self.size for number in range(self.size + 1)]
        return [*itertools.pairwise(bounds)]


ALONE = Crew(1, lambda kernel, calls: [kernel(*arguments) for arguments in calls])
"""The thread that asks, and no other."""


@contextlib.contextmanager
def crew_of(size: int) -> Iterator[Crew]:
    """A crew for one build: the thread that asks, and others that end with the build, or nobody else."""
    if size == 1:
        yield ALONE
        return
    with ThreadPoolExecutor(size - 1, "crew") as others:
        yield Crew(size, partial(_side_by_side, others)) if _has_come(others) else ALONE


def _has_come(others: Executor) -> bool:
    """Whether there can be another thread: not while this process ends, or has too many."""
    try:
        others.submit(int).result()
    except RuntimeError:
        return False
    return True


def _side_by_side(others: Executor, kernel: Kernel, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    try:
        waiting = [others.submit(kernel, *arguments) for arguments in calls[1:]]
    except RuntimeError:  # this process ends just now
        return ALONE.work(kernel, calls)
    return [kernel(*calls[0]), *(one.result() for one in waiting)]


def largest_crew() -> int:
    """As many threads as this process may have cores, and a crew has use for."""
    return min(LARGEST, cores())


def cores() -> int:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
