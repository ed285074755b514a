"""Seconds of searches without those of the compiler."""

from collections.abc import Generator

from hoppers.analysis.compiling_time import without_compiling
from hoppers.core.events import Event, Exhausted, Failed, Progress, Solved, Unsolvable


def test_compiling_counts_for_no_limit() -> None:
    """It takes 5 s in the first limit and 2 s in the second."""
    clock = [100.0]

    def search() -> Generator[Event, None, None]:
        clock[0] += 5
        yield Progress(1, 10, 5.5)
        yield Exhausted(1, 20, 0, 6.0)
        clock[0] += 2
        yield Solved(2, 5, 3.0, [], None, 25)
        yield Unsolvable("exhausted", 25, 9.0)
        yield Failed({"code": "x", "message": "y"})

    events = [*without_compiling(search(), lambda: clock[0])]
    assert [getattr(event, "seconds", None) for event in events] == [0.5, 1.0, 1.0, 2.0, None]


def test_closing_closes_the_search() -> None:
    closed = list[bool]()

    def search() -> Generator[Event, None, None]:
        try:
            yield Progress(1, 1, 0.0)
        finally:
            closed.append(True)

    events = without_compiling(search(), lambda: 0.0)
    next(events)
    events.close()
    assert closed == [True]
