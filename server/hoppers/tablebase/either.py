"""Two ways to one answer in the background: one soon, else the other, or both in turn."""

import itertools
import math
import time
from collections.abc import Callable, Generator, Iterable
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
    until = time.monotonic() + SEARCH_SECONDS
    for _ in itertools.takewhile(lambda event: time.monotonic() < until, events):
        yield 0.0
    return (yield from steps)


def beside_search(
    steps: Generator[float, None, Result], ahead: float, events: Iterable[object]
) -> Generator[float, None, Result]:
    """A build that is so many seconds ahead of a search, and then in turn with it as long as that has time.

    Each has as much time as the other, what passes until its next step counted: however long steps are, and
    also while the build waits for something, whichever is quicker answers first.
    """
    built, searched, done, searching = 0.0, ahead, 0.0, iter(events)
    try:
        while True:
            began = time.monotonic()
            if built <= searched:
                done = next(steps)
                yield done
                built += time.monotonic() - began
            elif searched - ahead >= SEARCH_SECONDS or next(searching, None) is None:
                searched = math.inf
            else:
                yield done
                searched += time.monotonic() - began
    except StopIteration as end:
        return cast(Result, end.value)
