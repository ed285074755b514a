"""Run one kernel on several threads: kernels release the interpreter lock, so each thread uses a core."""

import contextlib
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from functools import partial
from typing import Any, NamedTuple

from hoppers.core.kernels import Kernel

MAX_THREADS = 2  # a set of boards has two halves, and one thread fills each


class KernelThreads(NamedTuple):
    """`size` threads that run one kernel in parallel, each on its own arguments."""

    size: int
    run: Callable[[Kernel, Sequence[tuple[Any, ...]]], list[Any]]
    """(kernel, arguments of each thread) -> results, in the order of the arguments."""

    def parts(self, length: int) -> list[tuple[int, int]]:
        """Return (start, stop) of each thread's part of a range of `length` items."""
        bounds = [length * number // self.size for number in range(self.size + 1)]
        return [*itertools.pairwise(bounds)]


ONE_THREAD = KernelThreads(1, lambda kernel, calls: [kernel(*arguments) for arguments in calls])
"""KernelThreads without further threads: the calling thread runs all calls in turn."""


@contextlib.contextmanager
def kernel_threads(size: int) -> Iterator[KernelThreads]:
    """Provide the calling thread and `size` - 1 others until the context ends; one if none can start."""
    if size == 1:
        yield ONE_THREAD
        return
    with ThreadPoolExecutor(size - 1, "kernel") as others:
        yield KernelThreads(size, partial(_in_parallel, others)) if _can_start(others) else ONE_THREAD


def _can_start(others: Executor) -> bool:
    """Return whether another thread can start: False if the process is ending or has too many threads."""
    try:
        others.submit(int).result()
    except RuntimeError:
        return False
    return True


def _in_parallel(others: Executor, kernel: Kernel, calls: Sequence[tuple[Any, ...]]) -> list[Any]:
    try:
        waiting = [others.submit(kernel, *arguments) for arguments in calls[1:]]
    except RuntimeError:  # this process is ending
        return ONE_THREAD.run(kernel, calls)
    return [kernel(*calls[0]), *(one.result() for one in waiting)]


def max_threads() -> int:
    """Return the number of threads that have a core each, at most MAX_THREADS."""
    return min(MAX_THREADS, cores())


def cores() -> int:
    """Return the number of cores that this process may use, as far as the system reports it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
