"""Builds for the worker process, which imports them by name."""

import os
import sys
import time
from collections.abc import Generator
from pathlib import Path

from hoppers.core import kernels
from hoppers.core.puzzle import PuzzleEngine


def count(engine: PuzzleEngine, most: int) -> Generator[int, None, str]:
    yield from range(most)
    return "all"


def tick(engine: PuzzleEngine) -> Generator[float, None, None]:
    """Yield a constant progress for ever."""
    while True:
        time.sleep(0.001)
        yield 0.5


def advance(engine: PuzzleEngine, steps: int) -> Generator[float, None, str]:
    """Yield a growing progress; take many slices."""
    for step in range(steps):
        time.sleep(0.001)
        yield step / steps
    return "done"


def fail(engine: PuzzleEngine) -> Generator[int, None, None]:
    yield 1
    raise ValueError("this work is broken")


def place(engine: PuzzleEngine, most: int) -> Generator[int, None, str]:
    """Yield `most` values, then return the id of the process that runs this build, as text."""
    yield from range(most)
    return str(os.getpid())


def fail_on_close(engine: PuzzleEngine) -> Generator[float, None, None]:
    """Raise an error when closed."""
    try:
        yield from tick(engine)
    finally:
        raise ValueError("this work does not end in good order")


def yield_unpicklable(engine: PuzzleEngine) -> Generator[object, None, None]:
    """Yield a value that cannot be pickled."""
    yield lambda: None


def mark_on_close(engine: PuzzleEngine, mark: Path) -> Generator[float, None, None]:
    """Yield a constant progress for ever; create the file `mark` when closed."""
    try:
        yield from tick(engine)
    finally:
        mark.touch()


def policies(engine: PuzzleEngine) -> Generator[int, None, None]:
    """Yield the scheduling policy of the current thread for ever."""
    while True:
        time.sleep(0.001)
        yield os.sched_getscheduler(0)


def grants(engine: PuzzleEngine) -> Generator[bool, None, None]:
    """Yield whether this process may start large builds."""
    yield engine.may_build_large()


def count_loaded_kernels(engine: PuzzleEngine) -> Generator[None, None, int]:
    """Return the number of compiled versions of kernels that the process has loaded."""
    yield
    return sum(len(kernel.overloads) for kernel in kernels.KERNELS)


def block(engine: PuzzleEngine, seconds: float) -> Generator[float, None, None]:
    """Keep the interpreter lock for `seconds`, as the compiler does, so that no thread sends anything."""
    sys.setswitchinterval(seconds)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass
    sys.setswitchinterval(0.0005)
    yield from ()
