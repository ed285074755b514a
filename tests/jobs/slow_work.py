"""Builds for the worker process, which imports them by name."""

import os
import time
from collections.abc import Generator

from hoppers.tablebase.builder import WORKSHOP


def count(most: int) -> Generator[int, None, str]:
    yield from range(most)
    return "all"


def tick() -> Generator[float, None, None]:
    """Yields its progress for ever."""
    while True:
        time.sleep(0.001)
        yield 0.5


def advance(steps: int) -> Generator[float, None, str]:
    """Yields a progress that grows; takes many slices."""
    for step in range(steps):
        time.sleep(0.001)
        yield step / steps
    return "done"


def fail() -> Generator[int, None, None]:
    yield 1
    raise ValueError("this work is broken")


def place(most: int) -> Generator[int, None, str]:
    """Returns the id of the process that runs it."""
    yield from range(most)
    return str(os.getpid())


def part_badly() -> Generator[float, None, None]:
    """Fails when it is closed."""
    try:
        yield from tick()
    finally:
        raise ValueError("this work does not end in good order")


def unsent() -> Generator[object, None, None]:
    """Yields a value that cannot be pickled."""
    yield lambda: None


def policies() -> Generator[int, None, None]:
    """Yields the scheduling policy of its thread, for ever."""
    while True:
        time.sleep(0.001)
        yield os.sched_getscheduler(0)


def grants() -> Generator[bool, None, None]:
    """Yields whether the builder of this process starts large builds by itself."""
    yield WORKSHOP.grants_heavy
