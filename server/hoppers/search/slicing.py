"""Long work cut into slices of a few milliseconds: after each of them, whoever runs it may stop.

Every kernel and every library call that could take longer is given a part of the work at a time, counted in
boards, words or bytes, and a generator yields in between.
"""

from collections.abc import Callable, Generator
from typing import Any, TypeVar, cast

Result = TypeVar("Result")
Given = TypeVar("Given")
Told = TypeVar("Told")
Pauses = Generator[None, None, Result]
"""Slices of work, and what comes of them."""
SHORT_SECONDS, LONG_SECONDS = 0.003, 0.01
"""What calls should take whose length cannot be told beforehand."""
LARGE_PAGE = 1 << 21
"""Bytes that the system may bring at a time."""
COPIED = 1 << 18
"""Numbers copied at a time."""


def slices(length: int, size: int) -> list[tuple[int, int]]:
    """Where each slice of a length starts and stops."""
    return [(start, min(start + size, length)) for start in range(0, length, size)]


def told(
    steps: Generator[Given, None, Result], tell: Callable[[Given], Told]
) -> Generator[Told, None, Result]:
    """The slices, with something else told after each of them than what they say themselves."""
    while True:
        try:
            given = next(steps)
        except StopIteration as end:
            return cast(Result, end.value)
        yield tell(given)


def reported(progress: float, steps: Pauses[Result]) -> Generator[float, None, Result]:
    """The slices, after each of which a build is so far."""
    return told(steps, lambda _: progress)


def next_size(size: int, seconds: float, fewest: int, most: int) -> int:
    """How many boards to take in a call after one that took so long with so many.

    The first ones take longest: each of their children touches a new page of memory.
    """
    if seconds < SHORT_SECONDS:
        return min(2 * size, most)
    return max(size // 2, fewest) if seconds > LONG_SECONDS else size


def brought(zeros: Any) -> Pauses[None]:
    """Have all the memory of a new array of zeros at hand.

    It comes in large pages, filled with zeros when they are first touched: a hundred boards could touch all.
    """
    for start, _ in slices(len(zeros), LARGE_PAGE // zeros.itemsize):
        zeros[start] = 0
        yield


def copied(numbers: Any, into: Any) -> Pauses[None]:
    """Copy one array into another, as long, of any type."""
    for start, stop in slices(len(numbers), COPIED):
        into[start:stop] = numbers[start:stop]
        yield
