"""Work for the process beside, which finds it by its name."""

import os
from collections.abc import Generator

from hoppers.tablebase.builder import WORKSHOP


def count(most: int) -> Generator[int, None, str]:
    yield from range(most)
    return "all"


def fail() -> Generator[int, None, None]:
    yield 1
    raise ValueError("this work is broken")


def place(most: int) -> Generator[int, None, str]:
    """Returns the number of the process that does it."""
    yield from range(most)
    return str(os.getpid())


def part_badly(most: int) -> Generator[int, None, None]:
    """Fails when it is given up."""
    try:
        yield from range(most)
    finally:
        raise ValueError("this work does not let go")


def unsent() -> Generator[object, None, None]:
    """Gives a value that cannot go to another process."""
    yield lambda: None


def policies() -> Generator[int, None, None]:
    """How the system shares the machine with this thread, again and again."""
    while True:
        yield os.sched_getscheduler(0)


def grants() -> Generator[bool, None, None]:
    """Whether it makes heavy things of its own accord."""
    yield WORKSHOP.grants_heavy
