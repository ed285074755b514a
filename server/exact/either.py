"""Two ways to one answer in the background: one soon, else the other, or both in turn."""

import itertools
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar, cast

SEARCH_SECONDS = 10.0
"""For which a search may go before a build, or in turn with it."""

Result = TypeVar("Result")


def soon_or(
    steps: Generator[float, None, Result | None],
    seconds: float,
    otherwise: Callable[[], Generator[float, None, Result | None]],
) -> Generator[float, None, Result | None]:
    """A build if it ends within so many seconds and comes to something; otherwise another."""
    until = time.monotonic() + seconds
    try:
        while time.monotonic() < until:
            yield next(steps)
    except StopIteration as end:
        if end.value is not None:
            return cast(Result, end.value)
    steps.close()
    return (yield from otherwise())


def after_search(
    steps: Generator[float, None, Result], events: Iterable[object]
) -> Generator[float, None, Result]:
    """A build once a search has had its time, for one that takes much room."""
    for _ in _in_time(events):
        yield 0.0
    return (yield from steps)


def beside_search(
    steps: Generator[float, None, Result], events: Iterable[object]
) -> Generator[float, None, Result]:
    """A build in turn with a search, as long as that has time: whichever is quicker answers first."""
    try:
        for _ in _in_time(events):
            yield next(steps)
        while True:
            yield next(steps)
    except StopIteration as end:
        return cast(Result, end.value)


def _in_time(events: Iterable[object]) -> Iterator[object]:
    until = time.monotonic() + SEARCH_SECONDS
    return itertools.takewhile(lambda event: time.monotonic() < until, events)
